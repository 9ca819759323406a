"""The Cholesky factor of a positive definite matrix, of which only the lower triangle is read, as in NumPy."""

# mypy: no-check-untyped-defs

import numpy as np

from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.triangular import triangle_solution
from fsmooth.library.numpy.words import constant, equal_sizes, is_one, positive_definite


def cholesky(a, upper=False):
    """The lower triangle L of a = L Lᵀ, or the upper one, Lᵀ."""
    a = np.asarray(a)
    if a.ndim > 2:
        return [cholesky(part, upper) for part in a]
    if upper:
        return lower_factor(a.T).T
    return lower_factor(a)


def lower_factor(a):
    """L of a = L Lᵀ."""
    if is_one(len(a)):
        square = a[0, equal_sizes(len(a), a.shape[1]) - 1]
        return np.array([[np.sqrt(positive_definite(square > 0.0, square))]])
    return cholesky_factor(a, eliminated(constant(a)))


def eliminated(a):
    """L, row by row: each element is what is left of that of a, divided by the diagonal; an error if none is real."""
    n = equal_sizes(a.shape[0], a.shape[1])
    lower = [[0.0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(i):
            lower[i, j] = (a[i, j] - sum(lower[i, k] * lower[j, k] for k in range(j))) / lower[j, j]
        left = a[i, i] - sum(lower[i, k] * lower[i, k] for k in range(i))
        lower[i, i] = np.sqrt(left) if left > 0.0 else -1.0
    return positive_definite(all(lower[i, i] > 0.0 for i in range(n)), lower)


def _jvp(a, value, da, dvalue):
    """L Φ(L⁻¹ da L⁻ᵀ), where Φ is the lower triangle with half the diagonal."""
    n = len(a)
    lower = cholesky_factor(a, value)
    symmetric = [[da[i, j] if j <= i else da[j, i] for j in range(n)] for i in range(n)]
    half = triangle_solution(lower, symmetric, True, False, False)
    whole = triangle_solution(lower, half.T, True, False, False)
    return lower @ halved(whole)


def _vjp(a, value, c):
    """S + Sᵀ of S = L⁻ᵀ Φ(Lᵀ c) L⁻¹, in the triangle that is read."""
    n = len(a)
    lower = cholesky_factor(a, value)
    inner = [[sum(lower[k, i] * c[k, j] for k in range(i, n)) if j <= i else 0.0 for j in range(n)] for i in range(n)]
    left = triangle_solution(lower, halved(inner), True, True, False)
    s = triangle_solution(lower, left.T, True, True, False)
    read = [[s[i, j] + s[j, i] if j < i else s[i, i] if j == i else 0.0 for j in range(n)] for i in range(n)]
    return read, 0.0 * value


@ruled(jvp=_jvp, vjp=_vjp)
def cholesky_factor(a, value):
    """L, which was found already."""
    return value


def halved(a):
    """The lower triangle with half the diagonal."""
    n = len(a)
    return [[a[i, j] if j < i else 0.5 * a[i, i] if i == j else 0.0 for j in range(n)] for i in range(n)]
