"""What is active, and that loops carry and compute tangents of nothing else (differentiate/activity.py)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.build import ifold, prim
from fsmooth.core.dependence import Dependence
from fsmooth.core.evaluate import ArrayValue, evaluate
from fsmooth.core.subst import refresh
from fsmooth.core.term import Const, IFold, Lam, MakeTuple, Prim, Proj, Term, Var
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.core.values import value_of
from fsmooth.differentiate.activity import Activity, has_tangent
from fsmooth.differentiate.dual import dual_of
from fsmooth.library import parse
from tests.lower.random_folds import Generator

PAIR = Tuple((F64, F64))


def dual_in_x(text: str) -> Lam:
    """The dual of `fun (x : Float) … -> e` in its first parameter alone."""
    function = cast(Lam, refresh(parse(text)))
    x = function.parameters[0]
    encoded = Var("x_d", PAIR)
    return Lam((encoded, *function.parameters[1:]), dual_of(function.body, {x: encoded}))


def states(term: Term) -> list[str]:
    """The types of the states of its loops, outermost first."""
    return [repr(t.state.type) for t in subterms(term) if isinstance(t, IFold)]


def calls(term: Term) -> list[str]:
    return sorted(t.primitive.name for t in subterms(term) if isinstance(t, Prim) and t.primitive.weight >= 15)


SHAPES = {
    "one component": (
        "fun (x : Float) (y : Float) (n : Int) -> ifold (fun s i -> (fst s * x, cos (snd s))) (1.0, y) n",
        ["(Float, Float, Float)"],
    ),
    "none": (
        "fun (x : Float) (y : Float) (n : Int) -> x * ifold (fun s i -> sin s) y n",
        ["Float"],
    ),
    "through another component, two iterations later": (
        "fun (x : Float) (y : Float) (n : Int) -> ifold (fun s i -> (s.1, s.2, x, sin s.3)) (y, y, y, y) n",
        ["(Float, Float, Float, Float, Float, Float, Float)"],
    ),
    "by the initial value": (
        "fun (x : Float) (y : Float) (n : Int) -> ifold (fun s i -> (sin s.0, s.1 * y)) (x, y) n",
        ["(Float, Float, Float)"],
    ),
    "not through a condition": (
        "fun (x : Float) (y : Float) (n : Int) ->"
        " ifold (fun s i -> (if x < s.1 then s.0 * x else s.0, if x < 0.0 then s.1 else sin s.1)) (1.0, y) n",
        ["(Float, Float, Float)"],
    ),
    "not through an integer": (
        "fun (x : Float) (y : Float) (n : Int) ->"
        " ifold (fun s i -> (s.0 + 1, to_float (s.0 + to_int x) * y, s.2 * x)) (0, y, 1.0) n",
        ["(Int, Float, Float, Float)"],
    ),
    "through definitions, branches and tuples": (
        "fun (x : Float) (y : Float) (n : Int) -> ifold (fun s i ->"
        " let t = if s.0 < y then (s.0 * x, sin s.1) else (s.0, s.1 * y) in let a = t.0 in (a, t.1)) (1.0, y) n",
        ["(Float, Float, Float)"],
    ),
    "a branch as the body": (
        "fun (x : Float) (y : Float) (n : Int) -> ifold (fun s i ->"
        " if s.0 < y then (s.0 * x, sin s.1) else (s.0, s.1 * y)) (1.0, y) n",
        ["(Float, Float, Float)"],
    ),
    "tuples inside tuples": (
        "fun (x : Float) (y : Float) (n : Int) -> ifold (fun s i -> ((s.0.0 * x, sin s.0.1), cos s.1)) ((1.0, y), y) n",
        ["(Float, Float, Float, Float)"],
    ),
    "a loop in a loop": (
        "fun (x : Float) (y : Float) (n : Int) -> ifold (fun s i ->"
        " let t = ifold (fun r j -> (r.0 * x, sin r.1)) (s.0, s.1) n in (t.0, t.1 * y)) (1.0, y) n",
        ["(Float, Float, Float)", "(Float, Float, Float)"],
    ),
    "arrays, changed in place": (
        "fun (x : Float) (v : Array<Float>) (n : Int) -> ifold (fun s i ->"
        " (update s.0 0 (sin s.0[0]), update s.1 0 (s.1[0] * x))) (v, v) n",
        ["(Array<Float>, Array<(Float, Float)>)"],
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_only_active_components_are_dual(name: str) -> None:
    text, expected = SHAPES[name]
    assert sorted(states(dual_in_x(text))) == sorted(expected)


@pytest.mark.parametrize("name", SHAPES)
def test_value_and_tangent(name: str) -> None:
    """The value is that of the program, the tangent that of a central difference."""
    text, _ = SHAPES[name]
    function, derivative = cast(Lam, parse(text)), dual_in_x(text)
    second: object = [0.3, 0.4] if "Array" in text else 0.7

    def at(x: float) -> list[float]:
        arguments = [value_of(a, q.type) for a, q in zip([x, second, 3], function.parameters, strict=True)]
        return list(flat(evaluate(function.body, dict(zip(function.parameters, arguments, strict=True)))))

    arguments = [
        (1.25, 1.0),
        *[value_of(a, q.type) for a, q in zip([second, 3], derivative.parameters[1:], strict=True)],
    ]
    found = list(flat(evaluate(derivative.body, dict(zip(derivative.parameters, arguments, strict=True)))))  # type: ignore[arg-type]
    step = 1e-5
    slopes = [(a - b) / (2 * step) for a, b in zip(at(1.25 + step), at(1.25 - step), strict=True)]
    expected = []
    for value, slope, leaf in zip(at(1.25), slopes, at(1.25), strict=True):
        expected += [value] if isinstance(leaf, int) else [value, slope]
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


def flat(value: object) -> Iterator[float]:
    if isinstance(value, tuple):
        for part in value:
            yield from flat(part)
    elif hasattr(value, "items"):
        yield from flat(tuple(value.items))
    else:
        yield cast(float, value)


def test_no_tangent_of_what_is_not_active_is_computed() -> None:
    found = dual_in_x(SHAPES["a loop in a loop"][0])
    assert calls(found) == ["sin"]


@pytest.mark.parametrize("seed", range(120))
def test_random_folds(seed: int) -> None:
    """The derivative in one argument is the derivative in all arguments, those that are not varied with tangent zero."""
    function = cast(Lam, refresh(Generator(seed).function()))
    v, w, n = function.parameters
    pairs = Array(PAIR)
    some = Var("v_d", pairs)
    all_v, all_w = Var("v_d", pairs), Var("w_d", pairs)
    values = {"v": [0.3, -0.7, 1.1], "w": [0.2, 0.9, -0.4]}
    slopes = [0.5, -1.5, 0.25]
    dual_v = ArrayValue((3,), tuple(zip(values["v"], slopes, strict=True)))
    dual_w = ArrayValue((3,), tuple([(a, 0.0) for a in values["w"]]))
    narrow = evaluate(dual_of(function.body, {v: some}), {some: dual_v, w: value_of(values["w"], w.type), n: 2})
    wide = evaluate(dual_of(function.body, {v: all_v, w: all_w}), {all_v: dual_v, all_w: dual_w, n: 2})
    assert list(flat(narrow)) == pytest.approx(list(flat(wide)), rel=1e-12, abs=1e-12, nan_ok=True)


def nested(depth: int) -> tuple[Term, Var]:
    """Loops in loops, each with a component that is active only through the loop inside."""
    x, n = Var("x", F64), Var("n", INT)

    def loop(level: int, a: Term, b: Term) -> Term:
        def step(s: Var, _: Var) -> Term:
            inner = (
                loop(level - 1, Proj(s, 0), Proj(s, 1))
                if level
                else MakeTuple((Proj(s, 0), prim(p.multiply, Proj(s, 1), x)))
            )
            return MakeTuple((prim(p.sin, Proj(inner, 0)), Proj(inner, 1)))

        return ifold(n, MakeTuple((a, b)), step)

    return loop(depth, Const(1.0), Const(1.0)), x


def test_nested_loops_are_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walked = []
    original = Dependence._term  # noqa: SLF001
    monkeypatch.setattr(Dependence, "_term", lambda self, t: walked.append(t) or original(self, t))
    counts = []
    for depth in (5, 10, 20):
        term, x = nested(depth)
        walked.clear()
        activity = Activity(term, (x,))
        counts.append(len(walked))
        folds = [t for t in subterms(term) if isinstance(t, IFold)]
        assert [activity.of_state(f.state) for f in folds] == [(False, True)] * (depth + 1)
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


def test_a_counter_has_no_tangent() -> None:
    assert has_tangent(F64)
    assert not has_tangent(INT)
    assert not has_tangent(Array(Tuple((INT, INT))))


def test_the_tangent_alone_carries_no_value_it_does_not_need() -> None:
    """The total is needed by nobody once only its slope is asked for."""

    def power(x: float, n: int) -> float:
        total, factor = 0.0, 1.0
        for _ in range(n):
            factor = factor * 0.5
            total = total + factor * fs.sin(x)
        return total

    slope = fs.grad(power)
    assert slope(0.3, 4) == pytest.approx((0.5 + 0.25 + 0.125 + 0.0625) * math.cos(0.3), rel=1e-15)
    source = slope.c_source()
    assert "sin(" not in source
    assert "total =" not in source
