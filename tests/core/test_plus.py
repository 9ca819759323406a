"""Sums of arrays: what they mean, their sizes, their text, and their derivative forwards."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.evaluate import ArrayValue, RequirementFailed, Value, evaluate
from fsmooth.core.pretty import show
from fsmooth.core.shape import shape_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Const, Delta, Get, Lam, Length, Let, MakeTuple, Plus, Prim, Proj, Term, Var, Zero
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.core.values import plain
from fsmooth.differentiate.dual import differentiate
from fsmooth.frontend.text import TextError, parse
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.judge import run
from tests.lower.harness import compile_all

V, M, PAIRS = Array(F64), Array(Array(F64)), Array(Tuple((F64, F64)))
v, w, m, q = Var("v", V), Var("w", V), Var("m", M), Var("q", PAIRS)
n, i, x = Var("n", INT), Var("i", INT), Var("x", F64)
A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
HOT = Delta(Const(3), Const(1), Const(10.0))

VALUES: list[tuple[Term, list[object]]] = [
    (Plus((v, v)), [2.0, 4.0, 6.0]),
    (Plus((v, HOT, v)), [2.0, 14.0, 6.0]),
    (Plus((HOT, HOT)), [0.0, 20.0, 0.0]),
    (Plus((Zero((Const(3),)), v)), [1.0, 2.0, 3.0]),
    (Plus((v, Build(Length(v), i, Prim(p.negate, (Get(v, i),))))), [0.0, 0.0, 0.0]),
    (Plus((m, Delta(Const(3), Const(2), Get(m, Const(0))))), [[1.0, 2.0], [3.0, 4.0], [6.0, 8.0]]),
    (Plus((Zero((Const(0),)), Zero((Const(0),)))), []),
]


@pytest.mark.parametrize(("term", "expected"), VALUES, ids=lambda t: show(t) if isinstance(t, Term) else None)
def test_value(term: Term, expected: list[object]) -> None:
    arguments: list[object] = [np.array([1.0, 2.0, 3.0]), A]
    function = Lam((v, m), term)
    np.testing.assert_array_equal(plain(run(function, arguments), term.type), np.array(expected))
    for kernel in compile_all([NONE(function), DEFAULT(function)]):
        np.testing.assert_array_equal(kernel(*arguments), np.array(expected))


def test_elements_that_are_tuples_are_added_part_by_part() -> None:
    pairs: Value = ArrayValue((2,), ((1.0, 2.0), (3.0, 4.0)))
    assert evaluate(Plus((q, q)), {q: pairs}) == ArrayValue((2,), ((2.0, 4.0), (6.0, 8.0)))


def test_sizes_are_those_of_the_first() -> None:
    assert list(map(show, shape_of(Plus((m, Zero((n, n))))))) == ["length m", "length m 1"]
    assert list(map(show, shape_of(Plus((Zero((n, Const(2))), m))))) == ["n", "2"]


def test_lengths_of_parts_of_a_bound_tuple_are_resolved() -> None:
    t = Var("t", Tuple((V, F64)))
    body = Let(((t, MakeTuple((Plus((Zero((n,)), w)), x))),), Build(Length(Proj(t, 0)), i, Get(Proj(t, 0), i)))
    assert list(map(show, shape_of(body))) == ["n"]


def test_other_names_and_other_order() -> None:
    body = Plus((v, w))
    assert alpha_equal(Lam((v, w), body), Lam((w, v), Plus((w, v))))
    assert not alpha_equal(body, Plus((w, v)))
    assert not alpha_equal(Plus((v, v)), Plus((v, v, v)))
    assert show(substitute(body, {v: w})) == "plus w w"


def test_text() -> None:
    function = Lam((v, m), MakeTuple((Plus((v, v, HOT)), Plus((m, m)))))
    again = parse(show(function))
    arguments: list[object] = [np.array([1.0, 2.0, 3.0]), A]
    assert isinstance(again, Lam)
    for one, other in zip(
        plain(run(again, arguments), again.body.type), plain(run(function, arguments), function.body.type), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_sizes_that_differ() -> None:
    with pytest.raises(TextError, match="sizes 2 and 3 differ: arrays that are added"):
        parse("plus (zero 2) (zero 3)")
    checked = parse("fun (u: Vector) (v: Vector) -> plus u v")
    assert isinstance(checked, Lam)
    with pytest.raises(RequirementFailed):
        run(checked, [np.zeros(2), np.zeros(3)])


def test_derivative() -> None:
    """D⟦plus a b⟧ = plus D⟦a⟧ D⟦b⟧."""
    squares = Build(Length(v), i, Prim(p.multiply, (Get(v, i), Get(v, i))))
    dual = differentiate(Lam((v,), Plus((v, squares))))
    given = ArrayValue((2,), ((3.0, 1.0), (5.0, 10.0)))
    assert evaluate(dual.body, {dual.parameters[0]: given}) == ArrayValue((2,), ((12.0, 7.0), (30.0, 110.0)))
