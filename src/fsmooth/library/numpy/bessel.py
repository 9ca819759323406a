"""Modified Bessel functions of order 0 and 1 (Abramowitz and Stegun, chapter 9).

Up to 30 by their series, whose terms are all of one sign (9.6.10), above by the asymptotic one (9.7.1).
"""

import numpy as np

from fsmooth.library.numpy.of_numbers import of_numbers
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.words import refused

_MOST = 30.0


def _scaled(x, order):
    """exp(-x) I(x) of a number that is not negative; `order` is 0.0 or 1.0."""
    if x < _MOST:
        quarter = 0.25 * x * x
        term = 1.0 if order == 0.0 else 0.5 * x
        total = term
        for k in range(1, 71):
            term = term * (quarter / (k * (k + order)))
            total = total + term
        return total * np.exp(-x)
    term = 1.0
    total = 1.0
    for k in range(1, 26):
        term = term * (((2.0 * k - 1.0) ** 2 - 4.0 * order) / (8.0 * k * x))
        total = total + term
    return total / np.sqrt(2.0 * np.pi * x)


def _i0e_jvp(x, dx):
    return dx * (_i1e(x) - np.sign(x) * _i0e(x))


def _i0e_vjp(x, c):
    return c * (_i1e(x) - np.sign(x) * _i0e(x))


@ruled(jvp=_i0e_jvp, vjp=_i0e_vjp)
def _i0e(x):
    return _scaled(abs(x), 0.0)


def _over(x):
    """exp(-|x|) I₁(x) / x."""
    return _i1e(x) / x if abs(x) > 1e-8 else 0.5


def _i1e_jvp(x, dx):
    return dx * (_i0e(x) - _over(x) - np.sign(x) * _i1e(x))


def _i1e_vjp(x, c):
    return c * (_i0e(x) - _over(x) - np.sign(x) * _i1e(x))


@ruled(jvp=_i1e_jvp, vjp=_i1e_vjp)
def _i1e(x):
    return _scaled(abs(x), 1.0) * (1.0 if x >= 0.0 else -1.0)


def _i0_jvp(x, dx):
    return dx * _i1(x)


def _i0_vjp(x, c):
    return c * _i1(x)


@ruled(jvp=_i0_jvp, vjp=_i0_vjp)
def _i0(x):
    return np.exp(abs(x)) * _scaled(abs(x), 0.0)


def _i1_jvp(x, dx):
    return dx * (_i0(x) - (_i1(x) / x if abs(x) > 1e-8 else 0.5))


def _i1_vjp(x, c):
    return c * (_i0(x) - (_i1(x) / x if abs(x) > 1e-8 else 0.5))


@ruled(jvp=_i1_jvp, vjp=_i1_vjp)
def _i1(x):
    return np.exp(abs(x)) * _scaled(abs(x), 1.0) * (1.0 if x >= 0.0 else -1.0)


i0e = of_numbers(_i0e)
i1e = of_numbers(_i1e)
i0 = of_numbers(_i0)
i1 = of_numbers(_i1)


def iv(v, x):
    """I of order v, for v = 0 and 1."""
    if v == 0:
        return i0(x)
    if v == 1:
        return i1(x)
    return refused("iv of an order that is not 0 or 1", "use the recurrence I(v+1) = I(v-1) - 2 v / x I(v)")


def ive(v, x):
    """exp(-|x|) I of order v, for v = 0 and 1."""
    if v == 0:
        return i0e(x)
    if v == 1:
        return i1e(x)
    return refused("ive of an order that is not 0 or 1", "use the recurrence I(v+1) = I(v-1) - 2 v / x I(v)")
