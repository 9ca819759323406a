"""Data that a program builds: lists, whose cells are made by one definition and read by another."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from fsmooth.checking.interpreted import WAYS, pulled
from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.arithmetic.counting import Counting
from fsmooth.core.definitions import redefined
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Const,
    Deriv,
    Field,
    Get,
    Header,
    If,
    Inject,
    Lam,
    Length,
    Let,
    MakeTuple,
    Method,
    Null,
    Prim,
    Tag,
    Term,
    Var,
    Verb,
)
from fsmooth.core.types import F64, INT, Array, Data, Tuple, dual, has_float
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.loops.evaluate import evaluate as run_loops
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.lower.harness import STRICT, compile_all

V = Array(F64)
LIST = Data("List")
NIL = LIST.add(())
CONS = LIST.add((F64, Tuple((INT, F64)), V, LIST))


def prim(primitive: p.Primitive, *arguments: Term) -> Term:
    return Prim(primitive, arguments)


def over_lists() -> Lam:
    """The sum over a list of n cells, which was mapped, of what is in each: numbers, a pair, an array."""
    make, mapped, total = (
        Header("make", (F64, INT), LIST),
        Header("mapped", (LIST, F64), LIST),
        Header("total", (LIST,), F64),
    )
    x, n, i = Var("x", F64), Var("n", INT), Var("i", INT)
    cell = MakeTuple((n, prim(p.sin, x)))
    row = Build(b.plus(n, Const(1)), i, b.times(x, prim(p.to_float, i)))
    rest = Call(make, (b.times(x, Const(0.9)), b.minus(n, Const(1))))
    make.define(Lam((x, n), If(b.equals(n, Const(0)), Inject(LIST, NIL, ()), Inject(LIST, CONS, (x, cell, row, rest)))))
    xs, a, k = Var("xs", LIST), Var("a", F64), Var("k", INT)
    parts = [Field(xs, CONS, j) for j in range(4)]
    longer = Build(Length(parts[2]), k, b.times(Get(parts[2], k), a))
    new = Inject(LIST, CONS, (prim(p.cos, b.times(a, parts[0])), parts[1], longer, Call(mapped, (parts[3], a))))
    mapped.define(Lam((xs, a), If(b.equals(Tag(xs), Const(NIL)), xs, new)))
    ys = Var("ys", LIST)
    head, pair, several, tail = [Field(ys, CONS, m) for m in range(4)]
    inside = b.plus(b.sum_(Length(several), lambda q: Get(several, q)), b.times(head, b.part_of(pair, (1,))))
    own = b.plus(inside, prim(p.to_float, b.part_of(pair, (0,))))
    total.define(Lam((ys,), If(b.equals(Tag(ys), Const(NIL)), Const(0.25), b.plus(own, Call(total, (tail,))))))
    y, m, made = Var("y", F64), Var("m", INT), Var("made", LIST)
    body = Let(((made, Call(make, (y, m))),), b.plus(Call(total, (Call(mapped, (made, y)),)), Call(total, (made,))))
    return Lam((y, m), body)


def expected(y: float, m: int) -> float:
    """The same in Python."""
    result, x = 0.5, y
    for n in range(m, 0, -1):
        row = x * np.arange(n + 1)
        result += np.sum(row * y) + np.cos(y * x) * np.sin(x) + n
        result += np.sum(row) + x * np.sin(x) + n
        x *= 0.9
    return float(result)


PROGRAM = over_lists()


def slope(y: float, m: int) -> float:
    return (expected(y + 1e-6, m) - expected(y - 1e-6, m)) / 2e-6


def test_the_interpreter():
    function = evaluate(PROGRAM, {})
    assert callable(function)
    assert function(0.7, 5) == pytest.approx(expected(0.7, 5), rel=1e-14)
    counting = Counting()
    counted = evaluate(PROGRAM, {}, counting)
    assert callable(counted)
    counted(0.7, 5)
    assert counting.calls == {"make": 6, "mapped": 6, "total": 12}


def forward() -> Lam:
    y, m = PROGRAM.parameters
    t = Var("t", F64)
    along = Deriv(PROGRAM, (0,), Verb.JVP, Method.FORWARD, single=True)
    return cast(Lam, remove_derivatives(Lam((y, m, t), App(along, (y, m, t))), DEFAULT.before))


@pytest.mark.parametrize("schedule", [NONE, DEFAULT], ids=["none", "default"])
def test_c_and_loops(schedule):
    terms = [cast(Lam, redefined(schedule(t), schedule)) for t in (PROGRAM, forward())]
    value, along = compile_all(terms, STRICT)
    for m in (0, 1, 6, 5000):
        assert value(0.7, m) == pytest.approx(expected(0.7, m), rel=1e-12)
        both = along(0.7, m, 1.0)
        assert both[0] == pytest.approx(expected(0.7, m), rel=1e-12)
        assert both[1] == pytest.approx(slope(0.7, m), rel=1e-6)
    loops = lower(terms[0], "f")
    result: list[float | int | bool | None] = [None]
    name = [q.name for q in loops.kernel.parameters]
    run_loops(loops.kernel, {name[0]: 0.7, name[1]: 5, name[2]: result}, definitions=loops.definitions)
    assert result == pytest.approx([expected(0.7, 5)])


def test_ways_backwards():
    """Those of papers 003 and 004 treat data as the interpreter does."""
    for way in WAYS:
        found = pulled(PROGRAM, [0.7, 3], [0], 1.0, way)
        assert found[0] == pytest.approx(slope(0.7, 3), rel=1e-6), way


def test_reverse_mode_refuses_data():
    gradient = Deriv(PROGRAM, (0,), Verb.GRAD, Method.REVERSE, single=True)
    with pytest.raises(NoDerivative, match="no reverse derivative of data"):
        remove_derivatives(gradient, DEFAULT.before)


def test_what_tells_data_apart():
    other = Data("List")
    other.add(())
    xs = Var("xs", LIST)
    assert not alpha_equal(Null(LIST), Null(other))
    assert not alpha_equal(Field(xs, CONS, 0), Field(xs, CONS, 2))
    assert alpha_equal(Tag(xs), Tag(xs))
    assert has_float(LIST)
    assert not has_float(other)
    assert dual(other) is other
    assert dual(LIST) is dual(LIST) is not LIST
    assert cast(Data, dual(LIST)).constructors[CONS][3] is dual(LIST)
