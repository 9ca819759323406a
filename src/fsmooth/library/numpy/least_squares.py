"""The pseudo-inverse, and least squares with it: both take matrices of any shape and rank.

The derivative is that among matrices of one rank; where the rank changes there is none.
"""

# mypy: no-check-untyped-defs

from typing import NamedTuple

import numpy as np

from fsmooth.library.numpy.bidiagonal import bidiagonal, reflected_back, turned
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.singular import decomposed, descending, moved_values, pulled_values, scaled
from fsmooth.library.numpy.words import constant, equal_sizes


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
    m, n = equal_sizes(a.shape[0], b.shape[0]), a.shape[1]
    if rcond is None:
        rcond = 2.220446049250313e-16 * max(m, n)
    parts = unturned(constant(a))
    d, found = solved(m, n, parts, rcond, constant(b[:, None] if b.ndim == 1 else b))
    solution = least_solution(a, b, parts, rcond, found[:, 0] if b.ndim == 1 else found)
    order = descending(d)
    s = [d[order[i]] for i in range(len(d))]
    limit = rcond * max([y for y in s], default=0.0)
    rank = sum(1 if y > limit else 0 for y in s)
    left = b - a @ solution
    squares = np.sum(left * left, axis=0)
    values = least_values(a, parts, s)
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


class Unturned(NamedTuple):
    """A matrix as its scale, the diagonal of the lower bidiagonal L and what is below it, and the orthonormal rows on both sides:
    those of the shorter side, and of the longer one, which take most of the time, the axes and factors of `reflected_back`.
    """

    scale: float
    diagonal: np.ndarray
    beside: np.ndarray
    rows: np.ndarray
    axes: np.ndarray
    factors: np.ndarray


def unturned(a):
    """What is found of a matrix without rotations."""
    scale, w = scaled(a)
    diagonal, beside, down, of_down, axes, factors = bidiagonal(w)
    return Unturned(scale, diagonal, beside, reflected_back(down, of_down, min(a.shape)), axes, factors)


def _nothing(q):
    """No cotangent."""
    return Unturned(0.0, 0.0 * q.diagonal, 0.0 * q.beside, 0.0 * q.rows, 0.0 * q.axes, 0.0 * q.factors)


def solved(m, n, q, rcond, b):
    """Singular values of any order, and the pseudo-inverse times b, of a matrix of m rows and n columns that is `unturned`.

    L, or of a tall matrix Lᵀ with all orders reversed, which is lower bidiagonal too, is Pᵀ d Q.  Of P only its product with
    what b is inside is made, by the rotations themselves: half of their work.
    """
    k, l = q.axes.shape
    count = b.shape[1]
    tall = n <= m
    across = [[v for v in row] for row in b.T]
    for i in range(k if tall else 0):
        across = reflected(across, q, i)
    within = q.rows @ b[:k]
    d, inside, turns = turned(
        [q.diagonal[k - 1 - i if tall else i] for i in range(k)],
        [q.beside[k - 2 - i if tall else i] if i + 1 < k else 0.0 for i in range(k)],
        [[across[j, k - 1 - i] if tall else within[i, j] for j in range(count)] for i in range(k)],
        np.eye(k),
    )
    values = [q.scale * v for v in d]
    z = turns.T @ (reciprocals(values, rcond)[:, None] * inside)
    within = q.rows.T @ z[::-1]
    across = [[z[i, j] if i < k else 0.0 for i in range(l)] for j in range(count)]
    for i in range(0 if tall else k):
        across = reflected(across, q, k - 1 - i)
    return values, [[within[i, j] if tall else across[j, i] for j in range(count)] for i in range(n)]


def reflected(rows, q, i):
    """Rows, reflected along axis number i of the longer side."""
    l = q.axes.shape[1]
    for r in range(len(rows)):
        along = q.factors[i] * sum(rows[r, j] * q.axes[i, j] for j in range(i, l))
        for j in range(i, l):
            rows[r, j] = rows[r, j] - along * q.axes[i, j]
    return rows


def formed(a, q):
    """U, the singular values in descending order, and Vᵀ, of a matrix that is `unturned`."""
    m, n = a.shape
    k, l = q.axes.shape
    copied = [v for v in q.diagonal], [v for v in q.beside], [[v for v in row] for row in q.rows]
    d, x, turns = turned(*copied, np.eye(k))
    order = descending(d)
    y = turns @ reflected_back(q.axes, q.factors, l)
    u = [[y[order[j], i] if n <= m else x[order[j], i] for j in range(k)] for i in range(m)]
    v = [[x[order[i], j] if n <= m else y[order[i], j] for j in range(n)] for i in range(k)]
    return u, [q.scale * d[order[i]] for i in range(k)], v


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


def _solution_jvp(a, b, q, rcond, value, da, db, dq, drcond, dvalue):
    u, s, v = formed(a, q)
    return _moved_solution(a, u, reciprocals(s, rcond), v, b, da, db)


def _solution_vjp(a, b, q, rcond, value, c):
    u, s, v = formed(a, q)
    of_a, of_b = _pulled_solution(a, u, reciprocals(s, rcond), v, b, c)
    return of_a, of_b, _nothing(q), 0.0, 0.0 * value


@ruled(jvp=_solution_jvp, vjp=_solution_vjp)
def least_solution(a, b, q, rcond, value):
    """The pseudo-inverse of a times b, which was found already of what a is `unturned`."""
    return value


def _least_values_jvp(a, q, value, da, dq, dvalue):
    u, s, v = formed(a, q)
    return moved_values(a, u, s, v, da)


def _least_values_vjp(a, q, value, c):
    u, s, v = formed(a, q)
    return pulled_values(a, u, s, v, c), _nothing(q), 0.0 * value


@ruled(jvp=_least_values_jvp, vjp=_least_values_vjp)
def least_values(a, q, value):
    """The singular values, which were found already of what a is `unturned`."""
    return value
