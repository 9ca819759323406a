"""The singular values of a matrix and its singular vectors, which `library/numpy/bidiagonal.py` finds.

Derivatives of singular vectors divide by the differences of the squares of singular values, and for matrices that are not
square by the singular values: where two are equal, or one is 0, they are not numbers.  First derivatives of distinct or equal
singular values that are not 0 need neither.
"""

# mypy: no-check-untyped-defs

from typing import NamedTuple

import numpy as np

from fsmooth.library.numpy.bidiagonal import diagonal_form
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.words import constant, square


class SVDResult(NamedTuple):
    """What svd gives, as NumPy names it."""

    U: np.ndarray
    S: np.ndarray
    Vh: np.ndarray


def svd(a, full_matrices=True, compute_uv=True):
    """U, singular values in descending order, and Vᵀ; of a square matrix, or with `full_matrices=False`."""
    a = np.asarray(a)
    if not compute_uv:
        return svdvals(a)
    if a.ndim > 2:
        parts = [_svd(part, full_matrices) for part in a]
        return SVDResult([u for u, _, _ in parts], [s for _, s, _ in parts], [v for _, _, v in parts])
    u, s, v = _svd(a, full_matrices)
    return SVDResult(u, s, v)


def svdvals(a):
    """Singular values in descending order."""
    a = np.asarray(a)
    if a.ndim > 2:
        return [svdvals(part) for part in a]
    u, s, v = decomposed(constant(a))
    return singular_values(a, u, s, v)


def _svd(a, full_matrices):
    u, s, v = decomposed(constant(a))
    left, values, right = left_vectors(a, u, s, v), singular_values(a, u, s, v), right_vectors(a, u, s, v)
    if full_matrices:
        left, right = square(len(u) == len(s), left), square(v.shape[1] == len(s), right)
    return left, values, right


def decomposed(a):
    """U, s and Vᵀ with as many singular values as the shorter side has elements."""
    m, n = a.shape
    k = min(m, n)
    scale, w = scaled(a)
    d, x, y = diagonal_form(w)
    order = descending(d)
    u = [[y[order[j], i] if n <= m else x[order[j], i] for j in range(k)] for i in range(m)]
    v = [[x[order[i], j] if n <= m else y[order[i], j] for j in range(n)] for i in range(k)]
    return u, [scale * d[order[i]] for i in range(k)], v


def scaled(a):
    """The largest number of a matrix, or 1 if all are 0, and the matrix divided by it, transposed if it is tall."""
    m, n = a.shape
    k, l = min(m, n), max(m, n)
    largest = max([max([abs(v) for v in row], default=0.0) for row in a], default=0.0)
    scale = 1.0 if largest == 0.0 else largest
    return scale, [[(a[j, i] if n <= m else a[i, j]) / scale for j in range(l)] for i in range(k)]


def descending(d):
    """The places of numbers, the largest first."""
    k = len(d)
    place = [sum(1 if d[j] > d[i] or (j < i and not d[i] > d[j]) else 0 for j in range(k)) for i in range(k)]
    order = [0 for _ in range(k)]
    for i in range(k):
        order[place[i]] = i
    return order


def moved_values(a, u, s, v, da):
    """How the singular values move with da."""
    x, y = left_vectors(a, u, s, v), right_vectors(a, u, s, v)
    moved = da @ y.T
    return [sum(x[i, k] * moved[i, k] for i in range(len(a))) for k in range(len(s))]


def pulled_values(a, u, s, v, c):
    """The cotangent of a from the cotangent c of its singular values."""
    return (left_vectors(a, u, s, v) * c) @ right_vectors(a, u, s, v)


def _values_jvp(a, u, s, v, da, du, ds, dv):
    return moved_values(a, u, s, v, da)


def _values_vjp(a, u, s, v, c):
    return pulled_values(a, u, s, v, c), 0.0 * u, 0.0 * s, 0.0 * v


@ruled(jvp=_values_jvp, vjp=_values_vjp)
def singular_values(a, u, s, v):
    """The singular values, which were found already."""
    return s


def _gaps(a, s):
    """a[i, j] / (s[j]² - s[i]²) off the diagonal."""
    n = len(s)
    return [[0.0 if i == j else a[i, j] / ((s[j] - s[i]) * (s[j] + s[i])) for j in range(n)] for i in range(n)]


def _outside(x, a):
    """What of the columns of a is orthogonal to those of x."""
    return a - x @ (x.T @ a)


def _moved(x, s, y, da):
    """How the left vectors x move with da, where y are the right ones: `du` of what `da` is the derivative of."""
    n = len(s)
    along = da @ y
    p = x.T @ along
    inner = _gaps([[p[i, j] * s[j] + s[i] * p[j, i] for j in range(n)] for i in range(n)], s)
    return x @ inner + _outside(x, along) / s


def _pulled(x, s, y, c):
    """The cotangent of the matrix from the cotangent c of its left vectors x, where y are the right ones."""
    n = len(s)
    p = x.T @ c
    inner = _gaps([[p[i, j] - p[j, i] for j in range(n)] for i in range(n)], s)
    return (x @ (inner * s) + _outside(x, c / s)) @ y.T


def _left_jvp(a, u, s, v, da, du, ds, dv):
    x, t, y = left_vectors(a, u, s, v), singular_values(a, u, s, v), right_vectors(a, u, s, v)
    return _moved(x, t, y.T, da)


def _left_vjp(a, u, s, v, c):
    x, t, y = left_vectors(a, u, s, v), singular_values(a, u, s, v), right_vectors(a, u, s, v)
    return _pulled(x, t, y.T, c), 0.0 * u, 0.0 * s, 0.0 * v


@ruled(jvp=_left_jvp, vjp=_left_vjp)
def left_vectors(a, u, s, v):
    """U, which was found already."""
    return u


def _right_jvp(a, u, s, v, da, du, ds, dv):
    x, t, y = left_vectors(a, u, s, v), singular_values(a, u, s, v), right_vectors(a, u, s, v)
    return _moved(y.T, t, x, da.T).T


def _right_vjp(a, u, s, v, c):
    x, t, y = left_vectors(a, u, s, v), singular_values(a, u, s, v), right_vectors(a, u, s, v)
    return _pulled(y.T, t, x, c.T).T, 0.0 * u, 0.0 * s, 0.0 * v


@ruled(jvp=_right_jvp, vjp=_right_vjp)
def right_vectors(a, u, s, v):
    """Vᵀ, which was found already."""
    return v
