"""Programs over trees in arrays: each node has a number and two children, which a leaf has not."""

from __future__ import annotations

import numpy as np


def product(x, value, left, right, root):
    """TREE of paper 004: what is below is multiplied with the number of the node."""

    def of(t):
        if left[t] < 0:
            return x * value[t]
        return of(left[t]) * of(right[t]) * value[t]

    return of(root)


def mutual(x, value, left, right, root):
    """Two functions that call one another, of which one has a loop around a call and an array across it."""

    def odd(t, scale):
        if left[t] < 0:
            return scale[0] * value[t]
        weights = np.array([np.sin(scale[0] + k) for k in range(3)])
        total = 1.0
        for k in range(2):
            child = left[t] if k == 0 else right[t]
            total *= 1.0 + 0.5 * even(child, weights * x) * weights[k]
        return total + weights[2]

    def even(t, scale):
        if left[t] < 0:
            return x + scale[1]
        below = odd(left[t], scale + value[t])
        if below > 1.0:
            below = below * odd(right[t], scale * below)
        return below + scale[0] * below

    return even(root, np.array([x, 2.0 * x, 0.5]))


def weighted(w, value, left, right, root):
    """Vectors go up: small products of matrices in the blocks."""

    def of(t):
        if left[t] < 0:
            return np.array([value[t], 1.0, 0.5 * value[t]])
        return np.tanh(w @ of(left[t]) + of(right[t]) * value[t])

    return np.sum(of(root))


def comb(n):
    """A tree with n inner nodes, each the left child of the one before."""
    left, right = np.full(2 * n + 1, -1), np.full(2 * n + 1, -1)
    k = np.arange(n)
    left[: n - 1], left[n - 1] = k[1:], 2 * n
    right[:n] = n + k
    return left, right


def balanced(depth):
    """A tree with 2**depth leaves."""
    inner = 2**depth - 1
    left, right = np.full(2 * inner + 1, -1), np.full(2 * inner + 1, -1)
    k = np.arange(inner)
    left[:inner], right[:inner] = 2 * k + 1, 2 * k + 2
    return left, right


def on_tree(links, seed=0):
    """Arguments of the programs behind the first."""
    left, right = links
    value = 1.0 + 0.1 * np.random.default_rng(seed).standard_normal(len(left))
    return value, left, right, 0


W = np.array([[0.5, -0.2, 0.1], [0.3, 0.4, -0.6], [-0.1, 0.2, 0.7]])
ON_TREES = {product: 1.01, mutual: 0.7, weighted: W}
"""Each with its first argument."""
