"""Programs that change arrays where they are, as users of NumPy write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def diffusion(u, steps):
    """Heat on a line."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def alignment(x, y, gap):
    """The cheapest alignment of two series, by a table."""
    n, m = len(x), len(y)
    table = np.zeros((n + 1, m + 1))
    for i in range(n):
        table[i + 1, 0] = table[i, 0] + gap
    for j in range(m):
        table[0, j + 1] = table[0, j] + gap
    for i in range(n):
        for j in range(m):
            same = table[i, j] + (x[i] - y[j]) ** 2
            table[i + 1, j + 1] = min(same, table[i, j + 1] + gap, table[i + 1, j] + gap)
    return table[n, m]


def triangular(A):
    """The logarithm of a determinant, by elimination without pivots, in place."""
    n = len(A)
    A = A.copy()
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k:] -= A[i, k] / A[k, k] * A[k, k:]
    return sum(np.log(A[k, k]) for k in range(n))


def rotations(x, angles):
    """Pairs of neighbours turned, one after the other."""
    x = x.copy()
    for k in range(len(angles)):
        c, s = np.cos(angles[k]), np.sin(angles[k])
        x[k], x[k + 1] = c * x[k] - s * x[k + 1], s * x[k] + c * x[k + 1]
    return np.sum(x**3)


def sorted_out(x):
    """What is positive to one array, the rest to another."""
    above, below = np.zeros(len(x)), np.zeros(len(x))
    k = m = 0
    for i in range(len(x)):
        if x[i] > 0.0:
            above[k] = x[i]
            k = k + 1
        else:
            below[m] = x[i]
            m = m + 1
        above[0] = above[0] + 1.0
    return np.sum(above**2) - np.sum(below**3)


def bubbles(x):
    """A pass that exchanges neighbours out of order, and one that counts what it moved."""
    x, moved = x.copy(), np.zeros(len(x))
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            x[i - 1], x[i] = x[i], x[i - 1]
            moved[i] = x[i]
        else:
            moved[i] = 0.5 * x[i]
        moved[i - 1] = moved[i] + x[i - 1]
    return np.sum(x * moved)


def assignments() -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Each with arguments, of which the first is differentiated by."""
    rng = np.random.default_rng(0)
    yield diffusion, (rng.normal(size=1000), 200)
    yield alignment, (rng.normal(size=100), rng.normal(size=120), 0.3)
    yield triangular, (rng.normal(size=(40, 40)) + 40.0 * np.eye(40),)
    yield rotations, (rng.normal(size=1001), rng.normal(size=1000))
    yield sorted_out, (rng.normal(size=1000),)
    yield bubbles, (rng.normal(size=1000),)
