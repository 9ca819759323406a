"""Programs that make arrays between calls of themselves, in plain NumPy, so that they run at complex numbers too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import fsmooth as fs


@dataclass
class Leaf:
    word: int


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node


def upwards(t, W, E):
    """Vectors that calls give."""
    match t:
        case Leaf(word):
            return np.tanh(E[word])
        case Node(left, right):
            h = np.concatenate([upwards(left, W, E), upwards(right, W, E)])
            return np.tanh(W @ h)


def network(t, W, E):
    return sum(upwards(t, W, E))


def downwards(n, h, W, V):
    """A vector that is handed down, and matrices that change places."""
    if n == 0:
        return sum(h * h)
    g = np.tanh(W @ h)
    return downwards(n - 1, g + 0.5 * h, V, W) * g[0] + sum(g)


def down(n, x, W, V):
    return downwards(n, x * x, W, V)


def reads_little(k, x):
    """A large array of which each call reads three numbers."""
    if k == 0:
        return x[0]
    return sum(x[k + j] * x[k + j] for j in range(-1, 2)) * 0.5 + reads_little(k - 1, x)


def little(n, v):
    return reads_little(len(v) - 2, np.sin(v))


def gathered(t, W, index):
    """Places that an array says, and a matrix of which a region makes another."""
    match t:
        case Leaf(word):
            return W[word, 0]
        case Node(left, right):
            a, b = gathered(left, W, index), gathered(right, W, index)
            rows = np.array([[W[index[i], j] * a for j in range(W.shape[1])] for i in range(len(index))])
            return sum(sum(rows[i, j] * rows[i, j] for j in range(W.shape[1])) for i in range(len(index))) * b + a


def chosen(n, x, W):
    """Branches in a region, by numbers and by integers that are saved."""
    if n == 0:
        return x * x
    y = chosen(n - 1, 0.5 * x, W)
    parts = np.array([W[i, i] * y if (i + n) % 2 == 0 else y * y for i in range(len(W))])
    total = sum(parts)
    return total + max(parts) if n > 1 else total


def in_a_loop(n, x, W):
    """Regions in a loop around calls."""
    total = 0.0
    for k in range(3):
        h = W @ np.array([x, x * x, np.sin(x) * k])
        total += sum(h * h) * (in_a_loop(n - 1, 0.5 * x + total * 0.01, W) if n > 0 else 1.0)
    return total


def twice(n, x, W):
    """The same matrix by two names, and an element of it by itself."""
    return paired(n, x, W, W) * W[0, 1]


def paired(n, x, A, B):
    if n == 0:
        return x
    z = np.array([x, 2.0 * x, A[1, 1]])
    return sum(A @ z) * 0.1 + sum(B @ (A @ z)) * 0.1 + paired(n - 1, x * 0.5, B, A) * A[0, 0]


TREE = Node(Node(Leaf(1), Leaf(0)), Node(Leaf(2), Node(Leaf(1), Leaf(1))))
_RNG = np.random.default_rng(14)
W3, V3, W36, E, X3 = [_RNG.normal(0.0, 0.5, shape) for shape in ((3, 3), (3, 3), (3, 6), (4, 3), (3,))]

REGIONS: dict[str, tuple[Callable[..., object], tuple[object, ...], tuple[int, ...]]] = {
    "upwards": (network, (TREE, W36, E), (1, 2)),
    "downwards": (down, (4, X3, W3, V3), (1, 2, 3)),
    "reads little": (little, (0, np.linspace(0.1, 1.2, 9)), (1,)),
    "gathered": (gathered, (TREE, E, np.array([2, 0, 2])), (1,)),
    "chosen": (chosen, (3, 0.7, W3), (1, 2)),
    "in a loop": (in_a_loop, (2, 0.4, W3), (1, 2)),
    "twice": (twice, (3, 0.3, W3), (1, 2)),
    "a single word": (network, (Leaf(2), W36, E), (1, 2)),
}


def packed(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """The arguments as compiled programs take them."""
    return tuple([fs.pack([x], Leaf | Node)[0] if isinstance(x, Leaf | Node) else x for x in arguments])


def by_complex_step(f: Callable[..., object], arguments: tuple[object, ...], k: int) -> np.ndarray:
    """The derivative by argument k, by running the program at complex numbers."""
    x = np.asarray(arguments[k])
    found = np.empty(x.shape)
    for at in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[at] += 1e-30j
        given: object = moved if x.shape else complex(moved[()])
        found[at] = np.imag(f(*arguments[:k], given, *arguments[k + 1 :])) / 1e-30
    return found
