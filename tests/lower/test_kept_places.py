"""What is kept for the way back is computed where it is kept, if nothing changes it after the copy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer
from fsmooth.loops.names import Names
from fsmooth.loops.passes.kept_places import kept_where_computed
from tests.recursion.test_calls import functions_of

N, ZERO, ONE = t.Name("n", INT), integer(0), t.Literal(1.0, F64)
TAKE, KEEP, COPY = t.Allocate("a", F64, N), t.Keep("kept", F64, N), t.Copy("kept", ZERO, "a", ZERO, N, F64)
FILL = t.For("i", N, (t.Store("a", t.Name("i", INT), ONE),), t.Kind.PARALLEL)
READ = t.Store("r", ZERO, t.Load("kept", ZERO, F64))


def passed(*body: t.Statement) -> t.Body:
    return kept_where_computed(t.Function("f", (), body), Names()).body


def test_the_copy_is_left_out() -> None:
    first, fill, read = passed(TAKE, FILL, KEEP, COPY, READ)
    assert isinstance(first, t.Keep)
    assert (first.buffer, first.count, fill) == ("a", N, FILL)
    assert isinstance(read, t.Store)
    assert isinstance(read.value, t.Load)
    assert read.value.buffer == "a"


def test_in_a_branch_and_of_two_copies_one() -> None:
    (branch,) = passed(t.If(t.Name("c", INT), (TAKE, FILL, KEEP, COPY)))
    assert isinstance(branch, t.If)
    assert not any([isinstance(s, t.Copy) for s in branch.then])
    again = t.Keep("other", F64, N), t.Copy("other", ZERO, "a", ZERO, N, F64)
    found = passed(TAKE, FILL, KEEP, COPY, *again)
    assert sum([isinstance(s, t.Copy) for s in found]) == 1
    assert sum([isinstance(s, t.Keep) for s in found]) == 2


STAYING = {
    "changed after": (TAKE, FILL, KEEP, COPY, FILL),
    "changed after, in a branch": (TAKE, FILL, KEEP, COPY, t.If(t.Name("c", INT), (FILL,))),
    "through a pointer": (TAKE, t.Choose("p", F64, "a", ZERO, None, None, None, False), FILL, KEEP, COPY),
    "a part": (TAKE, FILL, KEEP, t.Copy("kept", ZERO, "a", ZERO, integer(3), F64)),
    "from further on": (TAKE, FILL, KEEP, t.Copy("kept", ZERO, "a", integer(1), N, F64)),
    "to further on": (TAKE, FILL, KEEP, t.Copy("kept", integer(1), "a", ZERO, N, F64)),
    "of more": (t.Allocate("a", F64, integer(9)), FILL, KEEP, COPY),
    "in a room": (t.Allocate("a", F64, N, "room"), FILL, KEEP, COPY),
    "of another branch": (TAKE, FILL, t.If(t.Name("c", INT), (KEEP, COPY))),
}


@pytest.mark.parametrize("name", STAYING)
def test_others_are_copied(name: str) -> None:
    body = STAYING[name]
    found = passed(*body)
    assert len(found) == len(body)
    assert all([a is b for a, b in zip(found, body, strict=True)])


@dataclass
class Leaf:
    value: float


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node


def state(tree, w):
    match tree:
        case Leaf(value):
            return [np.tanh(value * x) for x in w]
        case Node(left, right):
            a, b = state(left, w), state(right, w)
            gate = np.array([np.tanh(w[k] * a[k] + b[k]) for k in range(len(w))])
            return [gate[k] * a[k] + gate[len(w) - 1 - k] * b[k] for k in range(len(w))]


def test_derivatives() -> None:
    tree = Node(Node(Leaf(0.3), Leaf(-0.2)), Node(Leaf(0.7), Node(Leaf(0.1), Leaf(0.4))))
    w = np.array([0.5, -0.7, 1.1])

    def total(tree, w):
        return np.sum(state(tree, w))

    gradient = fs.grad(total, wrt="w", method="reverse")
    for k in range(3):
        z = w.astype(complex)
        z[k] += 1e-30j
        assert gradient(tree, w)[k] == pytest.approx(np.imag(np.sum(np.asarray(state(tree, z)))) / 1e-30, rel=1e-13)
    leaf, node = functions_of(gradient)["state_forward"].split("} else {")
    assert leaf.count("memcpy(") == 1, "the result is the caller's, and kept"
    assert "memcpy(" not in node
    assert node.count("= (double *)fs_take_little(fs_shared->frames, ") == 3
