"""A TreeLSTM (K. S. Tai, R. Socher, C. D. Manning, 2015) over trees of the user's own classes: which word is more frequent?"""

from __future__ import annotations

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


def gated(z, kept):  # the hidden state and the cell; `kept` is what the forget gates leave of the cells below
    i, o, u = np.split(z, 3)
    cell = fs.sigmoid(i) * np.tanh(u) + kept
    return fs.sigmoid(o) * np.tanh(cell), cell


def state(t, p):
    match t:
        case Leaf(word):
            return gated(p["leaf"][word], np.zeros(len(p["forget"])))
        case Node(left, right):
            (hl, cl), (hr, cr) = state(left, p), state(right, p)
            h = np.concatenate([hl, hr])
            return gated(p["node"] @ h, fs.sigmoid(p["forget"] @ h) * (cl + cr))


def loss(t, p, label):  # the negative log likelihood
    return fs.softplus((-1.0 if label else 1.0) * (p["out"] @ state(t, p)[0]))


def random_tree(words):
    k = len(words) // 2
    return Node(random_tree(words[:k]), random_tree(words[k:])) if k else Leaf(int(words[0]))


rng = np.random.default_rng(0)
sentences = [rng.integers(3, size=rng.integers(1, 12)) for _ in range(300)]
forest = fs.pack(list(map(random_tree, sentences)), Leaf | Node)
shapes = {"leaf": (3, 24), "node": (24, 16), "forget": (8, 16), "out": 8}
p = {name: rng.normal(0.0, 0.4, shape) for name, shape in shapes.items()}
step = fs.value_and_grad(loss, wrt="p")
for epoch in range(20):
    total = 0.0
    for t, words in zip(forest, sentences, strict=True):
        value, g = step(t, p, bool(np.sum(words == 1) > np.sum(words == 2)))
        total, p = total + value, {name: w - 0.05 * g[name] for name, w in p.items()}
    print(f"epoch {epoch}: loss {total / len(forest):.3f}")
