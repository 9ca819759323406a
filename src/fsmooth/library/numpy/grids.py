"""Indices of parts of arrays: of a diagonal, a triangle, an element counted row by row."""

import numpy as np


def diag_indices(n, ndim=2):
    """The indices of the diagonal of an array of n along each axis."""
    i = np.arange(n)
    if ndim == 1:
        return (i,)
    if ndim == 2:
        return i, i
    return i, i, i


def diag_indices_from(arr):
    """The indices of the diagonal of an array."""
    return diag_indices(arr.shape[0], arr.ndim)


def tril_indices(n, k=0, m=None):
    """The rows and the columns of what is on and below a diagonal."""
    columns = n if m is None else m
    return (
        np.array([i for i in range(n) for j in range(columns) if j <= i + k]),
        np.array([j for i in range(n) for j in range(columns) if j <= i + k]),
    )


def triu_indices(n, k=0, m=None):
    """The rows and the columns of what is on and above a diagonal."""
    columns = n if m is None else m
    return (
        np.array([i for i in range(n) for j in range(columns) if j >= i + k]),
        np.array([j for i in range(n) for j in range(columns) if j >= i + k]),
    )


def tril_indices_from(arr, k=0):
    """The rows and the columns of what is on and below a diagonal of an array."""
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    """The rows and the columns of what is on and above a diagonal of an array."""
    return triu_indices(arr.shape[0], k, arr.shape[1])


def unravel_index(indices, shape):
    """The indices of the elements at these places, row by row."""
    count = np.prod(np.array(shape))
    if np.any(indices < 0) or np.any(indices >= count):
        raise ValueError("a place is out of bounds")
    if len(shape) == 1:
        return (indices,)
    if len(shape) == 2:
        return indices // shape[1], indices % shape[1]
    _, n, o = shape
    return indices // (n * o), indices // o % n, indices % o
