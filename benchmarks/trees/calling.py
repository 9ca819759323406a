"""What it costs to hand trees over: packing objects, and a call with a packed tree beside its kernel."""

from __future__ import annotations

import numpy as np

import fsmooth as fs
from benchmarks.trees.row import Contender, Row, compiled
from benchmarks.workloads.product_sum import A, B, Leaf, Node, primal


def balanced(depth: int) -> Leaf | Node:
    """A tree of objects."""
    return Node(balanced(depth - 1), balanced(depth - 1), 0.25) if depth else Leaf(1.0)


def packing(depth: int) -> Row:
    """Objects become columns."""
    tree, leaves = balanced(depth), 1 << depth
    assert isinstance(fs.pack(tree), fs.Packed)
    right = [np.ones(leaves), np.full(leaves - 1, 0.25)]
    contender = Contender(lambda: lambda: fs.pack(tree, Leaf | Node), right)
    return Row(f"{2 * leaves - 1} nodes", {"pack": contender}, {"pack": 0.5}, 2 * leaves - 1)


def calling() -> Row:
    """A call through Python, and its kernel at the C entry, on a packed tree of 7 nodes."""
    tree, value = fs.pack(balanced(2), Leaf | Node), 1.0
    for _ in range(2):
        value = A * value + B * value + value * value * 0.25
    right = [np.asarray(value)]
    contenders = {
        "call": Contender(lambda: lambda: primal(tree, A, B), right),
        "kernel": compiled(primal, (tree, A, B), right),
    }
    return Row("7 nodes", contenders, {"call - kernel": 2.0})
