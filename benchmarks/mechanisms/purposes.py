"""Programs that mechanisms were written for, where no other on the list is large or plain enough to show what they buy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.mechanisms.program import Program
from benchmarks.workloads import paper_003, product_sum


def switched(x, y, on):
    """A loop inside of a condition that no iteration changes (unswitching)."""
    return [x[i] * sum(v * v for v in y) if on else x[i] for i in range(len(x))]


def standardised(A):
    """Rows that are read twice, of a matrix that does not fit the caches (array contraction)."""
    return (A - np.mean(A, axis=1)[:, None]) / np.std(A, axis=1)[:, None]


def softmax_loss(A):
    """Likewise."""
    rows = np.exp(A)
    return np.sum((rows / np.sum(rows, axis=1)[:, None]) ** 2)


def walked(x, following):
    """A table that may fail, the same in each iteration of a loop that may not run (invariant loops)."""
    total = 0.0
    for i in range(len(x)):
        table, k = np.zeros(50), 0
        for j in range(50):
            k = following[k]
            table[j] = x[k]
        total += table[i % 50] * x[i]
    return total


def scattered(x, chosen):
    """Two loops over the same indices (repeated checks dropped)."""
    y, z = np.zeros(len(x)), np.zeros(len(x))
    for k in chosen:
        y[k] += 0.5 * x[k]
    for k in chosen:
        z[k] += 0.25 * y[k]
    return np.sum(z * z)


def scaled(A, s):
    """Elements assigned one by one (loops found parallel)."""
    A = A.copy()
    for i in range(len(A)):
        for j in range(A.shape[1]):
            A[i, j] = s * np.exp(A[i, j])
    return A


def weighted_squares(A, w):
    """A product one factor of which is computed (factors in blocks)."""
    return (A.T * w) @ A


def moments(p, g, m, v):
    """Several arrays of the same arrays (loops fused)."""
    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    return p - 0.01 * m / (np.sqrt(v) + 1e-8), m, v


def predators(a, b, c, d, x, y, steps):
    """Recurrences beside each other (strips of columns), each with numbers of its own."""
    total = 0.0
    for i in range(len(a)):
        prey, hunters = x[i], y[i]
        for _ in range(steps):
            born, died = a[i] * prey - b[i] * prey * hunters, c[i] * prey * hunters - d[i] * hunters
            prey, hunters = prey + 0.01 * born, hunters + 0.01 * died
        total += prey + hunters
    return total


def paths(z, start, drift, spread, strike):
    """Likewise, with parameters that all of them share and a function in each step."""
    total = 0.0
    for i in range(len(z)):
        price = start
        for k in range(z.shape[1]):
            price = price * np.exp(drift + spread * z[i, k])
        total += max(price - strike, 0.0)
    return total / len(z)


def multiplied(A, B):
    """A product of matrices, element by element (nests multiplied)."""
    C = np.zeros((len(A), B.shape[1]))
    for i in range(len(A)):
        for j in range(B.shape[1]):
            for k in range(len(B)):
                C[i, j] += A[i, k] * B[k, j]
    return C


@dataclass
class Node:
    left: Node | None
    right: Node | None


def blended(t: Node | None, w):
    """Arrays of calls that their way back reads (what is kept is computed where it is)."""
    if t is None:
        return w
    left, right = blended(t.left, w), blended(t.right, w)
    return left * right * (1.5 - left)


def summed(t: Node | None, w):
    return np.sum(blended(t, w))


def _balanced(depth: int) -> Node | None:
    return Node(_balanced(depth - 1), _balanced(depth - 1)) if depth else None


def purposes() -> Iterator[Program]:
    """Each with arguments."""
    rng = np.random.default_rng(0)
    r, wide = rng.standard_normal, rng.standard_normal((20_000, 200))
    x, chosen = r(1000), rng.integers(0, 1000, 100_000)
    matrix, tall = r((300, 300)), r((2000, 200))
    programs: list[tuple[Any, tuple[Any, ...]]] = [
        (switched, (x, x, True)),
        (standardised, (wide,)),
        (softmax_loss, (wide,)),
        (walked, (x, chosen[:1000])),
        (scattered, (x, chosen)),
        (scaled, (matrix, 1.5)),
        (weighted_squares, (tall, r(2000))),
        (moments, (*r((4, 100_000)),)),
        (multiplied, (matrix, matrix)),
    ]
    for f, arguments in programs:
        yield Program(f.__name__, lambda f=f: fs.function(f), arguments)
    yield Program("softmax_loss, gradient", lambda: fs.grad(softmax_loss), (wide,))
    yield Program("scattered, gradient", lambda: fs.grad(scattered, wrt="x"), (x, chosen))
    yield Program("blended, gradient", lambda: fs.grad(summed, wrt="w"), (_balanced(6), np.abs(x) / 4.0))
    vectors = r((10_000, 3)), r((10_000, 4)), r((10_000, 3))
    yield Program("rotations, gradient", lambda: fs.grad(paper_003.rotations, wrt=("v", "q")), vectors)  # loops upwards
    side_by_side: list[tuple[Any, tuple[str, ...], tuple[Any, ...]]] = [
        (paper_003.particles, ("p", "v"), (r((1024, 2)), r((1024, 2)), 100)),
        (predators, ("a", "b", "c", "d", "x", "y"), (*(0.5 + rng.random((6, 1024))), 100)),
        (paths, ("start", "drift", "spread"), (r((1024, 100)), 1.0, 1e-4, 0.02, 1.0)),
    ]
    for f, wrt, arguments in side_by_side:
        yield Program(f"many {f.__name__}, value", lambda f=f: fs.function(f), arguments)
        yield Program(
            f"many {f.__name__}, gradient", lambda f=f, wrt=wrt: fs.grad(f, wrt=wrt, method="reverse"), arguments
        )
    trees = product_sum.generate(2**19), product_sum.A, product_sum.B
    yield Program("large product-sum, value", lambda: fs.function(product_sum.total), trees)
    gradient = lambda: fs.grad(product_sum.total, wrt=product_sum.WRT)  # noqa: E731  (frames in order)
    yield Program("large product-sum, gradient", gradient, trees)
