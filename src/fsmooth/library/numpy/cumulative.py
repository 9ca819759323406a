"""Sums and products so far, differences, and integrals of what is given at points."""

import numpy as np

from fsmooth.library.numpy.along import along
from fsmooth.library.numpy.words import equal_sizes, refused


def cumsum(a, axis=None, dtype=None):
    """The sums of the elements so far."""
    return along(sums, of_type(counted(a), dtype), axis)


def cumprod(a, axis=None, dtype=None):
    """The products of the elements so far."""
    return along(products, of_type(counted(a), dtype), axis)


def of_type(a, dtype):
    """The array with elements of a type, if one is named."""
    return a if dtype is None else a.astype(dtype)


def cumulative_sum(x, axis=None):
    """The sums of the elements so far."""
    return along(sums, counted(x), axis)


def cumulative_prod(x, axis=None):
    """The products of the elements so far."""
    return along(products, counted(x), axis)


def counted(a):
    """Truth values as integers."""
    return a * 1


def sums(v):
    s = v.copy()
    for i in range(1, len(v)):
        s[i] = s[i - 1] + v[i]
    return s


def products(v):
    s = v.copy()
    for i in range(1, len(v)):
        s[i] = s[i - 1] * v[i]
    return s


def largest(v):
    s = v.copy()
    for i in range(1, len(v)):
        s[i] = np.maximum(s[i - 1], v[i])
    return s


def smallest(v):
    s = v.copy()
    for i in range(1, len(v)):
        s[i] = np.minimum(s[i - 1], v[i])
    return s


def nancumsum(a, axis=None):
    """The sums so far, NaN as 0."""
    return cumsum(instead_of_nan(a, 0.0), axis)


def nancumprod(a, axis=None):
    """The products so far, NaN as 1."""
    return cumprod(instead_of_nan(a, 1.0), axis)


def instead_of_nan(a, value):
    """The array with `value` in the place of NaN, which no integer is."""
    return a if a.dtype == np.int64 else np.where(np.isnan(a), value, a)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences of neighbours, n times, of the array with what is put before and behind it."""
    if prepend is not None or append is not None:
        return diff(extended(np.asarray(a), axis, prepend, append), n, axis)
    if n == 0:
        return a
    if n == 1:
        return along(differences, a, axis)
    return diff(along(differences, a, axis), n - 1, axis)


def extended(a, axis, before, behind):
    """The array with numbers or lines before and behind it."""
    if before is not None:
        return extended(np.concatenate((lines_of(before, a, axis), a), axis=axis), axis, None, behind)
    if behind is not None:
        return np.concatenate((a, lines_of(behind, a, axis)), axis=axis)
    return a


def lines_of(given, a, axis):
    """What is given as lines across an axis of the array: of a number, one."""
    if np.ndim(given) > 0:
        return np.asarray(given)
    moved = np.moveaxis(a, axis, 0)
    return np.moveaxis(np.broadcast_to(given, (1, *moved.shape[1:])), 0, axis)


def differences(v):
    return np.array([v[i + 1] - v[i] for i in range(np.maximum(len(v) - 1, 0))])


def ediff1d(ary):
    """The differences of neighbours, row by row."""
    return differences(np.ravel(ary))


def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences, one-sided at the ends; distances, or the places along the axis, for all axes or for each."""
    if axis is not None:
        return slopes_along(f, varargs, 0, 1, edge_order, axis)
    if f.ndim == 1:
        return slopes(f, distance(varargs, 0, 1), edge_order)
    first, second = (
        slopes_along(f, varargs, 0, f.ndim, edge_order, 0),
        slopes_along(f, varargs, 1, f.ndim, edge_order, 1),
    )
    if f.ndim == 2:
        return first, second
    return first, second, slopes_along(f, varargs, 2, f.ndim, edge_order, 2)


def slopes_along(f, given, k, count, edge_order, axis):
    dx = distance(given, k, count)
    return along(lambda v: slopes(v, dx, edge_order), f, axis)


def distance(given, k, count):
    """The distance, or the places, along axis number k of so many."""
    if len(given) == 0:
        return 1.0
    if len(given) == 1:
        return given[0]
    if len(given) != count:
        return refused(f"np.gradient with {len(given)} distances for {count} axes", "give one, or one for each axis")
    return given[k]


def slopes(v, dx, edge_order):
    n = len(v)
    if np.ndim(dx) == 0:
        if edge_order == 1:
            first = (v[1] - v[0]) / dx
            last = (v[n - 1] - v[n - 2]) / dx
        else:
            first = (-1.5 * v[0] + 2.0 * v[1] - 0.5 * v[2]) / dx
            last = (1.5 * v[n - 1] - 2.0 * v[n - 2] + 0.5 * v[n - 3]) / dx
        inner = [(v[i + 2] - v[i]) / (2.0 * dx) for i in range(n - 2)]
    else:
        h = differences(dx)
        first = (v[1] - v[0]) / h[0]
        last = (v[n - 1] - v[n - 2]) / h[n - 2]
        inner = [
            (h[i] ** 2 * v[i + 2] + (h[i + 1] ** 2 - h[i] ** 2) * v[i + 1] - h[i + 1] ** 2 * v[i])
            / (h[i] * h[i + 1] * (h[i] + h[i + 1]))
            for i in range(n - 2)
        ]
    return np.concatenate(([first], inner, [last]))


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of what is linear between the points."""
    v = np.moveaxis(y, axis, -1)
    n = v.shape[v.ndim - 1]
    if x is None:
        return dx * (np.sum(v, axis=-1) - 0.5 * (at(v, 0) + at(v, n - 1)))
    if np.ndim(x) == 1:
        h = differences(x)
        return areas(v, equal_sizes(n, len(x)), lambda i: h[i])
    return np.sum(0.5 * diff(np.moveaxis(x, axis, -1)) * neighbours(v), axis=-1)


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The integral up to each point of what is linear between the points."""
    v = np.moveaxis(y, axis, -1)
    if x is None:
        widths = dx
    elif np.ndim(x) == 1:
        widths = differences(x)
    else:
        widths = diff(np.moveaxis(x, axis, -1))
    total = np.cumsum(0.5 * widths * neighbours(v), axis=-1)
    if initial is not None:
        first = np.zeros((*total.shape[:-1], 1)) + initial
        total = np.concatenate([first, total], axis=-1)
    return np.moveaxis(total, -1, axis)


def neighbours(v):
    """The sums of neighbours along the last axis."""
    if v.ndim == 1:
        return np.array([v[i + 1] + v[i] for i in range(np.maximum(len(v) - 1, 0))])
    return np.array([neighbours(row) for row in v])


def areas(v, n, width):
    if v.ndim == 1:
        return sum(0.5 * width(i) * (v[i + 1] + v[i]) for i in range(np.maximum(n - 1, 0)))
    return np.array([areas(row, n, width) for row in v])


def at(v, i):
    """The elements at one place of the last axis."""
    if v.ndim == 1:
        return v[i]
    return np.array([at(row, i) for row in v])


def trapz(y, x=None, dx=1.0, axis=-1):
    """The integral of what is linear between the points."""
    return trapezoid(y, x, dx, axis)
