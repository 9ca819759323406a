"""Comparisons of whole arrays, and functions of integers."""

# mypy: no-check-untyped-defs

import numpy as np

from fsmooth.library.numpy.of_numbers import of_integers


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Is |a - b| at most atol + rtol |b|?"""
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    if equal_nan:
        return near | (a == b) | (np.isnan(a) & np.isnan(b))
    return near | (a == b)


def isclose_of_math(a, b, *, rel_tol=1e-9, abs_tol=0.0):
    """Python's `math.isclose`: is |a - b| at most rel_tol times the larger one, or at most abs_tol?"""
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    apart = np.abs(a - b)
    return a == b or (apart < np.inf and apart <= np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol))


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Is everywhere |a - b| at most atol + rtol |b|?"""
    return np.all(isclose(np.asarray(a), np.asarray(b), rtol, atol, equal_nan))


def array_equal(a1, a2):
    """Have both one shape and the same elements?"""
    a1, a2 = np.asarray(a1), np.asarray(a2)
    if a1.ndim != a2.ndim:
        return False
    if a1.ndim == 0:
        return a1 == a2
    if len(a1) != len(a2):
        return False
    return all(array_equal(a1[i], a2[i]) for i in range(len(a1)))


def array_equiv(a1, a2):
    """Have both the same elements, once broadcast?"""
    return np.all(np.asarray(a1) == np.asarray(a2))


def modf(x):
    """What is behind the point, and what is before it."""
    whole = np.trunc(x)
    return x - whole, whole


@of_integers
def gcd(a, b):
    """The greatest common divisor (Euclid)."""
    a, b = abs(a), abs(b)
    while b != 0:
        a, b = b, a % b
    return a


@of_integers
def lcm(a, b):
    """The least common multiple."""
    divisor = gcd(a, b)
    return abs(a) // (divisor if divisor != 0 else 1) * abs(b)
