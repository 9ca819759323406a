"""The elements of arrays in other places: rolled, flipped, repeated, padded, split, and on the diagonal."""

import numpy as np

from fsmooth.library.numpy.along import along
from fsmooth.library.numpy.places import compress, take
from fsmooth.library.numpy.words import equal_sizes, is_slice, place_in, refused


def flip(m, axis=None):
    """The elements in the opposite order along an axis; None: along all of them."""
    if axis is None:
        if m.ndim == 1:
            return backwards(m)
        return np.array([flip(row) for row in backwards(m)])
    if np.ndim(axis) != 0:
        return flipped(m, axis, 0)
    return along(backwards, m, axis)


def flipped(m, axes, k):
    return m if k == len(axes) else flipped(along(backwards, m, axes[k]), axes, k + 1)


def backwards(v):
    return np.array([v[len(v) - 1 - i] for i in range(len(v))])


def flipud(m):
    """The rows in the opposite order."""
    return along(backwards, m, 0)


def fliplr(m):
    """The columns in the opposite order."""
    return along(backwards, m, 1)


def rot90(m, k=1):
    """A matrix turned by quarters, against the clock."""
    if k % 4 == 0:
        return m
    if k % 4 == 1:
        return flipud(m.T)
    if k % 4 == 2:
        return flipud(fliplr(m))
    return fliplr(m.T)


def roll(a, shift, axis=None):
    """The elements moved by `shift`; those that leave at one end come back at the other.  Of several axes one after the other."""
    if axis is None and a.ndim == 1:
        return rolled(a, shift, 0)
    if axis is None:
        return np.reshape(rolled(np.ravel(a), shift, 0), a.shape)
    if np.ndim(axis) == 0:
        return rolled(a, shift, axis)
    return of_axes(a, shift, axis, 0)


def rolled(a, shift, axis):
    return along(lambda v: np.array([v[(i - shift) % len(v)] for i in range(len(v))]), a, axis)


def of_axes(a, shifts, axes, k):
    if k == len(axes):
        return a
    return of_axes(rolled(a, shifts if np.ndim(shifts) == 0 else shifts[k], axes[k]), shifts, axes, k + 1)


