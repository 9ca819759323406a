"""Parallel loops that go down run upwards; what depends on their order, or on the index itself, stays."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import fsmooth as fs
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, minus, plus, times
from fsmooth.loops.passes.own_elements import OwnElements
from fsmooth.loops.passes.upwards import turned

i, n, m, k, down = (t.Name(name, INT) for name in ("i", "n", "m", "k", "down"))
FROM_END = t.Declare("i", INT, minus(minus(n, integer(1)), down))
STORE = t.Store("a", times(integer(3), i), t.Literal(1.0, F64), accumulate=True)


def loop(*body: t.Statement, kind: t.Kind = t.Kind.PARALLEL, size: t.Expression = n) -> t.For:
    return t.For("down", size, body, kind)


def test_a_parallel_loop_that_goes_down_is_turned() -> None:
    before = t.Declare("c", F64, t.Load("b", integer(0), F64))
    for body, left in (((FROM_END, STORE), (STORE,)), ((before, FROM_END, STORE), (before, STORE))):
        found = turned(loop(*body))
        assert found.index == "i"
        assert found.body == left


STAYING = {
    "sequential": loop(FROM_END, STORE, kind=t.Kind.SEQUENTIAL),
    "a sum, which vectors add in their order": loop(FROM_END, STORE, kind=t.Kind.REDUCTION),
    "from another end": loop(replace(FROM_END, value=minus(n, down)), STORE),
    "over a part": loop(FROM_END, STORE, size=m),
    "in steps of two": loop(replace(FROM_END, value=minus(minus(n, integer(1)), times(integer(2), down))), STORE),
    "upwards": loop(replace(FROM_END, value=plus(n, down)), STORE),
    "the index itself is read": loop(FROM_END, replace(STORE, index=plus(i, down))),
    "the index is read before": loop(t.Declare("c", F64, t.Load("b", down, F64)), FROM_END, STORE),
    "it changes": loop(replace(FROM_END, mutable=True), STORE),
    "a store before": loop(STORE, FROM_END),
}


@pytest.mark.parametrize("name", STAYING)
def test_others_stay(name: str) -> None:
    assert turned(STAYING[name]) is STAYING[name]


def stores(*indices: t.Expression, read: t.Expression | None = None) -> t.For:
    value = t.Literal(1.0, F64) if read is None else t.Load("a", read, F64)
    return t.For("i", n, tuple([t.Store("a", index, value) for index in indices]), t.Kind.SEQUENTIAL)


def of_three(start: int) -> t.Expression:
    return plus(times(integer(3), i), integer(start))


IN_TURNS = [
    stores(of_three(0)),
    stores(of_three(0), of_three(1), of_three(5)),
    stores(minus(times(integer(3), m), of_three(0)), minus(times(integer(3), m), of_three(2))),
    stores(of_three(0), plus(of_three(1), times(integer(6), m))),
    stores(of_three(0), read=of_three(1)),
]
MEETING = [
    stores(of_three(0), of_three(3)),
    stores(of_three(0), of_three(6)),
    stores(of_three(0), plus(of_three(0), m)),
    stores(of_three(0), plus(of_three(1), m)),
    stores(of_three(0), plus(of_three(0), times(integer(3), m))),
    stores(of_three(0), times(integer(4), i)),
    stores(times(integer(0), i)),
    stores(times(k, i)),
    stores(of_three(0), read=of_three(-3)),
    stores(times(integer(3), t.Load("b", i, INT))),
]


def test_elements_by_strides() -> None:
    for each in IN_TURNS:
        assert OwnElements(each).all_with_strides()
    for each in MEETING:
        assert not OwnElements(each).all_with_strides()


def rotated(v, angle):
    total = 0.0
    for j in range(len(v)):
        x, y = v[j]
        total += angle[j] * x * x * y + angle[j] * angle[j] * y
    return total


def test_the_way_back_through_records_runs_upwards() -> None:
    rng = np.random.default_rng(0)
    v, angle = rng.normal(size=(7, 2)), rng.normal(size=7)
    gradient = fs.grad(rotated, wrt=("v", "angle"), method="reverse")
    by_v, by_angle = gradient(v, angle)
    x, y = v.T
    np.testing.assert_allclose(by_v, np.stack([2 * angle * x * y, angle * x * x + angle**2], axis=1), rtol=1e-14)
    np.testing.assert_allclose(by_angle, x * x * y + 2 * angle * y, rtol=1e-14)
    assert "- 1 - " not in gradient.c_source(v, angle)


def pairs(v):
    """Each step goes on from the one before: down is the way back."""
    a, b = 1.0, 0.5
    for j in range(len(v)):
        a, b = a * v[j, 0] + b, b * v[j, 1]
    return a + b


def test_what_goes_on_from_the_step_after_goes_down() -> None:
    v = np.random.default_rng(1).normal(size=(6, 2))
    found = fs.grad(pairs, method="reverse")(v)
    for place in np.ndindex(v.shape):
        w = v.astype(complex)
        w[place] += 1e-30j
        assert found[place] == pytest.approx(np.imag(pairs(w)) / 1e-30, rel=1e-13)
