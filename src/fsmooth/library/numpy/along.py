"""A function of vectors applied along one axis of an array."""

import numpy as np


def along(function, a, axis):
    """`function`, which makes a vector of a vector, along an axis; None: of the elements row by row."""
    if axis is None:
        return function(np.ravel(a))
    return np.moveaxis(rows(function, np.moveaxis(a, axis, -1)), -1, axis)


def rows(function, a):
    """`function` of each vector along the last axis."""
    if a.ndim == 1:
        return function(a)
    return np.array([rows(function, row) for row in a])


def reducing(function, a, axis, keepdims):
    """`function`, which makes a number of a vector, along an axis, several, or all of them (None)."""
    if axis is None:
        made = function(np.ravel(a))
        return np.broadcast_to(made, (1,) * a.ndim) if keepdims else made
    if np.ndim(axis) == 0:
        made = numbers(function, np.moveaxis(a, axis, -1))
    else:
        made = numbers(function, last_axes_joined(np.moveaxis(a, axis, ends(len(axis))), len(axis)))
    return np.expand_dims(made, axis) if keepdims else made


def ends(count):
    """The last axes, so many."""
    return (-count,) if count == 1 else (-count, *ends(count - 1))


def last_axes_joined(a, count):
    """The array with its last axes as one."""
    return np.reshape(a, (*a.shape[: a.ndim - count], -1))


def numbers(function, a):
    """`function` of each vector along the last axis, as an array without it."""
    if a.ndim == 1:
        return function(a)
    return np.array([numbers(function, row) for row in a])
