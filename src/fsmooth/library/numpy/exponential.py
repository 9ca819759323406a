"""The exponential of a matrix: halved until it is small, a rational function of degree 13, squared as often (Higham 2005)."""

import numpy as np

from fsmooth.library.numpy.factors import factors, solved
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.words import equal_sizes

_LARGEST = 5.371920351148152
"""The 1-norm up to which the rational function is accurate to rounding (Higham 2005, Table 2.3)."""


def expm(a):
    """The exponential of a square matrix."""
    a = np.asarray(a)
    if a.ndim > 2:
        return [expm(part) for part in a]
    return exponential(1.0 * a)


def _direction(a, e):
    """The derivative along e: the corner of the exponential of [[a, e], [0, a]]."""
    n = equal_sizes(len(a), len(e))
    both = [
        [(a[i, j] if j < n else e[i, j - n]) if i < n else (a[i - n, j - n] if j >= n else 0.0) for j in range(2 * n)]
        for i in range(2 * n)
    ]
    whole = exponential(both)
    return [[whole[i, n + j] for j in range(n)] for i in range(n)]


def _jvp(a, da):
    return _direction(a, da)


def _vjp(a, c):
    return _direction(a.T, c)


@ruled(jvp=_jvp, vjp=_vjp)
def exponential(a):
    """The exponential of a matrix of real numbers."""
    n = equal_sizes(a.shape[0], a.shape[1])
    norm = max([sum(abs(a[i, j]) for i in range(n)) for j in range(n)], default=0.0)
    halvings = int(np.ceil(np.log2(norm / _LARGEST))) if _LARGEST < norm < np.inf else 0
    a = a * 2.0 ** (-halvings)
    one = np.eye(n)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ added(
        a6 @ (a6 + 16380.0 * a4 + 40840800.0 * a2),
        33522128640.0 * a6 + 10559470521600.0 * a4 + 1187353796428800.0 * a2 + 32382376266240000.0 * one,
    )
    even = added(
        a6 @ (182.0 * a6 + 960960.0 * a4 + 1323241920.0 * a2),
        670442572800.0 * a6 + 129060195264000.0 * a4 + 7771770303897600.0 * a2 + 64764752532480000.0 * one,
    )
    lower, upper, order = factors(even - odd)
    result = solved(lower, upper, order, even + odd)
    for _ in range(halvings):
        result = result @ result
    return result


def added(product, rest):
    """Their sum, made in the place of the product: that is computed row by row where it stands alone."""
    for i in range(len(rest)):
        for j in range(rest.shape[1]):
            product[i, j] = product[i, j] + rest[i, j]
    return product
