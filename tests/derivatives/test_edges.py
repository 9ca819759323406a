"""Derivatives where a formula overflows, or where a partial derivative does not exist: the conventions of design §2."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.evaluate import evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Prim, Var, Zero
from fsmooth.core.types import F64
from fsmooth.differentiate.derivatives import ROWS

INF, NAN = math.inf, math.nan


def partials(primitive: Primitive, *at: float) -> list[float]:
    """Every partial derivative by the row itself, the other tangents being numbers that are 0."""
    x = tuple(Var("x", F64) for _ in at)
    t = tuple(Var("t", F64) for _ in at)
    row = ROWS[primitive](x, Prim(primitive, x), t)
    values = dict(zip(x, at, strict=True))
    return [evaluate(row, values | {v: float(j == k) for j, v in enumerate(t)}) for k in range(len(at))]


def structural(primitive: Primitive, *at: float) -> list[float]:
    """Every partial derivative by the row, the other tangents being structural zeros."""
    x = tuple(Var("x", F64) for _ in at)
    t = Var("t", F64)
    result = []
    for k in range(len(at)):
        tangents = tuple(t if j == k else Zero(()) for j in range(len(at)))
        row = ROWS[primitive](x, Prim(primitive, x), tangents)
        result.append(evaluate(row, dict(zip(x, at, strict=True)) | {t: 1.0}))
    return result


def angle(v):
    return math.atan2(v[0], v[1])


def power(v):
    return v[0] ** v[1]


@pytest.mark.parametrize("scale", [1e200, 1.0, 1e-200])
def test_atan2_at_any_scale(scale):
    np.testing.assert_allclose(fs.grad(angle)(np.array([scale, scale])), [0.5 / scale, -0.5 / scale], rtol=1e-14)


def test_atan2_at_the_origin_is_zero():
    assert not fs.grad(angle)(np.zeros(2)).any()


def test_power_of_a_negative_base_keeps_the_derivative_that_exists():
    assert fs.grad(power)(np.array([-2.0, 2.0]))[0] == -4.0


def test_power_at_zero_has_no_slope_in_its_exponent():
    assert fs.grad(power)(np.array([0.0, 0.5]))[1] == 0.0


CONVENTIONS = [
    # d(x**y)/dy is 0 at x = 0, d(x**y)/dx is 0 at y = 0
    (p.power, (0.0, 2.0), [0.0, 0.0]),
    (p.power, (0.0, 1.0), [1.0, 0.0]),
    (p.power, (0.0, 0.0), [0.0, 0.0]),
    (p.power, (-0.0, 0.0), [0.0, 0.0]),
    (p.power, (1e-310, 0.0), [0.0, math.log(1e-310)]),
    (p.power, (3.0, 0.0), [0.0, math.log(3.0)]),
    (p.power, (-3.0, 2.0), [-6.0, NAN]),
    (p.power, (0.0, 0.5), [INF, 0.0]),
    (p.power, (0.0, -1.0), [-INF, 0.0]),
    # 0 at the origin
    (p.hypot, (0.0, 0.0), [0.0, 0.0]),
    (p.hypot, (-0.0, 0.0), [0.0, 0.0]),
    (p.atan2, (0.0, 0.0), [0.0, 0.0]),
    (p.atan2, (0.0, -0.0), [0.0, 0.0]),
    (p.absolute, (0.0,), [0.0]),
    (p.absolute, (-0.0,), [0.0]),
    # steps are flat
    (p.sign, (0.0,), [0.0]),
    (p.floor, (2.0,), [0.0]),
    (p.ceil, (2.0,), [0.0]),
    # x - n * y, n a number
    (p.fmod, (6.0, 2.0), [1.0, -3.0]),
    (p.fmod, (5.0, 0.1), [1.0, -49.0]),
    (p.fmod, (-5.0, 0.1), [1.0, 49.0]),
    (p.fmod, (289782.32, 0.074), [1.0, -3915977.0]),  # (x - r) / y is rounded up
    (p.fmod, (16691.61, 0.054), [1.0, -309103.0]),  # and down
    (p.fmod, (-0.0, 0.1), [1.0, 0.0]),
    (p.fmod, (1.0, INF), [1.0, 0.0]),
    # the first extremum, and the first NaN
    (p.maximum, (1.0, 1.0), [1.0, 0.0]),
    (p.minimum, (1.0, 1.0), [1.0, 0.0]),
    (p.maximum, (0.0, -0.0), [1.0, 0.0]),
    (p.maximum, (NAN, 1.0), [1.0, 0.0]),
    (p.maximum, (1.0, NAN), [0.0, 1.0]),
    (p.minimum, (NAN, NAN), [1.0, 0.0]),
    (p.minimum, (1.0, NAN), [0.0, 1.0]),
    (p.minimum, (INF, INF), [1.0, 0.0]),
    # no derivative but a limit
    (p.sqrt, (0.0,), [INF]),
    (p.log, (0.0,), [INF]),
    (p.asin, (1.0,), [INF]),
    (p.tanh, (INF,), [0.0]),
    (p.sigmoid, (-INF,), [0.0]),
    (p.erf, (INF,), [0.0]),
    (p.erfc, (INF,), [0.0]),
    (p.log2, (0.0,), [INF]),
    (p.log10, (0.0,), [INF]),
    (p.exp2, (-INF,), [0.0]),
    (p.cbrt, (0.0,), [INF]),
    (p.cbrt, (-0.0,), [INF]),
    (p.cbrt, (INF,), [0.0]),
    (p.atan, (INF,), [0.0]),
]


@pytest.mark.parametrize(("primitive", "at", "expected"), CONVENTIONS, ids=[f"{c[0]}{c[1]}" for c in CONVENTIONS])
def test_convention(primitive: Primitive, at: tuple[float, ...], expected: list[float]):
    np.testing.assert_array_equal(partials(primitive, *at), expected)


@pytest.mark.parametrize("constant", [2.0, NAN], ids=repr)
@pytest.mark.parametrize("x", [1.0, 2.0, 3.0, NAN])
@pytest.mark.parametrize("primitive", [p.minimum, p.maximum], ids=repr)
def test_extremum_with_a_constant_follows_the_same_convention(primitive: Primitive, x: float, constant: float):
    var, t, c = Var("x", F64), Var("t", F64), Const(constant)
    first = ROWS[primitive]((var, c), Prim(primitive, (var, c)), (t, Zero(())))
    second = ROWS[primitive]((c, var), Prim(primitive, (c, var)), (Zero(()), t))
    assert evaluate(first, {var: x, t: 1.0}) == partials(primitive, x, constant)[0]
    assert evaluate(second, {var: x, t: 1.0}) == partials(primitive, constant, x)[1]


def test_the_constant_exponents_zero_and_one_are_exact():
    """x**0 is 1 for every x, NaN included, so it has no tangent; x**1 has that of x."""
    x, t = Var("x", F64), Var("t", F64)
    for zero in (0.0, -0.0):
        assert isinstance(ROWS[p.power]((x, Const(zero)), x, (t, Zero(()))), Zero)
    assert ROWS[p.power]((x, Const(1.0)), x, (t, Zero(()))) is t
    slope = fs.grad(lambda x: x**0.0 * 3.0)
    for at in (0.0, 2.0, INF, NAN):
        assert slope(at) == 0.0


def elementwise(x, y):
    return [
        x**y,
        x / y,
        x * y,
        math.atan2(x, y),
        math.hypot(x, y),
        min(x, y),
        max(x, y),
        abs(x),
        math.sqrt(x),
        math.tanh(y),
    ]


PRIMITIVES = (p.power, p.divide, p.multiply, p.atan2, p.hypot, p.minimum, p.maximum, p.absolute, p.sqrt, p.tanh)


def test_c_follows_the_rows_at_the_edges():
    """After all rules, in C, every partial at a grid of edges is the one of the row."""
    derivative = fs.jacobian(elementwise, wrt=("x", "y"))
    edges = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e-300, 1e300, INF, -INF, NAN)
    for x, y in itertools.product(edges, repeat=2):
        by_x, by_y = derivative(x, y)
        for k, primitive in enumerate(PRIMITIVES):
            if primitive is p.tanh:
                expected = [0.0, *structural(primitive, y)]
            elif primitive.arity == 1:
                expected = [*structural(primitive, x), 0.0]
            else:
                expected = structural(primitive, x, y)
            what = f"{primitive} at {x}, {y}"
            np.testing.assert_allclose([by_x[k], by_y[k]], expected, rtol=1e-13, err_msg=what, equal_nan=True)


def test_reductions_follow_the_first_extremum():
    v = np.array([1.0, 3.0, 3.0, NAN, NAN])
    highest = fs.grad(lambda v: max(v[i] for i in range(len(v))))
    lowest = fs.grad(lambda v: min(v[i] for i in range(len(v))))
    np.testing.assert_array_equal(highest(v[:3]), [0, 1, 0])
    np.testing.assert_array_equal(highest(v), [0, 0, 0, 1, 0])
    np.testing.assert_array_equal(lowest(v[1:3]), [1, 0])
    np.testing.assert_array_equal(lowest(v), [0, 0, 0, 1, 0])


def test_products_are_exact_at_zeros():
    slope = fs.grad(lambda v: math.prod(v[i] for i in range(len(v))))
    np.testing.assert_array_equal(slope(np.array([2.0, 0.0, 3.0])), [0, 6, 0])
    np.testing.assert_array_equal(slope(np.array([0.0, 0.0, 3.0])), [0, 0, 0])


def test_what_does_not_depend_on_the_variable_adds_nothing_where_it_is_infinite():
    """A structural zero times infinity is zero: √ of a constant 0 has no tangent."""
    assert fs.grad(lambda x, y: x + math.sqrt(y), wrt="x")(1.0, 0.0) == 1.0
