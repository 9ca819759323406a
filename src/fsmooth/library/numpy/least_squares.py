"""The pseudo-inverse, and least squares with it: both take matrices of any shape and rank.

The derivative is that among matrices of one rank; where the rank changes there is none.
"""

# mypy: no-check-untyped-defs

import numpy as np

from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.singular import decomposed, singular_values
from fsmooth.library.numpy.words import constant


def pinv(a, rcond=1e-15):
    """The pseudo-inverse; singular values below `rcond` times the largest are taken as 0."""
    a = np.asarray(a)
    if a.ndim > 2:
        return [pinv(part, rcond) for part in a]
    u, s, v = decomposed(constant(a))
    return pseudo_inverse(a, inverted(u, reciprocals(s, rcond), v))


def reciprocals(s, rcond):
    """1 / s of the singular values that are large enough, 0 of the others."""
    limit = rcond * max([x for x in s], default=0.0)
    return [1.0 / x if x > limit else 0.0 for x in s]


def inverted(u, t, v):
    """V t Uᵀ, where t are the reciprocals of singular values."""
    w = [[v[k, i] * t[k] for k in range(len(t))] for i in range(v.shape[1])]
    return [[sum(w[i, k] * u[j, k] for k in range(len(t))) for j in range(len(u))] for i in range(len(w))]


def lstsq(a, b, rcond=None):
    """The x of least norm among those that make |a x - b| least; the squares of what is left, the rank, and singular values."""
    a, b = np.asarray(a), np.asarray(b)
    m, n = a.shape
    if rcond is None:
        rcond = 2.220446049250313e-16 * max(m, n)
    u, s, v = decomposed(constant(a))
    x = least_solution(a, u, reciprocals(s, rcond), v, b)
    limit = rcond * max([y for y in s], default=0.0)
    rank = sum(1 if y > limit else 0 for y in s)
    values = singular_values(a, u, s, v)
    left = b - a @ x
    squares = np.sum(left * left, axis=0)
    if b.ndim == 1:
        return x, [squares for _ in range(1 if rank == n and m > n else 0)], rank, values
    return x, [squares[k] for k in range(len(squares) if rank == n and m > n else 0)], rank, values


def _moved(a, p, da):
    """How the pseudo-inverse p of a moves with da."""
    outside = da.T - (da.T @ a) @ p
    beside = da.T - p @ (a @ da.T)
    return p @ (p.T @ outside) + (beside @ p.T) @ p - p @ da @ p


def _pulled(a, p, c):
    """The cotangent of a from the cotangent c of its pseudo-inverse p."""
    first = c.T @ (p @ p.T)
    second = (p.T @ p) @ c.T
    return first - a @ (p @ first) + (second - (second @ p) @ a) - p.T @ c @ p.T


def _jvp(a, value, da, dvalue):
    return _moved(a, pseudo_inverse(a, value), da)


def _vjp(a, value, c):
    return _pulled(a, pseudo_inverse(a, value), c), 0.0 * value


@ruled(jvp=_jvp, vjp=_vjp)
def pseudo_inverse(a, value):
    """The pseudo-inverse, which was found already."""
    return value


def _solution_jvp(a, u, t, v, b, da, du, dt, dv, db):
    p = pseudo_inverse(a, inverted(u, t, v))
    return _moved(a, p, da) @ b + p @ db


def _solution_vjp(a, u, t, v, b, c):
    p = pseudo_inverse(a, inverted(u, t, v))
    return _pulled(a, p, np.outer(c, b) if b.ndim == 1 else c @ b.T), 0.0 * u, 0.0 * t, 0.0 * v, p.T @ c


@ruled(jvp=_solution_jvp, vjp=_solution_vjp)
def least_solution(a, u, t, v, b):
    """The pseudo-inverse of a times b, from singular vectors and the reciprocals of singular values, without making it."""
    if b.ndim == 1:
        return v.T @ (t * (u.T @ b))
    return v.T @ np.array([t[k] * row for k, row in enumerate(u.T @ b)])
