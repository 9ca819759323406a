"""Eigenvalues and eigenvectors of a symmetric matrix, of which only the lower triangle is read, as in NumPy.

The matrix is made tridiagonal by reflections (Householder), and that diagonal by rotations with implicit shifts (Golub and
Van Loan, Matrix Computations, §8.3).  Eigenvectors are rows while they are found, so that all inner loops are over neighbours.

Derivatives of eigenvectors divide by the differences of eigenvalues: where two are equal they are not numbers, as the
eigenvectors themselves are not determined there.  First derivatives of eigenvalues need no such differences.
"""

# mypy: no-check-untyped-defs

from typing import NamedTuple

import numpy as np

from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.words import constant, equal_sizes

EPSILON = 1.1e-16
"""What is so much smaller than its neighbours is taken as zero."""


class EighResult(NamedTuple):
    """What eigh gives, as NumPy names it."""

    eigenvalues: np.ndarray
    eigenvectors: np.ndarray


def eigh(a, UPLO="L"):
    """Eigenvalues in ascending order, and the orthogonal matrix whose columns are the eigenvectors; their signs are any."""
    a = np.asarray(a)
    if a.ndim > 2:
        pairs = [_eigh(part, UPLO) for part in a]
        return EighResult([w for w, _ in pairs], [v for _, v in pairs])
    w, v = _eigh(a, UPLO)
    return EighResult(w, v)


def eigvalsh(a, UPLO="L"):
    """Eigenvalues in ascending order."""
    a = np.asarray(a)
    if a.ndim > 2:
        return [eigvalsh(part, UPLO) for part in a]
    return _eigh(a, UPLO)[0]


def _eigh(a, UPLO):
    given = a.T if UPLO == "U" else a
    w, v = diagonalised(constant(given))
    return eigenvalues(given, w, v), eigenvectors(given, w, v)


def diagonalised(a):
    """Eigenvalues in ascending order, and eigenvectors as columns; of a matrix scaled so that no square is out of range."""
    n = equal_sizes(a.shape[0], a.shape[1])
    largest = max([max([abs(a[i, j]) for j in range(i + 1)]) for i in range(n)], default=0.0)
    scale = 1.0 if largest == 0.0 else largest
    diagonal, beside, reflected = tridiagonal([[a[max(i, j), min(i, j)] / scale for j in range(n)] for i in range(n)])
    w, rows = rotated(diagonal, beside, reflected)
    place = [sum(1 if w[j] < w[i] or (j < i and not w[i] < w[j]) else 0 for j in range(n)) for i in range(n)]
    values = [0.0 for _ in range(n)]
    order = [0 for _ in range(n)]
    for i in range(n):
        values[place[i]] = scale * w[i]
        order[place[i]] = i
    return values, [[rows[order[j], i] for j in range(n)] for i in range(n)]


def tridiagonal(a):
    """The diagonal and what is beside it of T = Qᵀ a Q, and Qᵀ; of a, the upper triangle is read.

    A row is changed by the reflection before where the next one is applied to it: in each step the triangle is read once.
    """
    n = len(a)
    t = a
    axes = [[0.0 for _ in range(n)] for _ in range(n + 1)]
    others = [[0.0 for _ in range(n)] for _ in range(n + 1)]
    beside = [0.0 for _ in range(n)]
    scale = [0.0 for _ in range(n)]
    for k in range(n - 1):
        v, w = axes[k], others[k]
        for j in range(n):
            t[k, j] = t[k, j] - v[k] * w[j] - w[k] * v[j]
        length = np.sqrt(sum(t[k, j] * t[k, j] for j in range(k + 1, n)))
        first = t[k, k + 1]
        turned = -length if first > 0.0 else length
        rest = sum(t[k, j] * t[k, j] for j in range(k + 2, n))
        beside[k] = turned if rest > 0.0 else first
        u = [t[k, j] - (turned if j == k + 1 else 0.0) if j > k else 0.0 for j in range(n)]
        square = sum(u[j] * u[j] for j in range(n))
        factor = 2.0 / square if rest > 0.0 else 0.0
        scale[k] = factor
        g = [factor * u[j] for j in range(n)]
        p = [0.0 for _ in range(n)]
        for i in range(k + 1, n):
            for j in range(i, n):
                t[i, j] = t[i, j] - v[i] * w[j] - w[i] * v[j]
                p[j] = p[j] + t[i, j] * g[i]
            p[i] = p[i] + sum(t[i, j] * g[j] for j in range(i + 1, n))
        half = 0.5 * factor * sum(p[j] * u[j] for j in range(k + 1, n))
        for j in range(n):
            axes[k + 1, j] = u[j]
            others[k + 1, j] = p[j] - half * u[j]
    rows = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    for r in range(n - 1):
        k = n - 2 - r
        for i in range(k + 1, n):
            along = scale[k] * sum(rows[i, j] * axes[k + 1, j] for j in range(k + 1, n))
            for j in range(k + 1, n):
                rows[i, j] = rows[i, j] - along * axes[k + 1, j]
    return [t[i, i] for i in range(n)], beside, rows


