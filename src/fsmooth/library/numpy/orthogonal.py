"""The QR factors of a matrix, by reflections (Householder); signs are those of LAPACK.

Columns are rows in memory while they are worked on, so that all inner loops are over neighbours.
"""

# mypy: no-check-untyped-defs

from typing import NamedTuple

import numpy as np

from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.triangular import triangle_solution
from fsmooth.library.numpy.words import constant, refused


class QRResult(NamedTuple):
    """What qr gives, as NumPy names it."""

    Q: np.ndarray
    R: np.ndarray


def qr(a, mode="reduced"):
    """Q with orthogonal columns, as many as the shorter side, and the upper triangle R of a = Q R."""
    a = np.asarray(a)
    if mode != "reduced" and mode != "r":
        return refused(f"mode={mode!r} of qr", "use mode='reduced' or mode='r'")
    if a.ndim > 2:
        if mode == "r":
            return [qr(part, mode) for part in a]
        pairs = [_qr(part) for part in a]
        return QRResult([q for q, _ in pairs], [r for _, r in pairs])
    q, r = _qr(a)
    return r if mode == "r" else QRResult(q, r)


def _qr(a):
    """Of a wide matrix, the factors of as many columns as it has rows; the other columns of R are Qᵀ times theirs."""
    m, n = a.shape
    k = min(m, n)
    tall = [[a[i, j] for j in range(k)] for i in range(m)]
    q0, r0 = reflected(constant(tall))
    q = orthogonal_factor(tall, q0, r0)
    r = triangular_factor(tall, q0, r0)
    return q, [[r[i, j] if j < k else sum(q[l, i] * a[l, j] for l in range(m)) for j in range(n)] for i in range(k)]


def reflected(a):
    """Q and R of a matrix that is not wide."""
    m, n = a.shape
    largest = max([max([abs(v) for v in row], default=0.0) for row in a], default=0.0)
    scale = 1.0 if largest == 0.0 else largest
    columns = [[a[i, j] / scale for i in range(m)] for j in range(n)]
    axes = [[0.0 for _ in range(m)] for _ in range(n)]
    factors = [0.0 for _ in range(n)]
    r = [[0.0 for _ in range(n)] for _ in range(n)]
    for k in range(n):
        first = columns[k, k]
        rest = sum(columns[k, i] * columns[k, i] for i in range(k + 1, m))
        length = np.sqrt(first * first + rest)
        turned = first if rest == 0.0 else -length if first >= 0.0 else length
        v = [columns[k, i] - (turned if i == k else 0.0) if i >= k else 0.0 for i in range(m)]
        factor = 0.0 if rest == 0.0 else 2.0 / sum(v[i] * v[i] for i in range(k, m))
        factors[k] = factor
        for i in range(m):
            axes[k, i] = v[i]
        for j in range(k + 1):
            r[j, k] = scale * (turned if j == k else columns[k, j])
        for j in range(k + 1, n):
            along = factor * sum(columns[j, i] * v[i] for i in range(k, m))
            for i in range(k, m):
                columns[j, i] = columns[j, i] - along * v[i]
    turned_back = [[1.0 if i == j else 0.0 for i in range(m)] for j in range(n)]
    for s in range(n):
        k = n - 1 - s
        for j in range(k, n):
            along = factors[k] * sum(turned_back[j, i] * axes[k, i] for i in range(k, m))
            for i in range(k, m):
                turned_back[j, i] = turned_back[j, i] - along * axes[k, i]
    return [[turned_back[j, i] for j in range(n)] for i in range(m)], r


def _turns(q, r, da):
    """da R⁻¹, and what dR R⁻¹ is: Qᵀ da R⁻¹ less its antisymmetric part."""
    n = len(r)
    moved = triangle_solution(r, da.T, False, True, False).T
    c = q.T @ moved
    return moved, [[c[i, j] + c[j, i] if i < j else c[i, j] if i == j else 0.0 for j in range(n)] for i in range(n)]


def _q_jvp(a, q0, r0, da, dq, dr):
    q, r = orthogonal_factor(a, q0, r0), triangular_factor(a, q0, r0)
    moved, upper = _turns(q, r, da)
    return moved - q @ upper


def _q_vjp(a, q0, r0, c):
    q, r = orthogonal_factor(a, q0, r0), triangular_factor(a, q0, r0)
    return _pulled(q, r, c, -(c.T @ q)), 0.0 * q0, 0.0 * r0


def _r_jvp(a, q0, r0, da, dq, dr):
    q, r = orthogonal_factor(a, q0, r0), triangular_factor(a, q0, r0)
    _, upper = _turns(q, r, da)
    return upper @ r


def _r_vjp(a, q0, r0, c):
    q, r = orthogonal_factor(a, q0, r0), triangular_factor(a, q0, r0)
    n = len(r)
    upper = [[c[i, j] if i <= j else 0.0 for j in range(n)] for i in range(n)]
    return _pulled(q, r, 0.0 * q, r @ upper.T), 0.0 * q0, 0.0 * r0


def _pulled(q, r, cq, m):
    """(cq + Q S) R⁻ᵀ, where S is symmetric with the lower triangle of m."""
    n = len(r)
    s = [[m[i, j] if j <= i else m[j, i] for j in range(n)] for i in range(n)]
    return triangle_solution(r, (cq + q @ s).T, False, False, False).T


@ruled(jvp=_q_jvp, vjp=_q_vjp)
def orthogonal_factor(a, q, r):
    """Q, which was found already."""
    return q


@ruled(jvp=_r_jvp, vjp=_r_vjp)
def triangular_factor(a, q, r):
    """R, which was found already."""
    return r
