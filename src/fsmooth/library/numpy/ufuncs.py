"""Methods of NumPy's functions of numbers: `np.add.reduce`, `np.maximum.accumulate`, `np.multiply.outer`."""

import numpy as np

from fsmooth.library.numpy.along import along
from fsmooth.library.numpy.cumulative import largest, products, smallest, sums
from fsmooth.library.numpy.words import constant, logsumexp, refused


def float_power(x1, x2):
    """Powers of real numbers, of integers as such."""
    return np.power(1.0 * x1, x2)


def add_reduce(array, axis=0, keepdims=False):
    """The sum along an axis, the first if none is named."""
    return np.sum(array, axis=axis, keepdims=keepdims)


def multiply_reduce(array, axis=0, keepdims=False):
    """The product along an axis."""
    return np.prod(array, axis=axis, keepdims=keepdims)


def maximum_reduce(array, axis=0, keepdims=False):
    """The largest element along an axis."""
    return np.max(array, axis=axis, keepdims=keepdims)


def minimum_reduce(array, axis=0, keepdims=False):
    """The smallest element along an axis."""
    return np.min(array, axis=axis, keepdims=keepdims)


def logical_and_reduce(array, axis=0, keepdims=False):
    """Do all along an axis hold?"""
    return np.all(array, axis=axis, keepdims=keepdims)


def logical_or_reduce(array, axis=0, keepdims=False):
    """Does any along an axis hold?"""
    return np.any(array, axis=axis, keepdims=keepdims)


def logaddexp_reduce(array, axis=0, keepdims=False):
    """The logarithm of the sum of the exponentials along an axis."""
    largest_ = np.max(array, axis=axis, keepdims=True, initial=-np.inf)
    top = constant(np.where(np.isfinite(largest_), largest_, 0.0))
    total = np.log(np.sum(np.exp(array - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.sum(total, axis=axis)


def weighted_logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """SciPy's logsumexp: the logarithm of the sum of the exponentials, each times its factor `b`."""
    if return_sign:
        return refused("return_sign=True of logsumexp", "leave it out")
    if b is None:
        return logsumexp(a, axis=axis, keepdims=keepdims)
    largest_ = np.max(np.where(np.asarray(b) == 0.0, -np.inf, a), axis=axis, keepdims=True, initial=-np.inf)
    top = constant(np.where(np.isfinite(largest_), largest_, 0.0))
    total = np.log(np.sum(b * np.exp(a - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.sum(total, axis=axis)


def maximum_accumulate(array, axis=0):
    """The largest element so far."""
    return along(largest, array, axis)


def minimum_accumulate(array, axis=0):
    """The smallest element so far."""
    return along(smallest, array, axis)


def add_accumulate(array, axis=0):
    """The sums of the elements so far."""
    return along(sums, array, axis)


def multiply_accumulate(array, axis=0):
    """The products of the elements so far."""
    return along(products, array, axis)


def add_outer(A, B):
    """Each element of A plus each of B."""
    return widened(A, np.ndim(B)) + B


def subtract_outer(A, B):
    """Each element of A minus each of B."""
    return widened(A, np.ndim(B)) - B


def multiply_outer(A, B):
    """Each element of A times each of B."""
    return widened(A, np.ndim(B)) * B


def divide_outer(A, B):
    """Each element of A divided by each of B."""
    return widened(A, np.ndim(B)) / B


def widened(a, count):
    """The array with so many axes of size 1 behind its own."""
    return a if count == 0 else widened(np.expand_dims(a, -1), count - 1)
