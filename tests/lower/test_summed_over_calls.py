"""Numbers that functions which call one another only add up: which are added in memory, and that what they come to is right."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.workloads import product_sum
from benchmarks.workloads.product_sum import Leaf, Node

import fsmooth as fs
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk


def tree(depth: int) -> Leaf | Node:
    return Leaf(0.3 + 0.1 * depth) if depth == 0 else Node(tree(depth - 1), Leaf(0.2 * depth), 1.0)


def mixed(t, a, b, c):
    """a and b go through all calls as they are; c is another one in each."""
    match t:
        case Leaf(value):
            return a * value + b * np.sin(c)
        case Node(left, right, _):
            return mixed(left, a, b, c * a) * mixed(right, a, b, c + b)


def one_and_other(n, a, b):
    return a if n == 0 else np.sin(other_and_one(n - 1, a, b) * a + b)


def other_and_one(n, a, b):
    return b if n == 0 else np.cos(one_and_other(n - 1, a, b) + a * b)


def twice_scaled(n, a, b):
    """What a call gives for a is not only added: it is a factor of what is differentiated again."""
    return a * b if n == 0 else twice_scaled(n - 1, a * a, b) * b


def adding(loops: t.Program) -> set[tuple[str, int]]:
    """The functions and the positions of numbers that calls add to memory."""
    functions = (loops.kernel, *loops.definitions)
    calls = [s for f in functions for s in walk(f.body) if isinstance(s, t.Invoke)]
    numbers = {f.name: [q.name for q in f.parameters if q.output] for f in loops.definitions}
    return {
        (s.function.rsplit("_", 1)[1], k)
        for s in calls
        for k, name in enumerate(numbers[s.function])
        if s.added[k] and name not in arrays_of(loops, s.function)
    }


def arrays_of(loops: t.Program, name: str) -> set[str]:
    """The results of a function that are arrays: something is stored elsewhere than at their beginning, or all of it."""
    function = next(f for f in loops.definitions if f.name == name)
    found = set()
    for s in walk(function.body):
        if isinstance(s, t.Fill) or (isinstance(s, t.Store) and not isinstance(s.index, t.Literal)):
            found.add(s.buffer)
    return found


def test_cotangents_of_what_no_call_changes_are_added_in_memory() -> None:
    given = product_sum.generate(8), 0.3, 0.4
    loops = product_sum.gradient.compiled(*given).loops
    assert {k for name, k in adding(loops) if name == "backward"} == {2, 3}
    _, parts = product_sum.in_python(*given)
    found = product_sum.gradient(*given)
    np.testing.assert_allclose(found[1:], parts[2:], rtol=1e-12)


def test_a_result_of_its_own_is_returned_by_value() -> None:
    loops = product_sum.primal.compiled(product_sum.generate(8), 0.3, 0.4).loops
    assert adding(loops) == set()
    assert all([not any(s.added) for f in loops.definitions for s in walk(f.body) if isinstance(s, t.Invoke)])


@pytest.mark.parametrize("method", ["reverse", "continuations"])
@pytest.mark.parametrize(
    ("f", "wrt", "arguments"),
    [
        (mixed, ("a", "b", "c"), (tree(5), 0.7, 0.4, 0.3)),
        (one_and_other, ("a", "b"), (9, 0.7, 0.4)),
        (one_and_other, ("a", "b"), (8, 0.7, 0.4)),
        (twice_scaled, ("a", "b"), (4, 0.9, 1.1)),
    ],
    ids=["tree", "odd", "even", "scaled"],
)
def test_gradients_agree_with_forward_mode(f, wrt, arguments, method: str) -> None:
    found = fs.grad(f, wrt=wrt, method=method)(*arguments)
    for k, name in enumerate(wrt):
        _, tangent = fs.jvp(f, wrt=name)(*arguments, tangent=1.0)
        assert found[k] == pytest.approx(tangent, rel=1e-12)


@pytest.mark.parametrize("schedule", ["NONE", "DEFAULT"])
def test_with_and_without_the_law(schedule: str) -> None:
    """A sum in another order is a law of real numbers."""
    gradient = fs.grad(mixed, wrt=("a", "b", "c"), schedule=schedule)
    loops = gradient.compiled(tree(5), 0.7, 0.4, 0.3).loops
    assert bool(adding(loops)) == (schedule == "DEFAULT")


def test_threads_and_calls_that_follow_start_from_zero() -> None:
    given = tree(5), 0.7, 0.4, 0.3
    gradient = fs.grad(mixed, wrt=("a", "b", "c"))
    first = gradient(*given)
    assert [gradient(*given) for _ in range(3)] == [first] * 3
