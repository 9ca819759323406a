"""The pseudo-inverse, and least squares with it: both take matrices of any shape and rank.

The derivative is that among matrices of one rank; where the rank changes there is none.
"""

# mypy: no-check-untyped-defs

import numpy as np

from fsmooth.library.numpy.bidiagonal import bidiagonal, reflected_back, turned
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.singular import decomposed, descending, scaled, singular_values
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
    s, x, turns, axes, factors = unformed(constant(a))
    solution = least_solution(a, x, turns, axes, factors, reciprocals(s, rcond), b)
    limit = rcond * max([y for y in s], default=0.0)
    rank = sum(1 if y > limit else 0 for y in s)
    u, v = formed(a, x, turns, axes, factors)
    values = singular_values(a, u, s, v)
    left = b - a @ solution
    squares = np.sum(left * left, axis=0)
    if b.ndim == 1:
        return solution, [squares for _ in range(1 if rank == n and m > n else 0)], rank, values
    return solution, [squares[k] for k in range(len(squares) if rank == n and m > n else 0)], rank, values


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


def unformed(a):
    """Singular values in descending order, and of the singular vectors what they are made of.

    Those of the shorter side are the rows x.  Those of the longer side, which take most of the time, are not made: they
    are the rows of `turns` times what `reflected_back` makes of axes and factors.
    """
    scale, w = scaled(a)
    k = len(w)
    diagonal, beside, down, of_down, axes, factors = bidiagonal(w)
    d, x, turns = turned(diagonal, beside, reflected_back(down, of_down, k), np.eye(k))
    order = descending(d)
    ordered = [[x[order[i], j] for j in range(k)] for i in range(k)]
    return (
        [scale * d[order[i]] for i in range(k)],
        ordered,
        [[turns[order[i], j] for j in range(k)] for i in range(k)],
        axes,
        factors,
    )


def formed(a, x, turns, axes, factors):
    """U and Vᵀ of a matrix of which they are `unformed`."""
    m, n = a.shape
    k, l = min(m, n), max(m, n)
    y = turns @ reflected_back(axes, factors, l)
    u = [[y[j, i] if n <= m else x[j, i] for j in range(k)] for i in range(m)]
    return u, [[x[i, j] if n <= m else y[i, j] for j in range(n)] for i in range(k)]


def shortened(x, turns, axes, factors, t, b):
    """A vector of the longer side, to the shorter side: by its singular vectors, times t, by those of the other side."""
    k, l = axes.shape
    c = [v for v in b]
    for i in range(k):
        along = factors[i] * sum(axes[i, j] * c[j] for j in range(i, l))
        for j in range(i, l):
            c[j] = c[j] - along * axes[i, j]
    return x.T @ (t * (turns @ c[:k]))


def lengthened(x, turns, axes, factors, t, b):
    """A vector of the shorter side, to the longer side."""
    k, l = axes.shape
    first = turns.T @ (t * (x @ b))
    c = [first[j] if j < k else 0.0 for j in range(l)]
    for s in range(k):
        i = k - 1 - s
        along = factors[i] * sum(axes[i, j] * c[j] for j in range(i, l))
        for j in range(i, l):
            c[j] = c[j] - along * axes[i, j]
    return c


def _moved_solution(a, u, t, v, b, da, db):
    """How the solution by vectors moves with da and db."""
    x = by_vectors(a, u, t, v, b)
    beside = da.T @ by_vectors(a.T, v.T, t, u.T, x)
    outside = by_vectors(a.T, v.T, t, u.T, da.T @ (b - a @ x))
    return beside + by_vectors(a, u, t, v, db - da @ x - a @ beside + outside)


def _pulled_solution(a, u, t, v, b, c):
    """The cotangents of a and b from the cotangent c of the solution by vectors."""
    x, g = by_vectors(a, u, t, v, b), by_vectors(a.T, v.T, t, u.T, c)
    outside, back = by_vectors(a, u, t, v, g), by_vectors(a.T, v.T, t, u.T, x)
    return _products(b - a @ x, outside) + _products(back, c - a.T @ g) - _products(g, x), g


def _products(x, y):
    """x yᵀ, of vectors or of matrices."""
    return np.outer(x, y) if x.ndim == 1 else x @ y.T


def _vectors_jvp(a, u, t, v, b, da, du, dt, dv, db):
    return _moved_solution(a, u, t, v, b, da, db)


def _vectors_vjp(a, u, t, v, b, c):
    of_a, of_b = _pulled_solution(a, u, t, v, b, c)
    return of_a, 0.0 * u, 0.0 * t, 0.0 * v, of_b


@ruled(jvp=_vectors_jvp, vjp=_vectors_vjp)
def by_vectors(a, u, t, v, b):
    """The pseudo-inverse of a times b, from singular vectors and the reciprocals of singular values.

    Its transpose times c is that of a.T, whose singular vectors are those of a.
    """
    if b.ndim == 1:
        return v.T @ (t * (u.T @ b))
    return v.T @ (t[:, None] * (u.T @ b))


def _solution_jvp(a, x, turns, axes, factors, t, b, da, dx, dturns, daxes, dfactors, dt, db):
    u, v = formed(a, x, turns, axes, factors)
    return _moved_solution(a, u, t, v, b, da, db)


def _solution_vjp(a, x, turns, axes, factors, t, b, c):
    u, v = formed(a, x, turns, axes, factors)
    of_a, of_b = _pulled_solution(a, u, t, v, b, c)
    return of_a, 0.0 * x, 0.0 * turns, 0.0 * axes, 0.0 * factors, 0.0 * t, of_b


@ruled(jvp=_solution_jvp, vjp=_solution_vjp)
def least_solution(a, x, turns, axes, factors, t, b):
    """The pseudo-inverse of a times b, from what is `unformed` and the reciprocals of singular values."""
    m, n = a.shape
    if b.ndim > 1:
        return np.array([least_solution(a, x, turns, axes, factors, t, column) for column in b.T]).T
    if n <= m:
        y = shortened(x, turns, axes, factors, t, b)
        return [y[i] for i in range(n)]
    y = lengthened(x, turns, axes, factors, t, b)
    return [y[i] for i in range(n)]