def repeat(a, repeats, axis=None):
    """Each element `repeats` times; the lines along an axis, or the elements, as often as each has its number."""
    if np.any(np.asarray(repeats) < 0):
        raise ValueError("repeats must not be negative")
    if np.ndim(repeats) == 0:
        return along(lambda v: np.array([v[i // repeats] for i in range(len(v) * repeats)]), np.atleast_1d(a), axis)
    if axis is None:
        return repeat(np.ravel(a), repeats, 0)
    lines = equal_sizes(a.shape[axis], len(repeats))
    return take(a, [i for i in range(lines) for _ in range(repeats[i])], axis)


def tile(A, reps):
    """The array `reps` times side by side, along each axis as often as its number says."""
    if np.ndim(reps) == 0:
        return along(lambda v: np.array([v[i % len(v)] for i in range(len(v) * reps)]), np.atleast_1d(A), -1)
    if len(reps) > np.ndim(A):
        return tile(np.expand_dims(np.asarray(A), 0), reps)
    return tiled(np.asarray(A), reps, 0)


def tiled(a, reps, axis):
    if axis == len(reps):
        return a
    count = reps[len(reps) - 1 - axis]
    wider = along(lambda v: np.array([v[i % len(v)] for i in range(len(v) * count)]), a, a.ndim - 1 - axis)
    return tiled(wider, reps, axis + 1)


def tri(N, M=None, k=0):
    """Ones on and below a diagonal."""
    return np.array([[1.0 if j <= i + k else 0.0 for j in range(N if M is None else M)] for i in range(N)])


def tril(m, k=0):
    """The elements on and below a diagonal, zero elsewhere."""
    if m.ndim > 2:
        return np.array([tril(part, k) for part in m])
    return np.array([[m[i, j] if j <= i + k else 0 for j in range(m.shape[1])] for i in range(m.shape[0])])


def triu(m, k=0):
    """The elements on and above a diagonal, zero elsewhere."""
    if m.ndim > 2:
        return np.array([triu(part, k) for part in m])
    return np.array([[m[i, j] if j >= i + k else 0 for j in range(m.shape[1])] for i in range(m.shape[0])])


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The elements of a diagonal."""
    m = np.moveaxis(a, (axis1, axis2), (-2, -1))
    return diagonals(m, offset)


def diagonals(m, offset):
    if m.ndim > 2:
        return np.array([diagonals(part, offset) for part in m])
    down = np.maximum(-offset, 0)
    right = np.maximum(offset, 0)
    count = np.maximum(np.minimum(m.shape[0] - down, m.shape[1] - right), 0)
    return np.array([m[i + down, i + right] for i in range(count)])


def diag(v, k=0):
    """A matrix with v on a diagonal; of a matrix, its diagonal."""
    if v.ndim == 2:
        return diagonals(v, k)
    n = len(v) + np.abs(k)
    down = np.maximum(-k, 0)
    return np.array(
        [[v[np.minimum(np.maximum(i - down, 0), len(v) - 1)] if j == i + k else 0 for j in range(n)] for i in range(n)]
    )


def diagflat(v, k=0):
    """A matrix with the elements of v on a diagonal."""
    return diag(np.ravel(v), k)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of a diagonal."""
    return np.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def last_diagonal(x, /, *, offset=0):
    """The elements of a diagonal of the last two axes, as NumPy's `linalg.diagonal` has them."""
    return diagonals(x, offset)


def last_trace(x, /, *, offset=0, dtype=None):
    """The sum of a diagonal of the last two axes, as NumPy's `linalg.trace` has it."""
    return np.sum(diagonals(x, offset), axis=-1, dtype=dtype)


def vander(x, N=None, increasing=False):
    """The powers of each element, in a row."""
    n = len(x) if N is None else N
    if x.dtype == np.int64:
        powers = powers_of_integers(x, n)
        return powers if increasing else fliplr(powers)
    if increasing:
        return np.array([[x[i] ** j for j in range(n)] for i in range(len(x))])
    return np.array([[x[i] ** (n - 1 - j) for j in range(n)] for i in range(len(x))])


def powers_of_integers(x, n):
    powers = np.ones((len(x), n), dtype=int)
    for i in range(len(x)):
        for j in range(1, n):
            powers[i, j] = powers[i, j - 1] * x[i]
    return powers


def append(arr, values, axis=None):
    """Values behind the others."""
    if axis is None:
        return np.concatenate((np.ravel(arr), np.ravel(values)))
    return np.concatenate((arr, values), axis=axis)


def insert(arr, obj, values, axis=None):
    """Values put before the place `obj`: a number, a line, or several lines along the axis."""
    if np.ndim(obj) != 0:
        return refused("np.insert at several places", "insert at one place after the other")
    if axis is None:
        return inserted(np.ravel(arr), obj, values)
    return np.moveaxis(inserted(np.moveaxis(arr, axis, 0), obj, values), 0, axis)


def inserted(a, obj, values):
    n = len(a)
    place = place_in(obj, n) if obj < 0 else place_in(obj, n + 1)
    lines = with_axes(np.asarray(values).astype(a.dtype), a.ndim)
    return np.concatenate((a[:place], np.broadcast_to(lines, (len(lines), *a.shape[1:])), a[place:]))


def with_axes(a, count):
    """The array with axes of size 1 before its own, so that it has so many."""
    return a if np.ndim(a) >= count else with_axes(np.expand_dims(a, 0), count)


def delete(arr, obj, axis=None):
    """The array without what is at the place `obj` of an axis, or at several places."""
    if axis is None:
        return delete(np.ravel(arr), obj, 0)
    if is_slice(obj) or np.ndim(obj) != 0:
        kept = np.ones(arr.shape[axis], dtype=bool)
        kept[obj] = False
        return compress(kept, arr, axis)
    place = place_in(obj, arr.shape[axis])
    return along(lambda v: np.array([v[i] if i < place else v[i + 1] for i in range(len(v) - 1)]), arr, axis)


def pad(array, pad_width, mode="constant", constant_values=0):
    """The array with a margin: of constants, of its edge, or of itself reflected or repeated."""
    a = np.asarray(array)
    return padded(a, pad_width, mode, constant_values, 0)


def padded(a, widths, mode, constants, axis):
    if axis == a.ndim:
        return a
    low, high = pair(widths, axis)
    first, last = pair(constants, axis)
    return padded(along(lambda v: margin(v, low, high, mode, first, last), a, axis), widths, mode, constants, axis + 1)


def pair(given, axis):
    """What is given for both ends of an axis: a number for all, a pair for all axes, or a pair for each."""
    if np.ndim(given) == 0:
        return given, given
    if np.ndim(given) == 1:
        return (given[0], given[0]) if len(given) == 1 else (given[0], given[equal_sizes(len(given), 2) - 1])
    return given[0] if len(given) == 1 else given[axis]


def margin(v, low, high, mode, first, last):
    n = len(v)
    if mode == "constant":
        before, behind = np.asarray(first).astype(v.dtype), np.asarray(last).astype(v.dtype)
        return np.array(
            [
                v[np.minimum(np.maximum(i - low, 0), n - 1)] if low <= i < low + n else (before if i < low else behind)
                for i in range(low + n + high)
            ]
        )
    if mode == "edge":
        return np.array([v[np.minimum(np.maximum(i - low, 0), n - 1)] for i in range(low + n + high)])
    if mode == "wrap":
        return np.array([v[(i - low) % n] for i in range(low + n + high)])
    if mode == "reflect":
        return np.array([v[mirrored(i - low, n)] for i in range(low + n + high)])
    if mode != "symmetric":
        return refused(f"mode={mode!r} of np.pad", "use 'constant', 'edge', 'wrap', 'reflect' or 'symmetric'")
    return np.array([v[doubled(i - low, n)] for i in range(low + n + high)])


def mirrored(i, n):
    """The place in an array that is reflected at its last and first elements."""
    k = i % np.maximum(2 * (n - 1), 1)
    return np.minimum(k, 2 * (n - 1) - k)


def doubled(i, n):
    """The place in an array that is reflected at its ends."""
    k = i % (2 * n)
    return np.minimum(k, 2 * n - 1 - k)
