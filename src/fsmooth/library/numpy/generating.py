"""Arrays made from formulas: spaced numbers, windows, grids of indices."""

import numpy as np


def fromfunction(function, shape, dtype=float):
    """The array of a function of its indices, which it gets as arrays."""
    if len(shape) == 1:
        return function(np.arange(shape[0]) * dtype(1))
    if len(shape) == 2:
        i, j = indices(shape)
        return function(i * dtype(1), j * dtype(1))
    i, j, k = indices(shape)
    return function(i * dtype(1), j * dtype(1), k * dtype(1))


def indices(dimensions):
    """The indices of an array of this shape, one array for each axis."""
    if len(dimensions) == 1:
        return np.array([[i for i in range(dimensions[0])]])
    if len(dimensions) == 2:
        m, n = dimensions
        return np.array([[[i if axis == 0 else j for j in range(n)] for i in range(m)] for axis in range(2)])
    m, n, o = dimensions
    return np.array(
        [
            [[[i if axis == 0 else (j if axis == 1 else k) for k in range(o)] for j in range(n)] for i in range(m)]
            for axis in range(3)
        ]
    )


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Numbers at equal distances from start to stop, which is the last one if `endpoint`; of integers, those below them."""
    first = start * 1.0
    last = stop * 1.0
    if endpoint:
        step = (last - first) / np.maximum(num - 1, 1)
        made = np.array([last if i > 0 and i == num - 1 else first + i * step for i in range(num)])
    else:
        step = (last - first) / num
        made = np.array([first + i * step for i in range(num)])
    if axis != 0:
        made = np.moveaxis(made, 0, axis)
    if dtype is int or dtype is np.int64:
        made = np.floor(made)
    if dtype is not None:
        made = made.astype(dtype)
    return (made, step) if retstep else made


def logspace(start, stop, num=50, endpoint=True, base=10.0):
    """Powers of a base, whose exponents are at equal distances."""
    return base ** linspace(start, stop, num, endpoint)


def geomspace(start, stop, num=50, endpoint=True):
    """Numbers from start to stop, each the same multiple of the one before."""
    first = start * 1.0
    last = stop * 1.0
    sign = -1.0 if first < 0.0 else 1.0
    logs = linspace(np.log(np.abs(first)), np.log(np.abs(last)), num, endpoint)
    n = len(logs)
    return np.array(
        [first if i == 0 else (last if endpoint and i == n - 1 else sign * np.exp(logs[i])) for i in range(n)]
    )


def eye(N, M=None, k=0, dtype=float):
    """Ones on a diagonal."""
    return np.array([[dtype(1 if j == i + k else 0) for j in range(N if M is None else M)] for i in range(N)])


def bartlett(M):
    """A window that rises and falls in straight lines."""
    return np.array([1.0 - np.abs(2.0 * i / (M - 1) - 1.0) if M > 1 else 1.0 for i in range(M)])


def hanning(M):
    """A window of one cosine."""
    return np.array([cosine(i, M, 0.5, 0.5, 0.0) for i in range(M)])


def hamming(M):
    """A window of one cosine that does not fall to 0."""
    return np.array([cosine(i, M, 0.54, 0.46, 0.0) for i in range(M)])


def blackman(M):
    """A window of two cosines."""
    return np.array([cosine(i, M, 0.42, 0.5, 0.08) for i in range(M)])


def cosine(i, M, a, b, c):
    if M <= 1:
        return 1.0
    angle = 2.0 * np.pi * i / (M - 1)
    return a - b * np.cos(angle) + c * np.cos(2.0 * angle)


def poly(seq_of_zeros):
    """The coefficients of the polynomial with these roots."""
    n = len(seq_of_zeros)
    c = np.zeros(n + 1)
    c[0] = 1.0
    for k in range(n):
        for j in range(k + 1):
            i = k + 1 - j
            c[i] = c[i] - seq_of_zeros[k] * c[i - 1]
    return c


def apply_along_axis(func1d, axis, arr):
    """A function of the vectors along an axis."""
    made = each(func1d, np.moveaxis(arr, axis, -1))
    if made.ndim == arr.ndim:
        return np.moveaxis(made, -1, axis)
    return made


def each(function, a):
    if a.ndim == 1:
        return function(a)
    return np.array([each(function, row) for row in a])


def ravel_multi_index(multi_index, dims):
    """The place, row by row, of the element at these indices."""
    return place_of(multi_index, dims, len(dims) - 1)


def place_of(multi_index, dims, k):
    if np.any(multi_index[k] < 0) or np.any(multi_index[k] >= dims[k]):
        raise ValueError("an index is out of bounds")
    if k == 0:
        return multi_index[0]
    return place_of(multi_index, dims, k - 1) * dims[k] + multi_index[k]


def resize(a, new_shape):
    """The elements row by row, again from the first after the last, in a new shape."""
    v = np.ravel(a)
    size = np.prod(np.array(new_shape))
    return np.reshape(np.array([v[i % len(v)] for i in range(size)]), new_shape)


def rollaxis(a, axis, start=0):
    """The array with an axis moved before another."""
    from_axis = axis % a.ndim
    to = start if start >= 0 else start + a.ndim
    return np.moveaxis(a, from_axis, to - 1 if from_axis < to else to)


def matrix_transpose(x):
    """The last two axes exchanged."""
    return np.swapaxes(x, -1, -2)


def matvec(x1, x2):
    """Matrices times vectors, at each index of the axes before."""
    return np.squeeze(np.matmul(x1, np.expand_dims(x2, -1)), axis=-1)


def vecmat(x1, x2):
    """Vectors times matrices, at each index of the axes before."""
    return np.squeeze(np.matmul(np.expand_dims(x1, -2), x2), axis=-2)
