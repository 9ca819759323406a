"""Verbs with respect to trees: along tangents, backwards, twice, inside programs, and beside other arguments."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fsmooth as fs
from tests.trees.objects import is_alike, reals, with_reals
from tests.trees.programs import (
    Cell,
    Leaf,
    Node,
    Rose,
    a_rose,
    a_shared_tree,
    a_tree,
    cells,
    product_sum,
    rose_sum,
    total,
)


def tangent_of(tree: object, seed: int = 0) -> object:
    """The same nodes with other numbers."""
    numbers = np.random.default_rng(seed).normal(size=len(reals(tree)))
    return with_reals(tree, iter(numbers.tolist()))


def dotted(a: object, b: object) -> float:
    return float(np.dot(reals(a), reals(b)))


TREES = pytest.mark.parametrize("tree", [a_tree(), a_shared_tree()], ids=["tree", "shared"])


@TREES
def test_along_and_back(tree: Node) -> None:
    along = tangent_of(tree)
    gradient = fs.grad(product_sum, wrt="t")(tree, 0.9, 0.4)
    value, slope = fs.jvp(product_sum, wrt="t")(tree, 0.9, 0.4, tangent=along)
    assert value == pytest.approx(product_sum(tree, 0.9, 0.4))
    assert slope == pytest.approx(dotted(gradient, along))
    assert fs.jvp(product_sum, wrt="t")(fs.pack(tree), 0.9, 0.4, tangent=fs.pack(along))[1] == pytest.approx(slope)
    _, pullback = fs.vjp(product_sum, wrt="t")(tree, 0.9, 0.4)
    back = pullback(2.0)
    assert is_alike(back, tree)
    np.testing.assert_allclose(reals(back), [2.0 * g for g in reals(gradient)], rtol=1e-12)
    assert fs.jvp(product_sum, wrt="t")(tree, 0.9, 0.4, tangent=gradient)[1] == pytest.approx(
        dotted(gradient, gradient)
    )


@TREES
def test_hessian_times_vector(tree: Node) -> None:
    along = tangent_of(tree)
    at = np.array(reals(tree))
    step = 1e-5

    def gradient(sign: float) -> np.ndarray:
        there = with_reals(tree, iter((at + sign * step * np.array(reals(along))).tolist()))
        return np.array(reals(fs.grad(product_sum, wrt="t")(there, 0.9, 0.4)))

    found = fs.hvp(product_sum, wrt="t")(tree, 0.9, 0.4, tangent=along)
    assert is_alike(found, tree)
    np.testing.assert_allclose(reals(found), (gradient(1.0) - gradient(-1.0)) / (2 * step), rtol=1e-6, atol=1e-7)


def test_several_arguments_at_once() -> None:
    trees, a = a_tree(), 0.9
    separate = [fs.grad(product_sum, wrt=k)(trees, a, 0.4) for k in range(3)]
    both = fs.grad(product_sum, wrt=("t", "a", "b"))(trees, a, 0.4)
    np.testing.assert_allclose(reals(both[0]), reals(separate[0]), rtol=1e-12)
    assert both[1:] == pytest.approx(separate[1:])


def slope_inside(t, x):
    """A gradient with respect to a tree, inside a program, and another around it."""
    g = fs.grad(total)(t)
    return total(g) * x + g.weight


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_inside_programs(method: str) -> None:
    tree = a_tree(2)
    g = fs.grad(total)(tree)
    assert fs.function(slope_inside)(tree, 1.5) == pytest.approx(total(g) * 1.5 + g.weight)
    assert fs.grad(slope_inside, wrt="x", method=method)(tree, 1.5) == pytest.approx(total(g))
    assert fs.check_derivative(slope_inside, tree, 1.5, wrt=("t", "x"))


def test_batches_beside_a_tree() -> None:
    tree, xs = a_tree(), np.linspace(0.0, 1.0, 4)
    found = fs.vmap(lambda t, x: product_sum(t, x, 0.4), in_axes=(None, 0))(tree, xs)
    np.testing.assert_allclose(found, [product_sum(tree, x, 0.4) for x in xs], rtol=1e-12)


def test_forests() -> None:
    trees = [a_tree(), a_tree(1), Leaf(0.25), a_shared_tree()]
    forest = fs.pack(trees, Leaf | Node)
    program = fs.function(lambda ts, k: total(ts[k]) * len(ts))
    for k in range(4):
        assert program(forest, k) == pytest.approx(4 * total(trees[k]))
    with pytest.raises(fs.Error, match="out of bounds"):
        program(forest, 4)
    for k, tree in enumerate(forest):
        assert fs.function(total)(tree) == pytest.approx(total(trees[k]))
        assert fs.grad(total)(tree).unpack() == fs.grad(total)(trees[k])
    assert [t.unpack() for t in forest[1:3]] == trees[1:3]
    assert fs.function(lambda ts: sum(total(t) for t in ts))(fs.pack([], Leaf | Node)) == 0.0


def test_a_shared_node_stays_one() -> None:
    tree = a_shared_tree()
    again = fs.pack(tree).unpack()
    assert again == tree
    assert again.left.left is again.left.right is again.right.right
    gradient = fs.grad(total)(tree)
    assert gradient.left.left is gradient.right.right
    assert gradient.left.left.x == pytest.approx(2 * 0.9 * 1.2 + 2 * 0.9 * 0.3 * 1.2 + 0.9 * 0.3)


def test_columns_of_callers_are_not_copied() -> None:
    kinds = Leaf | Node
    x, weight = np.array([0.5, 2.0, 3.0]), np.array([1.5, 0.5])
    left, right = (
        fs.references(kinds, Leaf, [0, 1]),
        np.array([fs.references(kinds, Node, 1), fs.references(kinds, Leaf, 2)]),
    )
    columns = {"Leaf": {"x": x}, "Node": {"left": left, "right": right, "weight": weight}}
    tree = fs.Packed.of(kinds, columns, fs.references(kinds, Node, 0))
    assert tree.unpack() == Node(Leaf(0.5), Node(Leaf(2.0), Leaf(3.0), 0.5), 1.5)
    assert fs.function(total)(tree) == pytest.approx(1.5 * (0.5 + 0.5 * 5.0))
    x[0] = 1.5
    assert fs.function(total)(tree) == pytest.approx(1.5 * (1.5 + 0.5 * 5.0))
    left[0] = 2**40  # a copy of what has been checked is what counts
    assert fs.function(total)(tree) == pytest.approx(1.5 * (1.5 + 0.5 * 5.0))
    gradient = fs.grad(total)(tree)
    np.testing.assert_allclose(gradient.columns["Leaf.x"], [1.5, 0.75, 0.75])
    np.testing.assert_allclose(gradient.columns["Node.weight"], [4.0, 7.5])


def squares(cell):
    result = 0.0
    while cell is not None:
        result += cell.head * cell.head
        cell = cell.tail
    return result


def test_a_million_cells() -> None:
    """Packed, run, differentiated and unpacked without recursion."""
    cell = None
    for k in range(10**6):
        cell = Cell(float(k % 7 - 3), cell)
    packed = fs.pack(cell)
    assert fs.function(squares)(packed) == pytest.approx(4e6, rel=1e-5)
    gradient = fs.grad(squares, method="reverse")(packed)
    assert gradient.columns["Cell.head"][:3].tolist() == [
        2.0 * cell.head,
        2.0 * cell.tail.head,
        2.0 * cell.tail.tail.head,
    ]
    assert gradient.unpack().head == 2.0 * cell.head


def test_a_deep_tree_goes_on_where_there_is_no_stack() -> None:
    rose = Rose(0.0)
    for _ in range(10**6):
        rose = Rose(0.001, [rose])
    assert fs.function(rose_sum)(fs.pack(rose)) == pytest.approx(0.001 / (1.0 - np.sin(0.001)), rel=1e-12)


def test_numbers_of_single_precision() -> None:
    tree = Node(Leaf(np.float32(0.5)), Leaf(np.float32(1.5)), np.float32(2.0))
    assert fs.function(total)(tree) == pytest.approx(4.0)
    assert reals(fs.grad(total)(tree)) == pytest.approx([2.0, 2.0, 2.0])


def test_integers_in_the_place_of_reals() -> None:
    assert fs.function(total)(Node(Leaf(1), Leaf(2), 3)) == 9.0
    assert reals(fs.grad(total)(Node(Leaf(1), Leaf(2), 3))) == [3.0, 3.0, 3.0]


def test_a_changed_object_is_packed_again() -> None:
    tree = a_tree()
    program = fs.function(total)
    first = program(tree)
    tree.weight *= 2.0
    assert program(tree) == pytest.approx(2.0 * first)
    tree.left, tree.right = tree.right, tree.left
    assert program(tree) == pytest.approx(2.0 * first)
    tree.left = Leaf(0.0)
    assert program(tree) == pytest.approx(total(tree))


def summed(cell):
    return 0.0 if cell is None else cell.head + summed(cell.tail)


CAPTURED = cells(1.0, 2.0)


def test_a_captured_tree_that_changes() -> None:
    program = fs.function(lambda x: x * summed(CAPTURED))
    assert program(2.0) == 6.0
    CAPTURED.head = 3.0
    assert program(2.0) == 10.0
    CAPTURED.tail = cells(1.0, 1.0, 1.0)
    assert program(2.0) == 12.0
    CAPTURED.head, CAPTURED.tail = 1.0, cells(2.0)


def test_every_way_backwards() -> None:
    for program, arguments in ((total, (a_tree(),)), (squares, (cells(1.0, -2.0),)), (rose_sum, (a_rose(),))):
        report = fs.check_derivative(program, *arguments)
        assert report
        assert sum([bool(route.values) for route in report.routes]) >= 12
    assert fs.check_derivative(lambda d: total(d["t"]) * math.sin(sum(d["w"])), {"t": a_tree(), "w": [1.0, 2.0]})
