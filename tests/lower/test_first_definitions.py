"""What an innermost loop begins with, and is the same in each iteration, is read before it."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.first_definitions import definitions_before_loops

F, N, M, K = (t.Name(name, INT) for name in ("f", "n", "m", "k"))
INDEX = t.Declare("k", INT, t.Load("i", M, INT))
ADD = t.Assign("s", t.Load("u", plus(times(K, N), F), F64), accumulate=True)


def after(*body: t.Statement, size: t.Expression = N, before: t.Body = (), simd: bool = True) -> t.Body:
    loop = t.For("f", size, body, t.Kind.REDUCTION, reduced=("s",), simd=simd)
    function = t.Function("g", (), (*before, loop))
    new = definitions_before_loops(function, Names()).body
    return new[len(before) :]


def test_where_the_loop_runs() -> None:
    other = t.Declare("x", F64, t.Load("w", K, F64))
    (there,) = after(INDEX, other, ADD)
    assert isinstance(there, t.If)
    assert isinstance(there.condition, t.Operation) and there.condition.primitive is p.less
    *definitions, loop = there.then
    assert definitions == [INDEX, other]
    assert isinstance(loop, t.For) and loop.body == (ADD,)


def test_not_what_varies_behind_what_does_not() -> None:
    varying = t.Declare("x", F64, t.Load("w", plus(K, F), F64))
    (there,) = after(varying, INDEX, ADD)
    assert isinstance(there, t.If)
    assert there.then[0] is INDEX


@pytest.mark.parametrize(
    "body",
    [
        (t.Declare("k", INT, t.Load("i", F, INT)), ADD),
        (ADD, INDEX),
        (t.Declare("k", INT, t.Load("i", M, INT), mutable=True), ADD),
        (INDEX, t.Store("i", F, F)),
        (t.Declare("k", INT, None), ADD),
        (replace(INDEX, value=t.Load("i", t.Name("a", INT), INT)), t.Assign("a", M)),
        (INDEX, t.For("e", N, (ADD,), t.Kind.SEQUENTIAL)),
    ],
    ids=["varies", "not first", "changes", "stored to", "later", "assigned", "not innermost"],
)
def test_others_stay(body: t.Body) -> None:
    (loop,) = after(*body)
    assert isinstance(loop, t.For) and loop.body == body


def test_what_a_pointer_changes_and_loops_of_known_size() -> None:
    pointer = t.Choose("q", INT, "i", integer(0), None, None, None)
    (loop,) = after(INDEX, t.Store("q", F, F), before=(pointer,))
    assert isinstance(loop, t.For)
    (loop,) = after(INDEX, ADD, size=integer(3))
    assert isinstance(loop, t.For)


def test_only_where_vectors_are_then_written() -> None:
    (loop,) = after(INDEX, ADD, simd=False)
    assert isinstance(loop, t.For)
    (loop,) = after(INDEX, replace(ADD, value=t.Operation(p.exp, (ADD.value,), F64)))
    assert isinstance(loop, t.For)


def ratings(u, v, i, j):  # type: ignore[no-untyped-def]
    total = 0.0
    for m in range(len(i)):
        score = 0.0
        for f in range(u.shape[1]):
            score += u[i[m], f] * v[j[m], f]
        total += score * score
    return total


@pytest.mark.parametrize("width", [0, 1, 7, 16, 19])
def test_rows_that_are_looked_up(width: int) -> None:
    rng = np.random.default_rng(width)
    u, v = rng.normal(size=(5, width)), rng.normal(size=(4, width))
    i, j = rng.integers(0, 5, 9), rng.integers(0, 4, 9)
    scores = (u[i] * v[j]).sum(1)
    value, gradient = fs.value_and_grad(ratings)(u, v, i, j)
    assert value == pytest.approx((scores**2).sum(), rel=1e-13)
    expected = np.zeros_like(u)
    np.add.at(expected, i, 2.0 * scores[:, None] * v[j])
    np.testing.assert_allclose(gradient, expected, rtol=1e-12, atol=1e-14)


def test_rows_of_nothing_are_not_looked_up() -> None:
    """Where no number of a row is read, its index is not, and there may be fewer of them."""
    assert fs.function(ratings)(np.zeros((5, 0)), np.zeros((4, 0)), np.array([9, 9]), np.zeros(0, dtype=int)) == 0.0
    with pytest.raises(IndexError):
        fs.function(ratings)(np.zeros((5, 1)), np.zeros((4, 1)), np.array([4, 9]), np.array([0, 0]))
    with pytest.raises(IndexError):
        fs.grad(ratings)(np.zeros((5, 1)), np.zeros((4, 1)), np.array([4, 3]), np.array([0, -7]))
