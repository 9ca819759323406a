"""How many numbers are in which bin."""

# mypy: no-check-untyped-defs

import numpy as np

from fsmooth.library.numpy.orders import place_of, searchsorted
from fsmooth.library.numpy.words import constant, equal_sizes


def digitize(x, bins, right=False):
    """The bin each value is in, of bins in ascending or descending order."""
    n = len(bins)
    falls = bins[0] > bins[n - 1] if n > 0 else False
    rising = np.array([bins[n - 1 - i] if falls else bins[i] for i in range(n)])
    if any(rising[i] > rising[i + 1] for i in range(n - 1)):
        raise ValueError("bins must be in ascending or descending order")
    places = searchsorted(rising, x, "left" if right else "right")
    return np.where(falls, n - places, places)


def bincount(x, weights=None, minlength=0):
    """How often each of the integers 0, 1, … is in x, or the sum of the weights there."""
    n = np.maximum(np.max(x, initial=-1) + 1, minlength)
    if weights is None:
        counts = np.zeros(n, dtype=int)
        for k in x:
            counts[k] += 1
        return counts
    totals = np.zeros(n)
    for i in range(equal_sizes(len(x), len(weights))):
        totals[x[i]] += weights[i]
    return totals


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many values are in each bin, and the edges of the bins; the last bin holds its upper edge."""
    v = np.ravel(a)
    edges = bin_edges(v, bins, range)
    count = len(edges) - 1
    if weights is None:
        counts = counted(v, edges, count, np.zeros(count, dtype=int), lambda i: 1)
    else:
        w = np.ravel(weights)
        counts = counted(v, edges, count, np.zeros(count), lambda i: w[i])
    if density:
        return densities(counts, edges), edges
    return counts, edges


def densities(counts, edges):
    return np.array([counts[k] / (edges[k + 1] - edges[k]) for k in range(len(counts))]) / np.sum(counts)


def counted(v, edges, count, totals, weight):
    for i in range(len(v)):
        if v[i] >= edges[0] and v[i] <= edges[count]:
            totals[np.minimum(place_of(edges, v[i], "right") - 1, count - 1)] += weight(i)
    return totals


def bin_edges(v, bins, range):
    if np.ndim(bins) == 1:
        return bins
    if range is None:
        return widened(np.min(v) * 1.0, np.max(v) * 1.0, bins)
    return widened(range[0] * 1.0, range[1] * 1.0, bins)


def widened(low, high, bins):
    """The edges of so many bins; where there is one value only, half a unit on both sides of it."""
    room = constant(0.5 if low == high else 0.0)
    return np.linspace(low - room, high + room, bins + 1)


def histogram_bin_edges(a, bins=10, range=None):
    """The edges of the bins of a histogram."""
    return bin_edges(np.ravel(a), bins, range)
