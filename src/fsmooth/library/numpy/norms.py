"""Norms of vectors and matrices, condition numbers, ranks."""

import numpy as np

from fsmooth.library.numpy.singular import svdvals
from fsmooth.library.numpy.solving import inv
from fsmooth.library.numpy.words import constant, norm_of_all, refused


def norm(x, ord=None, axis=None, keepdims=False):
    """As NumPy: of all elements if neither `ord` nor `axis` is given, of vectors along one axis, of matrices along two.

    At a zero vector the derivative is 0.
    """
    x = np.asarray(x)
    if axis is None and (ord is None or (ord == 2 and x.ndim == 1) or (ord == "fro" and x.ndim == 2)):
        result = norm_of_all(x)
    elif axis is None and x.ndim == 1:
        result = norm_of_vector(x, ord)
    elif axis is None and x.ndim == 2:
        result = norm_of_matrix(x, ord)
    elif axis is None:
        return refused("norm with ord of an array that is neither a vector nor a matrix", "give the axis")
    else:
        return norm_along(x, ord, axis, keepdims)
    if not keepdims:
        return result
    return [result] if x.ndim == 1 else [[result]]


def vector_norm(x, axis=None, keepdims=False, ord=2):
    """Of all elements, or of vectors along an axis."""
    if axis is None:
        return norm(np.ravel(x), ord)
    return norm(x, ord, axis, keepdims)


def matrix_norm(x, keepdims=False, ord="fro"):
    """Of matrices."""
    return norm(x, ord, (-2, -1), keepdims)


def norm_along(x, ord, axis, keepdims):
    """Of the vectors along an axis, or of the matrices along two."""
    if np.ndim(axis) == 0:
        made = of_vectors(np.moveaxis(x, axis, -1), ord)
    elif len(axis) == 1:
        made = of_vectors(np.moveaxis(x, axis[0], -1), ord)
    else:
        made = of_matrices(np.moveaxis(x, axis, (-2, -1)), "fro" if ord is None else ord)
    return np.expand_dims(made, axis) if keepdims else made


def of_vectors(x, ord):
    return norm(x, ord) if x.ndim == 1 else [of_vectors(part, ord) for part in x]


def of_matrices(x, ord):
    return norm(x, ord) if x.ndim == 2 else [of_matrices(part, ord) for part in x]


def norm_of_vector(x, ord):
    """Of one vector."""
    if ord == np.inf:
        return np.max(abs(x))
    if ord == -np.inf:
        return np.min(abs(x))
    if ord == 0:
        return np.sum(np.where(x != 0.0, 1.0, 0.0))
    if ord == 1:
        return np.sum(abs(x))
    return np.sum(abs(x) ** ord) ** (1.0 / ord)


def norm_of_matrix(x, ord):
    """Of one matrix."""
    if ord == 1:
        return max([sum(abs(v) for v in column) for column in x.T])
    if ord == -1:
        return min([sum(abs(v) for v in column) for column in x.T])
    if ord == np.inf:
        return max([sum(abs(v) for v in row) for row in x])
    if ord == -np.inf:
        return min([sum(abs(v) for v in row) for row in x])
    if ord == 2:
        return svdvals(x)[0]
    if ord == -2:
        s = svdvals(x)
        return s[len(s) - 1]
    if ord == "nuc":
        return np.sum(svdvals(x))
    return refused(f"ord={ord!r} of norm", "use 1, 2, -1, -2, np.inf, -np.inf, 'fro' or 'nuc'")


def cond(x, p=None):
    """The norm of x times that of its inverse; with p=None, the largest singular value divided by the smallest."""
    x = np.asarray(x)
    if p is None or p == 2:
        s = svdvals(x)
        return s[0] / s[len(s) - 1]
    return norm(x, p) * norm(inv(x), p)


def matrix_rank(A, tol=None):
    """How many singular values are larger than `tol`."""
    a = np.asarray(A)
    s = svdvals(constant(a))
    limit = s[0] * max(a.shape[0], a.shape[1]) * 2.220446049250313e-16 if tol is None else tol
    return sum(1 if v > limit else 0 for v in s)
