"""Arrays of integers as sets; and what functions of complex numbers say of real ones."""

import numpy as np

from fsmooth.library.numpy.orders import ascending


def isin(element, test_elements, assume_unique=False, invert=False):
    """Is each element among the others?"""
    among = np.ravel(np.asarray(test_elements))
    if np.ndim(element) > 0:
        return np.array([isin(one, among, assume_unique, invert) for one in element])
    return any(element == other for other in among) != invert


def distinct(s):
    """The distinct ones of elements in ascending order."""
    return np.array([s[k] for k in range(len(s)) if k == 0 or s[k] != s[np.maximum(k - 1, 0)]])


def unique_values(x):
    """The distinct integers in ascending order."""
    return distinct(ascending(np.ravel(x)))


def unique_counts(x):
    """The distinct integers in ascending order, and how often each is there."""
    return np.unique(x, return_counts=True)


def union1d(ar1, ar2):
    """The integers of both, in ascending order."""
    return distinct(ascending(np.concatenate((np.ravel(ar1), np.ravel(ar2)))))


def intersect1d(ar1, ar2):
    """The integers that both have, in ascending order."""
    s = unique_values(ar1)
    other = np.ravel(ar2)
    return np.array([x for x in s if any(x == y for y in other)])


def setdiff1d(ar1, ar2):
    """The integers of the first that the second does not have, in ascending order."""
    s = unique_values(ar1)
    other = np.ravel(ar2)
    return np.array([x for x in s if not any(x == y for y in other)])


def setxor1d(ar1, ar2):
    """The integers that one of both has, in ascending order."""
    return union1d(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1))


def real(val):
    """A real number's real part: itself."""
    return val


def imag(val):
    """A real number's imaginary part: 0."""
    return val * 0


def conjugate(x):
    """A real number's conjugate: itself."""
    return x


def conj(x):
    """A real number's conjugate: itself."""
    return x


def angle(z):
    """The angle of a real number: 0, or π if it is negative."""
    return np.where(z < 0.0, np.pi, 0.0)


def isreal(x):
    """All real numbers are."""
    return (x == x) | (x != x)


def real_if_close(a, tol=100):
    """A real number is."""
    return a


def isposinf(x):
    """Is it the infinity above?"""
    return x == np.inf


def isneginf(x):
    """Is it the infinity below?"""
    return x == -np.inf