def rotated(diagonal, beside, rows):
    """Eigenvalues of a tridiagonal matrix in any order, and their eigenvectors times `rows`, as rows."""
    n = len(diagonal)
    left = 30 * n
    cosines = [1.0 for _ in range(n)]
    sines = [0.0 for _ in range(n)]
    for first in range(n - 1):
        while left > 0 and abs(beside[first]) > EPSILON * (abs(diagonal[first]) + abs(diagonal[first + 1])):
            left = left - 1
            last = first + 1
            while last < n - 1 and abs(beside[last]) > EPSILON * (abs(diagonal[last]) + abs(diagonal[last + 1])):
                last = last + 1
            q = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first])
            root = np.sqrt(q * q + 1.0)
            g = diagonal[last] - diagonal[first] + beside[first] / (q + (root if q >= 0.0 else -root))
            s, c, p = 1.0, 1.0, 0.0
            for r in range(last - first):
                i = last - 1 - r
                f = s * beside[i]
                b = c * beside[i]
                size = np.sqrt(f * f + g * g)
                beside[i + 1] = size
                s = f / size if size > 0.0 else 0.0
                c = g / size if size > 0.0 else 1.0
                g = diagonal[i + 1] - p
                t = (diagonal[i] - g) * s + 2.0 * c * b
                p = s * t
                diagonal[i + 1] = g + p
                g = c * t - b
                cosines[i] = c
                sines[i] = s
            diagonal[first] = diagonal[first] - p
            beside[first] = g
            beside[last] = 0.0
            current = [rows[last, j] for j in range(n)]
            for r in range(last - first):
                i = last - 1 - r
                s, c = sines[i], cosines[i]
                for j in range(n):
                    rows[i + 1, j] = s * rows[i, j] + c * current[j]
                current = [c * rows[i, j] - s * current[j] for j in range(n)]
            for j in range(n):
                rows[first, j] = current[j]
    return diagonal, rows


def _values_jvp(a, w, v, da, dw, dv):
    x = eigenvectors(a, w, v)
    n = len(w)
    moved = read_symmetric(da) @ x
    return [sum(x[i, k] * moved[i, k] for i in range(n)) for k in range(n)]


def _values_vjp(a, w, v, c):
    x = eigenvectors(a, w, v)
    n = len(w)
    s = [[sum(x[i, k] * c[k] * x[j, k] for k in range(n)) for j in range(n)] for i in range(n)]
    return folded(s), 0.0 * w, 0.0 * v


@ruled(jvp=_values_jvp, vjp=_values_vjp)
def eigenvalues(a, w, v):
    """The eigenvalues, which were found already."""
    return w


def _vectors_jvp(a, w, v, da, dw, dv):
    x = eigenvectors(a, w, v)
    inner = x.T @ (read_symmetric(da) @ x)
    return x @ divided(inner, eigenvalues(a, w, v))


def _vectors_vjp(a, w, v, c):
    x = eigenvectors(a, w, v)
    n = len(w)
    inner = divided(x.T @ c, eigenvalues(a, w, v))
    s = x @ inner
    return folded([[sum(s[i, k] * x[j, k] for k in range(n)) for j in range(n)] for i in range(n)]), 0.0 * w, 0.0 * v


@ruled(jvp=_vectors_jvp, vjp=_vectors_vjp)
def eigenvectors(a, w, v):
    """The eigenvectors, which were found already."""
    return v


def divided(a, w):
    """Off the diagonal, a[i, j] / (w[j] - w[i])."""
    n = len(w)
    return [[0.0 if i == j else a[i, j] / (w[j] - w[i]) for j in range(n)] for i in range(n)]


def read_symmetric(a):
    """The symmetric matrix whose lower triangle is that of a."""
    n = len(a)
    return [[a[i, j] if j <= i else a[j, i] for j in range(n)] for i in range(n)]


def folded(s):
    """The cotangent of what `read_symmetric` reads."""
    n = len(s)
    return [[s[i, j] + s[j, i] if j < i else s[i, i] if j == i else 0.0 for j in range(n)] for i in range(n)]
