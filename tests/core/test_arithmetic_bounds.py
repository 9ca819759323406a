"""Bounds hold against exact arithmetic, are no larger than they need to be, and know how near another branch is."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import Bounded, Bounds, Dual, DualNumber
from fsmooth.core.evaluate import evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Get, If, Length, Prim, Reduce, Reduction, Term, Var, Zero
from fsmooth.core.types import F32, F64, INT, Array
from fsmooth.core.values import lifted, value_of
from tests.strategies import fixed

UNIT = 2.0**-53
V = Array(F64)
x, y, v, i = Var("x", F64), Var("y", F64), Var("v", V), Var("i", INT)


def bounded(term: Term, bounds: Bounds | None = None, **arguments: object) -> Bounded:
    bounds = bounds or Bounds()
    variables = {"x": x, "y": y, "v": v}
    values = {
        variables[k]: lifted(value_of(a, variables[k].type), variables[k].type, bounds) for k, a in arguments.items()
    }
    result = evaluate(term, values, bounds)
    assert isinstance(result, Bounded)
    return result


def margin(term: Term, **arguments: object) -> float:
    bounds = Bounds()
    bounded(If(term, Const(1.0), Const(0.0)) if term.type != F64 else term, bounds, **arguments)
    return bounds.margin


def exact(term: Term) -> Fraction:
    match term:
        case Const(value):
            return Fraction(value)
        case Prim(primitive, (left, right)):
            a, c = exact(left), exact(right)
            return (
                {p.add: a + c, p.subtract: a - c, p.multiply: a * c}[primitive] if primitive is not p.divide else a / c
            )
        case Prim(_, (inner,)):
            return -exact(inner)
    raise AssertionError(term)


RATIONAL = st.recursive(
    st.builds(Const, st.floats(-100, 100).filter(lambda value: abs(value) > 1e-3)),
    lambda inner: st.one_of(
        st.builds(
            lambda f, a, c: Prim(f, (a, c)), st.sampled_from([p.add, p.subtract, p.multiply, p.divide]), inner, inner
        ),
        st.builds(lambda a: Prim(p.negate, (a,)), inner),
    ),
    max_leaves=20,
)


@fixed
@given(RATIONAL)
def test_no_rounding_error_is_beyond_its_bound(term: Term) -> None:
    found = bounded(term)
    assume(math.isfinite(found.bound) and found.bound < 1e12)
    assert abs(Fraction(found.value) - exact(term)) <= Fraction(1.01 * UNIT * found.bound)


@pytest.mark.parametrize("seed", range(20))
def test_every_order_of_a_sum_is_within_its_bound(seed: int) -> None:
    numbers = np.random.default_rng(seed).normal(size=200) * 10.0 ** np.random.default_rng(seed).integers(0, 12, 200)
    found = bounded(b.sum_(Length(v), lambda k: Get(v, k)), v=numbers)
    assert abs(math.fsum(numbers) - found.value) <= UNIT * found.bound
    assert abs(sum(sorted(numbers.tolist())) - found.value) <= 2 * UNIT * found.bound
    assert found.bound <= 201 * np.abs(numbers).sum()


@pytest.mark.parametrize(
    ("term", "bound"),
    [
        (Const(-3.0), 3.0),
        (b.plus(x, y), 5.0 + 3.0 + 8.0),
        (b.minus(x, y), 5.0 + 3.0 + 2.0),
        (b.times(x, y), 15.0 + 15.0 + 15.0),
        (b.prim(p.divide, x, y), 5 / 3 + 5 / 3 + 5 / 3),
        (b.prim(p.negate, x), 5.0 + 5.0),
        (b.prim(p.sqrt, x), 0.5 * math.sqrt(5) + math.sqrt(5)),
        (b.prim(p.exp, y), 3 * math.exp(3) + math.exp(3)),
        (b.prim(p.sin, x), abs(5 * math.cos(5)) + abs(math.sin(5))),
        (b.prim(p.maximum, x, y), 5.0),
        (b.prim(p.select, Const(False), x, y), 3.0),
        (b.prim(p.floor, x), 5.0),
        (b.prim(p.to_float, Const(7)), 7.0),
        (b.prim(p.to_float32, x), 5.0 + 5.0 * 2**29),
        (Reduce(Reduction.PRODUCT, Const(2), i, If(b.equals(i, Const(0)), x, y)), 5 * 3 + 3 * 15 + 15),
        (Zero(()), 0.0),
        (b.times(x, Zero(())), 0.0),
    ],
    ids=repr,
)
def test_bounds(term: Term, bound: float) -> None:
    assert bounded(term, x=5.0, y=3.0).bound == pytest.approx(bound, rel=1e-15)


def test_trigamma_has_a_bound_although_it_has_no_dual() -> None:
    assert bounded(b.prim(p.trigamma, x), x=1.0).bound == pytest.approx(2.404113806319188 + math.pi**2 / 6, rel=1e-12)


def test_cancellation_is_seen() -> None:
    found = bounded(b.minus(b.plus(x, y), x), x=1e16, y=1.0)
    assert abs(found.value - 1.0) <= UNIT * found.bound
    assert found.bound > 1e16


def test_the_root_of_nothing_is_in_doubt_only_if_it_was_computed() -> None:
    assert bounded(b.prim(p.sqrt, Zero(()))).bound == 0.0
    assert bounded(b.prim(p.sqrt, b.minus(x, x)), x=1.0).bound == math.inf


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (b.prim(p.less, x, y), 0.25 / 2.25),
        (b.prim(p.greater_equal, x, Const(1.0)), 0.0),
        (b.prim(p.equal, x, y), 0.25 / 2.25),
        (b.prim(p.maximum, x, y), 0.25 / 2.25),
        (b.prim(p.absolute, x), 1.0),
        (b.prim(p.sign, y), 1.0),
        (b.prim(p.floor, y), 0.25 / 1.25),
        (b.prim(p.ceil, x), 0.0),
        (b.prim(p.less, Zero(()), Zero(())), math.inf),
        (b.prim(p.less, Const(1), Const(1)), math.inf),
        (b.plus(x, y), math.inf),
        (b.prim(p.fmod, x, y), 0.25 / 2.25),
        (b.prim(p.fmod, Const(-1.0), y), 0.25 / 2.25),
        (b.prim(p.fmod, Const(0.25), y), math.inf),
        (b.prim(p.fmod, x, Const(0.0)), math.inf),
    ],
    ids=repr,
)
def test_margins(term: Term, expected: float) -> None:
    assert margin(term, x=1.0, y=1.25) == pytest.approx(expected)


@pytest.mark.parametrize("reduction", [Reduction.MAX, Reduction.MIN])
def test_an_extremum_is_as_sure_as_its_runner_up(reduction: Reduction) -> None:
    term = Reduce(reduction, Length(v), i, Get(v, i))
    sign = 1.0 if reduction is Reduction.MAX else -1.0
    assert margin(term, v=[sign * 0.1, sign * 0.4, sign * 0.3]) == pytest.approx(0.1)


def test_comparisons_of_everything_are_watched_once_the_object_is_kept() -> None:
    bounds = Bounds()
    for near in (0.5, 0.25, 0.75):
        bounded(b.prim(p.maximum, x, y), bounds, x=0.0, y=near)
    assert bounds.margin == 0.25


@pytest.mark.parametrize("primitive", [p.sin, p.exp, p.sqrt, p.lgamma, p.erf], ids=repr)
def test_dual_numbers_over_bounds(primitive: Primitive) -> None:
    """A derivative has a bound by the same rules."""
    result = Dual(Bounds()).apply(primitive, (DualNumber(Bounded(0.7, 0.7), Bounded(1.0, 1.0)),), F64)
    assert isinstance(result, DualNumber)
    assert isinstance(result.tangent, Bounded)
    assert abs(result.tangent.value) <= result.tangent.bound < 20 * abs(result.tangent.value)


def test_singles_round_more() -> None:
    s = Const(0.1, F32)
    found = evaluate(b.prim(p.add, s, s), {}, Bounds())
    assert isinstance(found, Bounded)
    assert abs(found.value - 0.2) <= UNIT * found.bound < 1e-6
