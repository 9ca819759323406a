"""Elements that are chosen by masks and by arrays of places; the last functions give the array that they change in NumPy."""

import numpy as np

from fsmooth.library.numpy.words import refused


def held(a, mask):
    """a[mask], of a mask for the first axes."""
    if mask.ndim == 1:
        return [a[i] for i in range(len(mask)) if mask[i]]
    if mask.ndim == 2:
        return [a[i, j] for i in range(mask.shape[0]) for j in range(mask.shape[1]) if mask[i, j]]
    return [
        a[i, j, k]
        for i in range(mask.shape[0])
        for j in range(mask.shape[1])
        for k in range(mask.shape[2])
        if mask[i, j, k]
    ]


def nonzero(a):
    """Where `a` is not zero: an array of places for each axis."""
    if a.ndim == 1:
        return ([i for i in range(len(a)) if a[i]],)
    if a.ndim == 2:
        rows = [i for i in range(a.shape[0]) for j in range(a.shape[1]) if a[i, j]]
        columns = [j for i in range(a.shape[0]) for j in range(a.shape[1]) if a[i, j]]
        return (rows, columns)
    shape = a.shape
    return (
        [i for i in range(shape[0]) for j in range(shape[1]) for k in range(shape[2]) if a[i, j, k]],
        [j for i in range(shape[0]) for j in range(shape[1]) for k in range(shape[2]) if a[i, j, k]],
        [k for i in range(shape[0]) for j in range(shape[1]) for k in range(shape[2]) if a[i, j, k]],
    )


def flatnonzero(a):
    """Where the elements of `a`, one after another, are not zero."""
    return nonzero(np.ravel(a))[0]


def argwhere(a):
    """Where `a` is not zero: a row of places for each."""
    return np.transpose(np.stack(nonzero(a)))


def compress(condition, a, axis=None):
    """The parts of `a` along an axis for which the condition holds."""
    if axis is None:
        return np.ravel(a)[condition]
    if axis == 0 or axis == -a.ndim:
        return a[condition]
    if axis == 1 or axis == 1 - a.ndim:
        return a[:, condition]
    return a[..., condition]


def extract(condition, arr):
    """The elements of `arr`, one after another, for which the condition holds."""
    return np.ravel(arr)[np.ravel(condition)]


def take(a, indices, axis=None, *, mode="raise"):
    """The parts of `a` at these places of an axis; places outside are errors, the nearest inside, or start anew."""
    if axis is None:
        return take(np.ravel(a), indices, 0, mode=mode)
    size = a.shape[axis]
    if mode == "clip":
        return take(a, np.clip(indices, 0, size - 1), axis)
    if mode == "wrap":
        return take(a, indices % size, axis)
    if mode != "raise":
        return refused(f"mode={mode!r} of np.take", "use 'raise', 'clip' or 'wrap'")
    if axis == 0 or axis == -a.ndim:
        return a[indices]
    if axis == 1 or axis == 1 - a.ndim:
        return a[:, indices]
    return a[..., indices]


def item(a, *index):
    """A method of arrays: the element at this place of the elements row by row, or at these indices."""
    if len(index) == 1:
        return np.ravel(a)[index[0]]
    if len(index) == 2:
        return a[index[0], index[1]]
    return a[index[0], index[1], index[2]]


def take_along_axis(arr, indices, axis=-1):
    """Along an axis the elements of `arr` at the places that `indices` has there."""
    if axis is None:
        return np.ravel(arr)[np.ravel(indices)]
    if arr.ndim == 1:
        return arr[indices]
    if arr.ndim == 2:
        if axis == 0 or axis == -2:
            return arr[indices, np.arange(indices.shape[1])]
        return arr[np.arange(indices.shape[0])[:, None], indices]
    first, second, third = np.arange(indices.shape[0]), np.arange(indices.shape[1]), np.arange(indices.shape[2])
    if axis == 0 or axis == -3:
        return arr[indices, second[:, None], third]
    if axis == 1 or axis == -2:
        return arr[first[:, None, None], indices, third]
    return arr[first[:, None, None], second[:, None], indices]


def fill_diagonal(a, val):
    """`a` with other elements on the diagonal."""
    changed = a.copy()
    places = np.arange(min(a.shape[0], a.shape[1]))
    changed[places, places] = val
    return changed


def put_along_axis(arr, indices, values, axis):
    """`arr` with other elements, along an axis, at the places that `indices` has there."""
    changed = arr.copy()
    if arr.ndim == 1:
        changed[indices] = values
    elif axis == 0 or axis == -2:
        changed[indices, np.arange(indices.shape[1])] = values
    else:
        changed[np.arange(indices.shape[0])[:, None], indices] = values
    return changed


def put(a, ind, v):
    """`a` with other elements at these places of its elements one after another; `v` starts anew where it ends."""
    changed = np.ravel(a).copy()
    changed[ind] = v if np.ndim(v) == 0 else np.resize(v, np.size(ind))
    return np.reshape(changed, a.shape)


def place(arr, mask, vals):
    """`arr` with the elements where the mask holds taken from `vals` by order, which starts anew where it ends."""
    changed = np.ravel(arr).copy()
    places = flatnonzero(mask)
    changed[places] = np.resize(vals, len(places))
    return np.reshape(changed, arr.shape)


def putmask(a, mask, values):
    """`a` with the elements where the mask holds taken from those of `values` in the same places."""
    return np.where(mask, values if np.ndim(values) == 0 else np.resize(values, a.shape), a)
