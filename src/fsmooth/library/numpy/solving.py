"""Linear equations, inverses and determinants, with the derivatives of what they solve rather than of how they are solved.

The factors are found once, outside what has a rule; the rules are in terms of the same functions, so they have derivatives too.
Arrays of matrices are taken matrix by matrix.
"""

# mypy: no-check-untyped-defs

from typing import NamedTuple

import numpy as np

from fsmooth.library.numpy.factors import factors, of_regular, sign_of, solved, transposed_solved
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.words import constant, equal_sizes, is_one, refused, regular


def solve(a, b):
    """The x of a x = b; b is a vector, or a matrix of columns, and either may be an array of such."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 2 and b.ndim <= 2:
        if is_one(len(a)):
            pivot = only_element(a)
            return np.array([b[k] / pivot for k in range(equal_sizes(len(a), len(b)))])
        lower, upper, order = of_regular(factors(constant(a)))
        return solution(a, lower, upper, order, b)
    if a.ndim == 2:
        return [solve(a, part) for part in b]
    if b.ndim < a.ndim:
        return [solve(part, b) for part in a]
    if b.ndim == a.ndim:
        return [solve(one, part) for one, part in zip(a, b, strict=True)]
    return refused("solve of fewer matrices than right sides", "loop over the first axis of b")


def inv(a):
    """The inverse."""
    a = np.asarray(a)
    if a.ndim > 2:
        return [inv(part) for part in a]
    if is_one(len(a)):
        return [[1.0 / only_element(a)]]
    lower, upper, order = of_regular(factors(constant(a)))
    return inverse(a, inverted(lower, upper, order))


def det(a):
    """The determinant; that of a singular matrix is 0, and its derivative is not a number."""
    a = np.asarray(a)
    if a.ndim > 2:
        return np.array([det(part) for part in a])
    if is_one(len(a)):
        return 1.0 * a[0, equal_sizes(len(a), a.shape[1]) - 1]
    lower, upper, order = factors(constant(a))
    return determinant(a, lower, upper, order)


class SlogdetResult(NamedTuple):
    """What slogdet gives, as NumPy names it."""

    sign: np.ndarray
    logabsdet: np.ndarray


def slogdet(a):
    """The sign of the determinant, and the logarithm of its absolute value."""
    a = np.asarray(a)
    if a.ndim > 2:
        pairs = [_slogdet(part) for part in a]
        return SlogdetResult([s for s, _ in pairs], [d for _, d in pairs])
    sign, logarithm = _slogdet(a)
    return SlogdetResult(sign, logarithm)


def _slogdet(a):
    if is_one(len(a)):
        d = a[0, equal_sizes(len(a), a.shape[1]) - 1]
        return np.sign(d), np.log(np.abs(d))
    lower, upper, order = factors(constant(a))
    sign = sign_of(order)
    for k in range(len(a)):
        sign = sign * np.sign(upper[k, k])
    return sign, log_determinant(a, lower, upper, order)


def only_element(a):
    """The element of a matrix of one row and one column, which is not 0."""
    pivot = a[0, equal_sizes(len(a), a.shape[1]) - 1]
    return regular(pivot != 0.0, pivot)


def inverted(lower, upper, order):
    """The inverse from the factors."""
    n = len(lower)
    return solved(lower, upper, order, np.eye(n))


def _solution_jvp(a, lower, upper, order, b, da, dlower, dupper, dorder, db):
    x = solution(a, lower, upper, order, b)
    return solution(a, lower, upper, order, db - da @ x)


def _solution_vjp(a, lower, upper, order, b, c):
    x = solution(a, lower, upper, order, b)
    w = transposed_solution(a, lower, upper, order, c)
    return _minus_outer(w, x), 0.0 * lower, 0.0 * upper, order, w


@ruled(jvp=_solution_jvp, vjp=_solution_vjp)
def solution(a, lower, upper, order, b):
    """The x of a x = b, from the factors of a."""
    return solved(lower, upper, order, b)


def _transposed_jvp(a, lower, upper, order, b, da, dlower, dupper, dorder, db):
    x = transposed_solution(a, lower, upper, order, b)
    return transposed_solution(a, lower, upper, order, db - da.T @ x)


def _transposed_vjp(a, lower, upper, order, b, c):
    x = transposed_solution(a, lower, upper, order, b)
    w = solution(a, lower, upper, order, c)
    return _minus_outer(x, w), 0.0 * lower, 0.0 * upper, order, w


@ruled(jvp=_transposed_jvp, vjp=_transposed_vjp)
def transposed_solution(a, lower, upper, order, b):
    """The x of aᵀ x = b, from the factors of a."""
    return transposed_solved(lower, upper, order, b)


def _minus_outer(w, x):
    """-w xᵀ, of vectors or of matrices of columns."""
    if w.ndim == 1:
        return [[-w[i] * x[j] for j in range(len(x))] for i in range(len(w))]
    return [[-sum(w[i, k] * x[j, k] for k in range(x.shape[1])) for j in range(len(x))] for i in range(len(w))]


def _inverse_jvp(a, value, da, dvalue):
    x = inverse(a, value)
    return -(x @ da @ x)


def _inverse_vjp(a, value, c):
    x = inverse(a, value)
    n = len(a)
    xc = [[sum(x[k, i] * c[k, j] for k in range(n)) for j in range(n)] for i in range(n)]
    return [[-sum(xc[i, k] * x[j, k] for k in range(n)) for j in range(n)] for i in range(n)], 0.0 * value


@ruled(jvp=_inverse_jvp, vjp=_inverse_vjp)
def inverse(a, value):
    """The inverse, which was found already."""
    return value


def _determinant_jvp(a, lower, upper, order, da, dlower, dupper, dorder):
    d = determinant(a, lower, upper, order)
    return d * log_determinant_tangent(a, lower, upper, order, da)


def log_determinant_tangent(a, lower, upper, order, da):
    """The derivative of log |det a| along da: the trace of a⁻¹ da."""
    x = inverse(a, inverted(lower, upper, order))
    n = len(a)
    return sum(sum(x[i, j] * da[j, i] for j in range(n)) for i in range(n))


def _determinant_vjp(a, lower, upper, order, c):
    d = determinant(a, lower, upper, order)
    x = inverse(a, inverted(lower, upper, order))
    return (c * d) * x.T, 0.0 * lower, 0.0 * upper, order


@ruled(jvp=_determinant_jvp, vjp=_determinant_vjp)
def determinant(a, lower, upper, order):
    """The product of the pivots, with the sign of their order."""
    result = sign_of(order)
    for k in range(len(a)):
        result = result * upper[k, k]
    return result


def _log_determinant_jvp(a, lower, upper, order, da, dlower, dupper, dorder):
    return log_determinant_tangent(a, lower, upper, order, da)


def _log_determinant_vjp(a, lower, upper, order, c):
    x = inverse(a, inverted(lower, upper, order))
    return c * x.T, 0.0 * lower, 0.0 * upper, order


@ruled(jvp=_log_determinant_jvp, vjp=_log_determinant_vjp)
def log_determinant(a, lower, upper, order):
    """The sum of the logarithms of the pivots' absolute values."""
    return sum(np.log(abs(upper[k, k])) for k in range(len(a)))
