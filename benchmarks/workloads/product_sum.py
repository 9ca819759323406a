"""Sums of products over a binary tree: of a node a·l + b·r + l·r·v, where l and r are those of its children, v its number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import fsmooth as fs


@dataclass
class Leaf:
    value: float


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node
    value: float


def total(t, a, b):
    """The number of the root."""
    match t:
        case Leaf(value):
            return value
        case Node(left, right, value):
            l, r = total(left, a, b), total(right, a, b)
            return a * l + b * r + l * r * value


WRT = ("t", "a", "b")
primal = fs.function(total)
gradient = fs.grad(total, wrt=WRT)
by_tape = fs.grad(total, wrt=WRT, method="tape")
A, B = 0.45, 0.5


def generate(leaves: int) -> fs.Packed:
    """A tree of random shape with so many leaves; rows lie in the order in which nodes are met from the left."""
    rng = np.random.default_rng(leaves)
    shares = rng.uniform(0.25, 0.75, max(1, leaves - 1))
    left, right = np.empty(leaves - 1, np.int64), np.empty(leaves - 1, np.int64)
    leaf, inner = (int(fs.references(Leaf | Node, c, 0)) for c in (Leaf, Node))
    seen, nodes, waiting = 0, 0, [(leaves, right, -1)]
    while waiting:
        count, column, row = waiting.pop()
        if count == 1:
            node, seen = seen << 1 | leaf, seen + 1
        else:
            node, mine, nodes = nodes << 1 | inner, nodes, nodes + 1
            k = min(count - 1, max(1, int(count * shares[mine])))
            waiting += [(count - k, right, mine), (k, left, mine)]
        if row >= 0:
            column[row] = node
        else:
            root = node
    columns = {
        "Leaf": {"value": rng.uniform(0.5, 1.0, leaves)},
        "Node": {"left": left, "right": right, "value": rng.uniform(-0.1, 0.1, leaves - 1)},
    }
    return fs.Packed.of(Leaf | Node, columns, root)


def in_python(t: fs.Packed, a: float, b: float) -> tuple[float, tuple[np.ndarray, np.ndarray, float, float]]:
    """The value, and its derivatives by the leaves, the nodes' numbers, a and b: from the last row to the first, and back."""
    leaf, left, right, value = (
        t.columns[name].tolist() for name in ("Leaf.value", "Node.left", "Node.right", "Node.value")
    )
    node_tag = int(fs.references(Leaf | Node, Node, 0))
    found = [0.0] * len(value)
    at = lambda node: found[node >> 1] if node & 1 == node_tag else leaf[node >> 1]  # noqa: E731
    for k in reversed(range(len(value))):
        l, r = at(left[k]), at(right[k])
        found[k] = a * l + b * r + l * r * value[k]
    leaf_bar, value_bar, bar, a_bar, b_bar = [0.0] * len(leaf), [0.0] * len(value), [0.0] * len(value), 0.0, 0.0
    bars = [bar, leaf_bar] if node_tag == 0 else [leaf_bar, bar]
    root = int(t.parts[0])
    bars[root & 1][root >> 1] = 1.0
    for k in range(len(value)):
        d, l, r, v = bar[k], at(left[k]), at(right[k]), value[k]
        a_bar, b_bar = a_bar + d * l, b_bar + d * r
        value_bar[k] = d * l * r
        bars[left[k] & 1][left[k] >> 1] += d * (a + r * v)
        bars[right[k] & 1][right[k] >> 1] += d * (b + l * v)
    return float(at(root)), (np.array(leaf_bar), np.array(value_bar), a_bar, b_bar)
