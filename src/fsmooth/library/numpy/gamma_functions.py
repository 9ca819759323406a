"""The gamma function and what is made of it."""

import math

import numpy as np

from fsmooth.library.numpy.of_numbers import of_numbers
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.words import digamma, gammaln, refused, trigamma


def _gamma_jvp(x, dx):
    return dx * _gamma(x) * digamma(x)


def _gamma_vjp(x, c):
    return c * _gamma(x) * digamma(x)


@ruled(jvp=_gamma_jvp, vjp=_gamma_vjp)
def _gamma(x):
    """By the recurrence to where the logarithm is small, and by reflection of negative numbers."""
    if x <= 0.0 and np.floor(x) == x:
        return np.inf if x == 0.0 else np.nan
    y = 1.0 - x if x < 0.5 else x
    y = min(y, 200.0)
    product = 1.0
    while y > 2.5:
        y = y - 1.0
        product = product * y
    value = product * np.exp(math.lgamma(y))
    turn = x - 2.0 * np.floor(0.5 * x + 0.5)
    sine = np.sin(np.pi * (1.0 - turn if turn > 0.5 else -1.0 - turn if turn < -0.5 else turn))
    return np.pi / (sine * value) if x < 0.5 else value


gamma = of_numbers(_gamma)


def factorial(n, exact=False):
    """The gamma function at n + 1."""
    if exact:
        return refused("factorial with exact=True", "leave it out: real numbers have 53 bits")
    return gamma(n + 1.0)


def factorial2(n, exact=False):
    """The product of n, n - 2, n - 4 …, for an integer n."""
    if exact:
        return refused("factorial2 with exact=True", "leave it out: real numbers have 53 bits")
    result = 1.0
    for k in range((n + 1) // 2):
        result = result * (n - 2.0 * k)
    return result


def polygamma(n, x):
    """The n-th derivative of digamma, for n = 0 and 1."""
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    return refused("polygamma of order 2 and above", "use n = 0 or n = 1")


def rgamma(x):
    """1 divided by the gamma function."""
    return 1.0 / gamma(x)


def gammasgn(x):
    """The sign of the gamma function."""
    return np.where((x > 0.0) | (np.floor(x) % 2.0 == 0.0), 1.0, -1.0)


def poch(z, m):
    """The gamma function at z + m divided by that at z."""
    return gamma(z + m) / gamma(z)


def perm(N, k, exact=False):
    """How many ordered choices of k things there are among N."""
    if exact:
        return refused("perm with exact=True", "leave it out")
    return poch(N - k + 1.0, k)


def multigammaln(a, d):
    """The logarithm of the multivariate gamma function."""
    return d * (d - 1) * 0.2861824714623501 + sum(gammaln(a - 0.5 * j) for j in range(d))


def _binom_jvp(n, k, dn, dk):
    top, rest, chosen = digamma(n + 1.0), digamma(n - k + 1.0), digamma(k + 1.0)
    return _binom(n, k) * (dn * (top - rest) + dk * (rest - chosen))


def _binom_vjp(n, k, c):
    top, rest, chosen = digamma(n + 1.0), digamma(n - k + 1.0), digamma(k + 1.0)
    value = c * _binom(n, k)
    return value * (top - rest), value * (rest - chosen)


@ruled(jvp=_binom_jvp, vjp=_binom_vjp)
def _binom(n, k):
    """By the product where k is a small integer, or n - k is."""
    least = n - k if n == np.floor(n) and k > 0.5 * n else k
    if least == np.floor(least) and abs(least) < 100.0:
        result = 1.0
        for i in range(int(least)):
            result = result * ((n - i) / (i + 1.0))
        return result if least >= 0.0 else 0.0
    return np.exp(math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0))


binom = of_numbers(_binom)


def comb(N, k, *, exact=False, repetition=False):
    """How many choices of k things there are among N."""
    if exact or repetition:
        return refused("comb with exact=True or repetition=True", "leave them out")
    return binom(N, k)
