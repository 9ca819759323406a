"""Powers of matrices."""

import numpy as np

from fsmooth.library.numpy.solving import inv
from fsmooth.library.numpy.words import is_known


def matrix_power(a, n):
    """The product of n factors a, or of their inverses; by squares."""
    a = np.asarray(a)
    if not is_known(n):
        return by_squares(inv(a) if n < 0 else a, abs(n))
    if n < 0:
        return matrix_power(inv(a), -n)
    if n == 0:
        return np.eye(len(a))
    if n == 1:
        return a
    half = matrix_power(a, n // 2)
    square = half @ half
    return square if n % 2 == 0 else square @ a


def by_squares(a, n):
    """The product of n factors a, for an n that is known when the program runs."""
    result = np.eye(len(a)).astype(a.dtype)
    while n > 0:
        if n % 2 == 1:
            result = result @ a
        a = a @ a
        n = n // 2
    return result
