"""Dual numbers and the complex step, which are written apart, agree with each other and with closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy import special

import fsmooth as fs
from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import COMPLEX, FLOATS, Complex, Dual, DualNumber
from fsmooth.core.arithmetic.complex_step import _EXTENDED
from fsmooth.core.arithmetic.slopes import FLAT, SLOPES, tetragamma_of
from fsmooth.core.evaluate import evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Get, Length, Reduce, Reduction, Var
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Float
from fsmooth.core.values import lifted, value_of

STEP = 1e-150
REAL = [q for q in p.TABLE.values() if q.signature((F64,) * q.arity) == F64]
POINTS = {p.asin: (-0.9, 0.3), p.acos: (-0.9, 0.3)}
POSITIVE = {p.sqrt, p.log, p.log2, p.log10, p.log1p, p.lgamma, p.digamma, p.trigamma, p.power}


def points(primitive: Primitive) -> tuple[float, ...]:
    if primitive in POSITIVE:
        return (0.3, 1.7, 4.2)
    return POINTS.get(primitive, (-2.3, -0.4, 0.7, 3.1))


def by_dual(primitive: Primitive, at: tuple[float, ...], k: int) -> float:
    dual = Dual(FLOATS)
    arguments = [DualNumber(x, 1.0 if j == k else None) for j, x in enumerate(at)]
    result = dual.apply(primitive, arguments, F64)
    assert isinstance(result, DualNumber)
    assert result.value == primitive.evaluate(*at)
    return 0.0 if result.tangent is None else float(result.tangent)


def by_step(primitive: Primitive, at: tuple[float, ...], k: int) -> float:
    result = COMPLEX.apply(primitive, [complex(x, STEP * (j == k)) for j, x in enumerate(at)], F64)
    assert isinstance(result, complex)
    assert result.real == primitive.evaluate(*at)
    return result.imag / STEP


@pytest.mark.parametrize("primitive", [q for q in REAL if q is not p.trigamma], ids=repr)
def test_dual_numbers_are_the_complex_step(primitive: Primitive) -> None:
    for x in points(primitive):
        for y in (0.9, 2.6):
            at = (x, y)[: primitive.arity]
            for k in range(primitive.arity):
                assert by_dual(primitive, at, k) == pytest.approx(by_step(primitive, at, k), rel=1e-13, abs=1e-300)


def test_every_real_primitive_has_both() -> None:
    chosen = {p.select, p.minimum, p.maximum}
    real = {q for q in p.TABLE.values() if any(isinstance(q.signature((t,) * q.arity), Float) for t in (F64, F32, INT))}
    assert real - SLOPES.keys() - FLAT - chosen == {p.trigamma}
    assert not real - _EXTENDED.keys()


@pytest.mark.parametrize("x", [-2.3, -0.4, 0.3, 0.5, 1.0, 3.7, 40.0])
def test_tetragamma(x: float) -> None:
    reflected = special.polygamma(2, 1 - x) - 2 * math.pi**3 / math.tan(math.pi * x) / math.sin(math.pi * x) ** 2
    assert tetragamma_of(x) == pytest.approx(special.polygamma(2, x) if x > 0 else reflected, rel=1e-13)


@pytest.mark.parametrize("x", [0.0, -3.0, math.nan, -math.inf])
def test_tetragamma_has_poles(x: float) -> None:
    assert math.isnan(tetragamma_of(x))


@pytest.mark.parametrize(
    ("primitive", "at", "expected"),
    [
        (p.hypot, (0.0, 0.0), (0.0, 0.0)),
        (p.hypot, (3e200, 4e200), (0.6, 0.8)),
        (p.atan2, (0.0, 0.0), (0.0, 0.0)),
        (p.atan2, (1e200, 1e200), (5e-201, -5e-201)),
        (p.fmod, (6.0, 2.0), (1.0, -3.0)),
        (p.fmod, (-5.0, 0.1), (1.0, 49.0)),
        (p.power, (0.0, 2.0), (0.0, 0.0)),
        (p.power, (-2.0, 2.0), (-4.0, math.nan)),
        (p.power, (3.0, 0.0), (0.0, math.log(3.0))),
        (p.absolute, (0.0,), (0.0,)),
        (p.maximum, (1.0, 1.0), (1.0, 0.0)),
        (p.minimum, (1.0, 1.0), (1.0, 0.0)),
        (p.tanh, (800.0,), (0.0,)),
        (p.sigmoid, (-800.0,), (0.0,)),
        (p.sqrt, (0.0,), (math.inf,)),
    ],
    ids=repr,
)
def test_conventions(primitive: Primitive, at: tuple[float, ...], expected: tuple[float, ...]) -> None:
    found = [by_dual(primitive, at, k) for k in range(len(at))]
    assert found == pytest.approx(list(expected), rel=1e-15, nan_ok=True)


@pytest.mark.parametrize(
    ("primitive", "at"), [(p.absolute, (0.0,)), (p.maximum, (1.0, 1.0)), (p.minimum, (1.0, 1.0))], ids=repr
)
def test_steps_take_the_conventions(primitive: Primitive, at: tuple[float, ...]) -> None:
    assert [by_step(primitive, at, k) for k in range(len(at))] == [by_dual(primitive, at, k) for k in range(len(at))]


@pytest.mark.parametrize("at", [(289782.32, 0.074), (16691.61, 0.054), (-16691.61, 0.054), (16691.61, -0.054)])
def test_the_slope_of_a_remainder_is_an_integer(at: tuple[float, float]) -> None:
    """Though (x - r) / y is rounded up there, or down."""
    assert by_dual(p.fmod, at, 1) == -math.trunc(Fraction(at[0]) / Fraction(at[1]))
    assert by_step(p.fmod, at, 1) == pytest.approx(by_dual(p.fmod, at, 1), rel=1e-15)


def test_second_derivatives_are_dual_numbers_of_dual_numbers() -> None:
    x = Var("x", F64)
    twice = Dual(Dual(FLOATS))
    one, inner = DualNumber(1.0), DualNumber(0.8, 1.0)
    result = evaluate(b.prim(p.multiply, b.prim(p.sin, x), b.prim(p.exp, x)), {x: DualNumber(inner, one)}, twice)
    assert result.tangent.tangent == pytest.approx(2 * math.cos(0.8) * math.exp(0.8), rel=1e-15)


def test_a_constant_has_no_tangent_by_structure() -> None:
    x = Var("x", F64)
    assert evaluate(b.prim(p.log, Const(0.0)), {x: DualNumber(2.0, 1.0)}, Dual()) == DualNumber(-math.inf)


@pytest.mark.parametrize("reduction", [Reduction.SUM, Reduction.PRODUCT, Reduction.MAX, Reduction.MIN])
def test_reductions(reduction: Reduction) -> None:
    v, i = Var("v", Array(F64)), Var("i", INT)
    term = Reduce(reduction, Length(v), i, Get(v, i))
    at = [3.0, -2.0, 0.5]
    expected = {
        Reduction.SUM: [1.0, 1.0, 1.0],
        Reduction.PRODUCT: [-1.0, 1.5, -6.0],
        Reduction.MAX: [1.0, 0.0, 0.0],
        Reduction.MIN: [0.0, 1.0, 0.0],
    }
    for arithmetic, seed, slope in (
        (Dual(), lambda x: DualNumber(x.value, 1.0), lambda r: r.tangent or 0.0),
        (COMPLEX, lambda x: x + 1j * STEP, lambda r: r.imag / STEP),
    ):
        found = []
        for k in range(3):
            value = lifted(value_of(at, v.type), v.type, arithmetic)
            items = tuple([seed(x) if j == k else x for j, x in enumerate(value.items)])
            found.append(slope(evaluate(term, {v: type(value)(value.shape, items)}, arithmetic)))
        assert found == pytest.approx(expected[reduction])


def test_integers_stay_integers() -> None:
    n = Var("n", INT)
    for arithmetic in (Dual(), COMPLEX):
        assert evaluate(b.plus(n, b.times(n, n)), {n: 3}, arithmetic) == 12
        assert arithmetic.apply(p.less, (arithmetic.constant(1.0, F64), arithmetic.constant(2.0, F64)), BOOL) is True


def test_what_has_no_derivative_says_so() -> None:
    with pytest.raises(fs.NotDifferentiableError, match=r"^dual numbers have no derivative of trigamma$"):
        Dual().apply(p.trigamma, (DualNumber(2.0, 1.0),), F64)
    assert Dual().apply(p.trigamma, (DualNumber(2.0),), F64) == DualNumber(p.trigamma_of(2.0))


def test_the_complex_step_refuses_what_it_does_not_know() -> None:
    unknown = Primitive("mystery", 1, lambda types: F64, lambda x: x, 1)
    with pytest.raises(fs.NotDifferentiableError, match=r"^there is no complex step through mystery$"):
        Complex().apply(unknown, (1.0 + 0j,), F64)


@pytest.mark.parametrize(
    ("primitive", "x"), [(p.log, -1.0), (p.sqrt, -4.0), (p.log, 0.0), (p.exp, 800.0), (p.acos, 2.0)]
)
def test_outside_its_domain_the_complex_step_is_nan(primitive: Primitive, x: float) -> None:
    result = COMPLEX.apply(primitive, (complex(x, STEP),), F64)
    assert isinstance(result, complex)
    assert math.isnan(result.imag)
    assert result.real == pytest.approx(primitive.evaluate(x), nan_ok=True)
