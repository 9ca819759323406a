"""Powers of matrices."""

import numpy as np

from fsmooth.library.numpy.solving import inv


def matrix_power(a, n):
    """The product of n factors a, or of their inverses; by squares."""
    a = np.asarray(a)
    if n < 0:
        return matrix_power(inv(a), -n)
    if n == 0:
        return np.eye(len(a))
    if n == 1:
        return a
    half = matrix_power(a, n // 2)
    square = half @ half
    return square if n % 2 == 0 else square @ a
