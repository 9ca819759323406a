"""Sums and products so far, differences, and integrals of what is given at points."""

import numpy as np

from fsmooth.library.numpy.along import along
from fsmooth.library.numpy.words import equal_sizes


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
    return cumsum(np.where(np.isnan(a), 0.0, a), axis)


def nancumprod(a, axis=None):
    """The products so far, NaN as 1."""
    return cumprod(np.where(np.isnan(a), 1.0, a), axis)


def diff(a, n=1, axis=-1):
    """The differences of neighbours, n times."""
    if n == 0:
        return a
    if n == 1:
        return along(differences, a, axis)
    return diff(along(differences, a, axis), n - 1, axis)


def differences(v):
    return np.array([v[i + 1] - v[i] for i in range(np.maximum(len(v) - 1, 0))])


def ediff1d(ary):
    """The differences of neighbours, row by row."""
    return differences(np.ravel(ary))


def gradient(f, dx=1.0, axis=None, edge_order=1):
    """Central differences, one-sided at the ends; `dx` is a distance or the places along the axis."""
    if axis is None:
        if f.ndim == 1:
            return slopes(f, dx, edge_order)
        if f.ndim == 2:
            return gradient(f, dx, 0, edge_order), gradient(f, dx, 1, edge_order)
        return gradient(f, dx, 0, edge_order), gradient(f, dx, 1, edge_order), gradient(f, dx, 2, edge_order)
    return along(lambda v: slopes(v, dx, edge_order), f, axis)


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
