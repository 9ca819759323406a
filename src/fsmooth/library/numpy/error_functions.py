"""Inverses of the error functions and of the normal distribution: a start, then Halley's method on the function itself."""

import math

import numpy as np

from fsmooth.library.numpy.of_numbers import of_numbers
from fsmooth.library.numpy.ruled import ruled

_ROOT_OF_2 = 1.4142135623730951
_ROOT_OF_2_PI = 2.5066282746310002
_HALF_ROOT_OF_PI = 0.886226925452758


def _ndtri_jvp(p, dp):
    x = _ndtri(p)
    return dp * _ROOT_OF_2_PI * np.exp(0.5 * x * x)


def _ndtri_vjp(p, c):
    x = _ndtri(p)
    return c * _ROOT_OF_2_PI * np.exp(0.5 * x * x)


@ruled(jvp=_ndtri_jvp, vjp=_ndtri_vjp)
def _ndtri(p):
    """From Abramowitz and Stegun 26.2.23, which has three digits; each step has three times as many."""
    if p <= 0.0 or p >= 1.0 or np.isnan(p):
        return -np.inf if p == 0.0 else np.inf if p == 1.0 else np.nan
    tail = min(p, 1.0 - p)
    t = np.sqrt(-2.0 * np.log(tail))
    x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
    for _ in range(3):
        step = (0.5 * math.erfc(-x / _ROOT_OF_2) - tail) * _ROOT_OF_2_PI * np.exp(0.5 * x * x)
        x = x - step / (1.0 + 0.5 * x * step)
    return x if p <= 0.5 else -x


ndtri = of_numbers(_ndtri)


def _erfinv_jvp(y, dy):
    x = _erfinv(y)
    return dy * _HALF_ROOT_OF_PI * np.exp(x * x)


def _erfinv_vjp(y, c):
    x = _erfinv(y)
    return c * _HALF_ROOT_OF_PI * np.exp(x * x)


@ruled(jvp=_erfinv_jvp, vjp=_erfinv_vjp)
def _erfinv(y):
    """From its series in the middle, from that of the normal distribution in the tails."""
    if abs(y) >= 1.0:
        return y * np.inf if abs(y) == 1.0 else np.nan
    a = abs(y)
    r = np.sqrt(-2.0 * np.log(0.5 * (1.0 - a)))
    tail = r - (2.515517 + r * (0.802853 + r * 0.010328)) / (1.0 + r * (1.432788 + r * (0.189269 + r * 0.001308)))
    z = _HALF_ROOT_OF_PI * a
    x = tail / _ROOT_OF_2 if a > 0.5 else z * (1.0 + z * z / 3.0 * (1.0 + 0.7 * z * z))
    for _ in range(3):
        left = (1.0 - a) - math.erfc(x) if a > 0.5 else math.erf(x) - a
        step = left * _HALF_ROOT_OF_PI * np.exp(x * x)
        x = x - step / (1.0 + x * step)
    return x if y > 0.0 else -x


erfinv = of_numbers(_erfinv)


def _erfcinv_jvp(z, dz):
    x = _erfcinv(z)
    return -dz * _HALF_ROOT_OF_PI * np.exp(x * x)


def _erfcinv_vjp(z, c):
    x = _erfcinv(z)
    return -c * _HALF_ROOT_OF_PI * np.exp(x * x)


@ruled(jvp=_erfcinv_jvp, vjp=_erfcinv_vjp)
def _erfcinv(z):
    return -_ndtri(0.5 * z) / _ROOT_OF_2 if z < 0.5 else _erfinv(1.0 - z)


erfcinv = of_numbers(_erfcinv)
