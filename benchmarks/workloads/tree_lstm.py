"""A TreeLSTM over binary trees (K. S. Tai, R. Socher, C. D. Manning, 2015, with a forget gate for each child): the loss of a
small batch of sentences, whose trees are as long as those of a treebank, 19 words on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import fsmooth as fs


@dataclass
class Leaf:
    word: int


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node


def gated(z, kept):
    """The hidden state and the cell; `kept` is what the forget gates leave of the cells below."""
    i, o, u = np.split(z, 3)
    cell = fs.sigmoid(i) * np.tanh(u) + kept
    return fs.sigmoid(o) * np.tanh(cell), cell


def state(t, p):
    match t:
        case Leaf(word):
            z = p["leaf"] @ p["words"][word] + p["leaf_bias"]
            return gated(z, np.zeros(len(z) // 3))
        case Node(left, right):
            (hl, cl), (hr, cr) = state(left, p), state(right, p)
            h = np.concatenate([hl, hr])
            forget_left, forget_right = np.split(fs.sigmoid(p["forget"] @ h + p["forget_bias"]), 2)
            return gated(p["node"] @ h + p["node_bias"], forget_left * cl + forget_right * cr)


def loss(trees, labels, p):
    """The sum of the negative log likelihoods."""
    total = 0.0
    for k in range(len(trees)):
        z = p["out"] @ state(trees[k], p)[0]
        total += fs.logsumexp(z) - z[labels[k]]
    return total


primal = fs.function(loss)
gradient = fs.grad(loss, wrt="p")
by_tape = fs.grad(loss, wrt="p", method="tape")
CLASSES, WORDS, AVERAGE = 5, 500, 19


def generate(H: int, D: int, sentences: int) -> tuple[fs.Forest, np.ndarray, dict[str, np.ndarray]]:
    """Trees, their labels and parameters for H hidden numbers and words of D numbers."""
    rng = np.random.default_rng(19)
    lengths = np.clip(rng.normal(AVERAGE, 9.0, sentences).round().astype(int), 2, 52)
    lengths[-1] = max(2, AVERAGE * sentences - int(lengths[:-1].sum()))
    trees = fs.pack([_tree(int(n), rng) for n in lengths], Leaf | Node)
    assert isinstance(trees, fs.Forest)
    shapes: dict[str, Any] = {
        "words": (WORDS, D),
        "leaf": (3 * H, D),
        "leaf_bias": 3 * H,
        "node": (3 * H, 2 * H),
        "node_bias": 3 * H,
        "forget": (2 * H, 2 * H),
        "forget_bias": 2 * H,
        "out": (CLASSES, H),
    }
    p = {name: rng.normal(0.0, 0.1, shape) for name, shape in shapes.items()}
    return trees, rng.integers(CLASSES, size=sentences), p


def _tree(words: int, rng: np.random.Generator) -> Leaf | Node:
    """Split at a random place, as the parses of sentences are: neither balanced nor combs."""
    if words == 1:
        return Leaf(int(rng.integers(WORDS)))
    k = int(rng.integers(1, words))
    return Node(_tree(k, rng), _tree(words - k, rng))


def in_numpy(trees: fs.Forest, labels: np.ndarray, p: dict[str, np.ndarray]) -> tuple[float, dict[str, np.ndarray]]:
    """The loss and its gradient, forward and back by hand."""
    total, bars = 0.0, {name: np.zeros_like(a) for name, a in p.items()}
    for tree, label in zip(trees, labels, strict=True):
        h, _, back = _state(tree.unpack(), p, bars)
        z = p["out"] @ h
        powers = np.exp(z - z.max())
        total += float(np.log(powers.sum()) + z.max() - z[label])
        d = powers / powers.sum() - np.eye(len(z))[label]
        bars["out"] += np.outer(d, h)
        back(d @ p["out"], np.zeros_like(h))
    return total, bars


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def _state(t: Leaf | Node, p: dict[str, np.ndarray], bars: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, Any]:
    """The hidden state, the cell, and what takes their cotangents back."""
    if isinstance(t, Leaf):
        z, kept = p["leaf"] @ p["words"][t.word] + p["leaf_bias"], 0.0
    else:
        (hl, cl, back_left), (hr, cr, back_right) = _state(t.left, p, bars), _state(t.right, p, bars)
        below = np.concatenate([hl, hr])
        fl, fr = np.split(_sigmoid(p["forget"] @ below + p["forget_bias"]), 2)
        z, kept = p["node"] @ below + p["node_bias"], fl * cl + fr * cr
    i, o, u = np.split(z, 3)
    i, o, u = _sigmoid(i), _sigmoid(o), np.tanh(u)
    cell = i * u + kept
    out = np.tanh(cell)

    def back(h_bar: np.ndarray, cell_bar: np.ndarray) -> None:
        cell_bar = cell_bar + h_bar * o * (1.0 - out**2)
        z_bar = np.concatenate([cell_bar * u * i * (1.0 - i), h_bar * out * o * (1.0 - o), cell_bar * i * (1.0 - u**2)])
        if isinstance(t, Leaf):
            bars["leaf"] += np.outer(z_bar, p["words"][t.word])
            bars["leaf_bias"] += z_bar
            bars["words"][t.word] += z_bar @ p["leaf"]
            return
        f_bar = np.concatenate([cell_bar * cl * fl * (1.0 - fl), cell_bar * cr * fr * (1.0 - fr)])
        bars["node"] += np.outer(z_bar, below)
        bars["node_bias"] += z_bar
        bars["forget"] += np.outer(f_bar, below)
        bars["forget_bias"] += f_bar
        left_bar, right_bar = np.split(z_bar @ p["node"] + f_bar @ p["forget"], 2)
        back_left(left_bar, cell_bar * fl)
        back_right(right_bar, cell_bar * fr)

    return out * o, cell, back
