"""Every row of the table of derivatives against numbers: first and second derivatives, both widths, and completeness.

The references are NumPy's and SciPy's functions at complex arguments (the complex step), extrapolated differences of
those for second derivatives, and differences where there is nothing analytic.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.special as special

import fsmooth as fs
from fsmooth.backend.c.spelling import spelling
from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.evaluate import evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Lam, MakeTuple, Prim, Var, Zero
from fsmooth.core.types import BOOL, F32, F64, INT, Float, Type
from fsmooth.differentiate.derivatives import ROWS, NoDerivative
from fsmooth.differentiate.dual import differentiate

ANYWHERE = (-2.3, -0.7, 0.4, 1.9)
INSIDE = (-0.9, -0.3, 0.2, 0.8)
POSITIVE = (0.05, 0.6, 1.7, 4.5)
NOT_INTEGER = (-2.3, -0.7, 0.4, 3.6)
PAIRS = ((1.3, 0.4), (-0.8, 0.3), (0.6, -1.9), (-1.1, -2.5))

UNARY: dict[Primitive, tuple[Callable[..., complex], tuple[float, ...]]] = {
    p.negate: (np.negative, ANYWHERE),
    p.sqrt: (np.sqrt, POSITIVE),
    p.sin: (np.sin, ANYWHERE),
    p.cos: (np.cos, ANYWHERE),
    p.tan: (np.tan, ANYWHERE),
    p.asin: (np.arcsin, INSIDE),
    p.acos: (np.arccos, INSIDE),
    p.atan: (np.arctan, ANYWHERE),
    p.sinh: (np.sinh, ANYWHERE),
    p.cosh: (np.cosh, ANYWHERE),
    p.tanh: (np.tanh, ANYWHERE),
    p.exp: (np.exp, ANYWHERE),
    p.expm1: (np.expm1, ANYWHERE),
    p.log: (np.log, POSITIVE),
    p.log1p: (np.log1p, (-0.8, -0.2, 0.5, 3.0)),
    p.exp2: (np.exp2, ANYWHERE),
    p.log2: (lambda z: np.log(z) / math.log(2.0), POSITIVE),
    p.log10: (lambda z: np.log(z) / math.log(10.0), POSITIVE),
    p.cbrt: (lambda z: np.exp(np.log(z) / 3) if np.real(z) > 0 else -np.exp(np.log(-z) / 3), ANYWHERE),
    p.erf: (special.erf, ANYWHERE),
    p.erfc: (special.erfc, ANYWHERE),
    p.lgamma: (lambda z: special.loggamma(z) if np.real(z) > 0 else np.log(np.pi / _sin_pi(z)) - special.loggamma(1 - z), NOT_INTEGER),
    p.digamma: (special.digamma, NOT_INTEGER),
    p.sigmoid: (lambda z: 1 / (1 + np.exp(-z)), ANYWHERE),
    p.absolute: (lambda z: z if np.real(z) > 0 else -z, ANYWHERE),
    p.sign: (lambda z: np.sign(np.real(z)) + 0j, ANYWHERE),
    p.stop_gradient: (lambda z: np.real(z) + 0j, ANYWHERE),
    p.as_offset: (lambda z: np.real(z) + 0j, ANYWHERE),
    p.floor: (lambda z: np.floor(np.real(z)) + 0j, ANYWHERE),
    p.ceil: (lambda z: np.ceil(np.real(z)) + 0j, ANYWHERE),
    p.to_float: (lambda z: z, ANYWHERE),
}  # fmt: skip

BINARY: dict[Primitive, tuple[Callable[..., complex], tuple[tuple[float, float], ...]]] = {
    p.add: (np.add, PAIRS),
    p.subtract: (np.subtract, PAIRS),
    p.multiply: (np.multiply, PAIRS),
    p.divide: (np.divide, PAIRS),
    p.power: (lambda a, b: np.exp(b * np.log(a)), ((0.3, 2.2), (1.4, -0.6), (2.5, 0.0), (1.0, 3.0))),
    p.fmod: (lambda a, b: a - np.trunc(np.real(a) / np.real(b)) * b, PAIRS),
    p.atan2: (lambda y, x: 2 * np.arctan(y / (np.sqrt(x * x + y * y) + x)), PAIRS),
    p.hypot: (lambda a, b: np.sqrt(a * a + b * b), PAIRS),
    p.minimum: (lambda a, b: b if np.real(b) < np.real(a) else a, PAIRS),
    p.maximum: (lambda a, b: b if np.real(b) > np.real(a) else a, PAIRS),
}

WITHOUT_REAL_RESULT = {
    *(p.floor_divide, p.modulo, p.integer_power, p.to_int, p.logical_not, p.is_nan),
    *(p.less, p.less_equal, p.greater, p.greater_equal, p.equal, p.not_equal),
}
"""Primitives whose results are integers or truth values: they have no tangent (design §2)."""

OTHERWISE = {p.select, p.to_float32, p.trigamma}
"""Tested below one by one."""


def _sin_pi(z: complex) -> complex:
    """Sin(πz) with the sign that makes log |Γ| of a negative number real."""
    s = np.sin(np.pi * z)
    return s if np.real(s) > 0 else -s


def cases() -> list[tuple[Primitive, Callable[..., complex], tuple[float, ...]]]:
    unary = [(q, f, (x,)) for q, (f, xs) in UNARY.items() for x in xs]
    return unary + [(q, f, xy) for q, (f, pairs) in BINARY.items() for xy in pairs]


def complex_step(f: Callable[..., complex], at: tuple[float, ...], k: int) -> float:
    moved = [complex(x, 1e-30 if j == k else 0.0) for j, x in enumerate(at)]
    return float(np.imag(f(*moved))) / 1e-30


def second_difference(f: Callable[..., complex], at: tuple[float, ...], k: int, j: int) -> float:
    """∂²f/∂k∂j: central differences of the complex step, extrapolated twice (Richardson)."""

    def central(h: float) -> float:
        up, down = list(at), list(at)
        up[j], down[j] = at[j] + h, at[j] - h
        return (complex_step(f, tuple(up), k) - complex_step(f, tuple(down), k)) / (2 * h)

    h = 4e-3
    a, b, c = central(h), central(h / 2), central(h / 4)
    ab, bc = (4 * b - a) / 3, (4 * c - b) / 3
    return (16 * bc - ab) / 15


def partial(primitive: Primitive, at: tuple[float, ...], k: int, type_: Type, structural: bool) -> float:
    """The row itself: ∂/∂k, the other tangents being `zero`, or numbers that are 0."""
    x = tuple(Var("x", type_) for _ in at)
    t = tuple(Zero((), type_) if structural and j != k else Var("t", type_) for j in range(len(at)))
    row = ROWS[primitive](x, Prim(primitive, x), t)
    given = dict(zip(x, at, strict=True)) | {v: float(j == k) for j, v in enumerate(t) if isinstance(v, Var)}
    value = evaluate(row, given)
    assert isinstance(value, float)
    assert row.type == type_
    return value


def applied(primitive: Primitive) -> Lam:
    """The primitive as a function."""
    x = tuple(Var("x", F64) for _ in range(primitive.arity))
    return Lam(x, Prim(primitive, x))


def second(function: Lam, at: tuple[float, ...], k: int, j: int) -> float:
    """∂²/∂k∂j by D⟦D⟦·⟧⟧."""
    twice = differentiate(differentiate(function))
    given = [((v, float(i == k)), (float(i == j), 0.0)) for i, v in enumerate(at)]
    (_, _), (_, result) = evaluate(twice.body, dict(zip(twice.parameters, given, strict=True)))
    return result


def name(case: tuple[Primitive, object, tuple[float, ...]]) -> str:
    return f"{case[0].name}{case[2]}"


# -- completeness ------------------------------------------------------------------------------------------------------


def test_every_primitive_is_tested_here():
    assert set(p.TABLE.values()) == set(UNARY) | set(BINARY) | WITHOUT_REAL_RESULT | OTHERWISE


@pytest.mark.parametrize("primitive", p.TABLE.values(), ids=repr)
def test_every_primitive_has_a_row_a_spelling_and_an_evaluator(primitive: Primitive):
    scalars: tuple[Type, ...] = (F64, F32, INT, BOOL)
    uses = [ts for ts in itertools.product(scalars, repeat=primitive.arity) if primitive.signature(ts) is not None]
    assert uses
    for types in uses:
        assert spelling(primitive, types[0]) is not None, f"{primitive} of {types} has no spelling"
        result = primitive.signature(types)
        given = [{F64: 0.5, F32: 0.5, INT: 1, BOOL: True}[t] for t in types]
        expected = float if isinstance(result, Float) else int if result == INT else bool
        assert type(primitive.evaluate(*given)) is expected, f"{primitive} of {types}"
    real = any(isinstance(primitive.signature(types), Float) for types in uses)
    assert real == (primitive in ROWS)
    assert real == (primitive not in WITHOUT_REAL_RESULT)


# -- first derivatives -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases(), ids=name)
def test_first_derivative(case: tuple[Primitive, Callable[..., complex], tuple[float, ...]]):
    primitive, f, at = case
    assert primitive.evaluate(*at) == pytest.approx(np.real(f(*map(complex, at))), rel=1e-13, abs=1e-14)
    for k in range(len(at)):
        expected = complex_step(f, at, k)
        for structural in (True, False):
            found = partial(primitive, at, k, F64, structural)
            assert found == pytest.approx(expected, rel=2e-13, abs=1e-14), f"∂/∂{k} of {primitive} at {at}"


@pytest.mark.parametrize("case", [c for c in cases() if c[0] is not p.to_float], ids=name)
def test_first_derivative_in_single_precision(case: tuple[Primitive, Callable[..., complex], tuple[float, ...]]):
    primitive, f, at = case
    at = tuple(float(np.float32(x)) for x in at)
    for k in range(len(at)):
        found = partial(primitive, at, k, F32, True)
        assert found == float(np.float32(found))
        assert found == pytest.approx(complex_step(f, at, k), rel=3e-6, abs=1e-6)


def test_select_takes_the_tangent_of_what_it_selects():
    c, x, y, tx, ty = Var("c", BOOL), *[Var("x", F64) for _ in range(4)]
    row = ROWS[p.select]((c, x, y), Prim(p.select, (c, x, y)), (MakeTuple(()), tx, ty))
    given = {x: 1.0, y: 2.0, tx: 3.0, ty: 4.0}
    assert evaluate(row, given | {c: True}) == 3.0
    assert evaluate(row, given | {c: False}) == 4.0
    constant = ROWS[p.select]((c, x, y), Prim(p.select, (c, x, y)), (MakeTuple(()), Zero(()), Zero(())))
    assert isinstance(constant, Zero)


@pytest.mark.parametrize(("primitive", "type_"), [(p.to_float, F64), (p.to_float32, F32)])
def test_conversions_convert_the_tangent(primitive: Primitive, type_: Type):
    for source in (F64, F32):
        x, t = Var("x", source), Var("t", source)
        row = ROWS[primitive]((x,), Prim(primitive, (x,)), (t,))
        assert row.type == type_
        given = float(np.float32(0.1)) if source == F32 else 0.1
        assert evaluate(row, {x: 1.0, t: given}) == (float(np.float32(0.1)) if type_ == F32 else given)
    for source in (INT, BOOL):
        x = Var("x", source)
        row = ROWS[primitive]((x,), Prim(primitive, (x,)), (MakeTuple(()),))
        assert isinstance(row, Zero)
        assert row.type == type_


def test_what_is_constant_has_a_structural_zero_tangent():
    for primitive, row in ROWS.items():
        if primitive in OTHERWISE:
            continue
        x = tuple(Var("x", F64) for _ in range(primitive.arity))
        assert isinstance(row(x, Prim(primitive, x), (Zero(()),) * primitive.arity), Zero), primitive


# -- second derivatives ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [c for c in cases() if c[0] is not p.digamma], ids=name)
def test_second_derivative(case: tuple[Primitive, Callable[..., complex], tuple[float, ...]]):
    primitive, f, at = case
    for k, j in itertools.product(range(len(at)), repeat=2):
        expected = second_difference(f, at, k, j)
        found = second(applied(primitive), at, k, j)
        assert found == pytest.approx(expected, rel=2e-8, abs=2e-9), f"∂²/∂{k}∂{j} of {primitive} at {at}"


@pytest.mark.parametrize("case", [c for c in cases() if c[0] in BINARY], ids=name)
def test_second_derivative_where_tangents_are_zero(case: tuple[Primitive, Callable[..., complex], tuple[float, ...]]):
    """Of f(a + u v, b + u w) at v = w = 0: the tangents along u are 0 there, but their derivatives are not."""
    primitive, f, (a, c) = case
    u, v, w = (Var(letter, F64) for letter in "uvw")
    arguments = (b.plus(Const(a), b.times(u, v)), b.plus(Const(c), b.times(u, w)))
    function, at = Lam((u, v, w), Prim(primitive, arguments)), (1.5, 0.0, 0.0)
    for k, j in itertools.product(range(3), repeat=2):
        expected = second_difference(lambda u, v, w: f(a + u * v, c + u * w), at, k, j)
        found = second(function, at, k, j)
        assert found == pytest.approx(expected, rel=2e-8, abs=2e-9), f"∂²/∂{k}∂{j} of {primitive} at {a}, {c}"


def test_the_second_derivative_of_lgamma_is_trigamma():
    for x in (-2.3, 0.4, 3.6, 250.0):
        assert second(applied(p.lgamma), (x,), 0, 0) == pytest.approx(float(special.polygamma(1, x)), rel=1e-12)


def test_there_is_no_second_derivative_of_digamma():
    x = Var("x", F64)
    with pytest.raises(NoDerivative, match=r"trigamma \(the second derivative of digamma\) has no derivative here"):
        differentiate(differentiate(Lam((x,), Prim(p.digamma, (x,)))))


def test_second_derivatives_are_symmetric_where_a_tangent_is_zero():
    """∂²/∂v∂u of (u v + 1)**(w u) at v = 0: the tangent of the base is v, so 0, but it has a derivative."""

    def f(v):
        return (v[0] * v[1] + 1) ** (v[2] * v[0])

    np.testing.assert_allclose(fs.hessian(f)(np.array([1.0, 0.0, 2.0])), [[0, 4, 0], [4, 2, 1], [0, 1, 0]], atol=1e-14)


# -- the same rows in C ------------------------------------------------------------------------------------------------


def everything(x, y):
    return [
        fs.sqrt(x), fs.sin(x), fs.cos(x), fs.tan(x), fs.asin(x), fs.acos(x), fs.atan(x), fs.sinh(x), fs.cosh(x),
        fs.tanh(x), fs.exp(x), fs.expm1(x), fs.log(x), fs.log1p(x), fs.erf(x), fs.lgamma(x), fs.digamma(x),
        fs.exp2(x), fs.log2(x), fs.log10(x), fs.cbrt(x), fs.erfc(x), fs.sigmoid(x), abs(x), -x, x + y, x - y, x * y, x / y, x**y, fs.atan2(x, y), fs.hypot(x, y),
        math.fmod(x, y), min(x, y), max(x, y),
    ]  # fmt: skip


IN_C = [
    *(p.sqrt, p.sin, p.cos, p.tan, p.asin, p.acos, p.atan, p.sinh, p.cosh),
    *(p.tanh, p.exp, p.expm1, p.log, p.log1p, p.erf, p.lgamma, p.digamma),
    *(p.exp2, p.log2, p.log10, p.cbrt, p.erfc),
    *(p.sigmoid, p.absolute, p.negate, p.add, p.subtract, p.multiply, p.divide, p.power, p.atan2, p.hypot),
    *(p.fmod, p.minimum, p.maximum),
]


@pytest.mark.parametrize("width", [np.float64, np.float32], ids=["double", "single"])
def test_rows_in_c(width: type):
    at = (float(width(0.4)), float(width(1.3)))
    by_x, by_y = fs.jacobian(everything, wrt=("x", "y"))(width(at[0]), width(at[1]))
    assert by_x.dtype == width
    rel, tolerance = (1e-13, 1e-14) if width is np.float64 else (2e-6, 1e-6)
    for k, primitive in enumerate(IN_C):
        if primitive.arity == 1:
            f, point = UNARY[primitive][0], at[:1]
        else:
            f, point = BINARY[primitive][0], at
            assert by_y[k] == pytest.approx(complex_step(f, point, 1), rel=rel, abs=tolerance), primitive
        assert by_x[k] == pytest.approx(complex_step(f, point, 0), rel=rel, abs=tolerance), primitive


def test_constant_exponents_emit_no_logarithm():
    x, t = Var("x", F64), Var("t", F64)
    for exponent in (0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -2.5):
        c = Const(exponent)
        row = ROWS[p.power]((x, c), Prim(p.power, (x, c)), (t, Zero(())))
        assert "log" not in repr(row)
        assert evaluate(row, {x: 1.7, t: 1.0}) == pytest.approx(exponent * 1.7 ** (exponent - 1), rel=1e-15)
