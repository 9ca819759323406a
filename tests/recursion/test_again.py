"""Reverse mode of reverse mode through calls: what one branch saves, and another has no rows of, keeps its size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import fsmooth as fs

START, KIDS = np.array([0, 1, 3, 3, 3]), np.array([1, 2, 3])
"""A root with one child, which has two leaves, as rows of a sparse matrix."""

Y = np.array([0.9, 0.8, 0.7, 0.6])


@dataclass
class Leaf:
    """The end of a tree."""


@dataclass
class Seq:
    """What is applied in turn."""

    items: list[Step]


Step = Leaf | Seq
TREE = Seq([Seq([Leaf(), Seq([Leaf(), Leaf()])]), Leaf()])


def squared(start, kids, s, y):
    """`y` squared at each leaf, one after the other."""
    if start[s + 1] == start[s]:
        return y * y
    for j in range(start[s], start[s + 1]):
        y = squared(start, kids, kids[j], y)
    return y


def turned(s, y):
    if isinstance(s, Leaf):
        return y * y[::-1]
    for q in s.items:
        y = turned(q, y) + 0.1 * turned(q, y * 0.5)
    return y


def mapped(s, m):
    if isinstance(s, Leaf):
        return m @ np.ones(2)
    y = np.ones(2)
    for q in s.items:
        y = m @ y + mapped(q, m)
    return y


def fourth_powers(y):
    return np.sum(squared(START, KIDS, 0, y))


def of_tree(y):
    return np.sum(turned(TREE, y))


def of_matrix(m):
    return np.sum(mapped(Seq([Seq([Leaf()]), Leaf()]), m) ** 2)


@pytest.mark.parametrize("method", ["reverse", "continuations"])
def test_the_gradient_of_a_penalty_on_a_gradient(method: str) -> None:
    inner = fs.grad(fourth_powers, method=method)
    found = fs.grad(lambda y: np.sum(inner(y) ** 2), method=method)(Y)
    np.testing.assert_allclose(found, 96.0 * Y**5)


@pytest.mark.parametrize("method", ["auto", "reverse", "tape", "continuations"])
def test_a_hessian_of_powers(method: str) -> None:
    np.testing.assert_allclose(fs.hessian(fourth_powers, method=method)(Y), np.diag(12.0 * Y**2))


@pytest.mark.parametrize(
    ("f", "at"),
    [(of_tree, np.array([1.1, 1.6])), (of_matrix, np.array([[0.9, 0.4], [0.2, 1.0]]))],
    ids=["tree", "matrix"],
)
def test_reverse_over_reverse_is_forward_over_forward(f: Callable[..., object], at: np.ndarray) -> None:
    expected = fs.hessian(f, method="forward")(at)
    np.testing.assert_allclose(fs.hessian(f, method="reverse")(at), expected)
    row = fs.grad(lambda v: np.ravel(fs.grad(f, method="reverse")(v))[0], method="reverse")(at)
    np.testing.assert_allclose(row, np.reshape(expected, (at.size, *at.shape))[0])
