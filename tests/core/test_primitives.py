"""What every primitive gives at the edges of its numbers: as NumPy and SciPy do, and never an exception."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.special as special

from fsmooth.core import primitives as p
from fsmooth.core.evaluate import evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Prim, Var
from fsmooth.core.types import BOOL, F32, F64, INT, Type

INF, NAN = math.inf, math.nan
LEAST, GREATEST = -(2**63), 2**63 - 1
REALS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    2.5,
    -2.5,
    1e-310,
    1e300,
    -1e300,
    710.0,
    -746.0,
    INF,
    -INF,
    NAN,
)
INTEGERS = (0, 1, -1, 2, -2, 3, 7, -7, 10, LEAST, LEAST + 1, GREATEST, GREATEST - 1)

UNARY: dict[Primitive, Callable[[float], float]] = {
    p.negate: np.negative,
    p.absolute: np.abs,
    p.sqrt: np.sqrt,
    p.sin: np.sin,
    p.cos: np.cos,
    p.tan: np.tan,
    p.asin: np.arcsin,
    p.acos: np.arccos,
    p.atan: np.arctan,
    p.sinh: np.sinh,
    p.cosh: np.cosh,
    p.tanh: np.tanh,
    p.exp: np.exp,
    p.expm1: np.expm1,
    p.log: np.log,
    p.log1p: np.log1p,
    p.erf: special.erf,
    p.erfc: special.erfc,
    p.exp2: np.exp2,
    p.log2: np.log2,
    p.log10: np.log10,
    p.cbrt: np.cbrt,
    p.lgamma: lambda x: log_gamma(x),
    p.sigmoid: special.expit,
    p.floor: np.floor,
    p.stop_gradient: np.positive,
    p.as_offset: np.positive,
    p.ceil: np.ceil,
}
BINARY: dict[Primitive, Callable[[float, float], float]] = {
    p.add: np.add,
    p.subtract: np.subtract,
    p.multiply: np.multiply,
    p.divide: np.divide,
    p.power: np.power,
    p.atan2: np.arctan2,
    p.hypot: np.hypot,
    p.fmod: np.fmod,
    p.minimum: np.minimum,
    p.maximum: np.maximum,
    p.less: np.less,
    p.less_equal: np.less_equal,
    p.greater: np.greater,
    p.greater_equal: np.greater_equal,
    p.equal: np.equal,
    p.not_equal: np.not_equal,
}
WHOLE: dict[Primitive, Callable[[int, int], int]] = {
    p.add: np.add,
    p.subtract: np.subtract,
    p.multiply: np.multiply,
    p.minimum: np.minimum,
    p.maximum: np.maximum,
    p.less: np.less,
    p.less_equal: np.less_equal,
    p.greater: np.greater,
    p.greater_equal: np.greater_equal,
    p.equal: np.equal,
    p.not_equal: np.not_equal,
}


def log_gamma(x: float) -> float:
    """SciPy's, but where it departs from C: near 0 and at -inf."""
    if 0.0 < x < 1e-300:
        return float(-np.log(x))
    return INF if x == -INF else float(special.gammaln(x))


def same(found: float, expected: float, relative: float = 4e-15) -> bool:
    """Equal, signs of zero and NaN included, or so far apart."""
    expected = float(expected)
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    if expected == 0.0 or math.isinf(expected) or relative == 0.0:
        return found == expected and math.copysign(1.0, found) == math.copysign(1.0, expected)
    return math.isclose(found, expected, rel_tol=relative, abs_tol=5e-324 * 8)


@pytest.mark.parametrize("primitive", UNARY, ids=repr)
def test_unary_on_reals(primitive: Primitive):
    with np.errstate(all="ignore"):
        for x in REALS:
            relative = 2e-14 if primitive is p.lgamma else 4e-15
            assert same(primitive.evaluate(x), UNARY[primitive](np.float64(x)), relative), f"{primitive} of {x}"


@pytest.mark.parametrize("primitive", BINARY, ids=repr)
def test_binary_on_reals(primitive: Primitive):
    with np.errstate(all="ignore"):
        for x, y in itertools.product(REALS, repeat=2):
            if primitive in (p.minimum, p.maximum) and x == y == 0.0:
                expected = x  # the first; NumPy says nothing of signs
            elif primitive is p.power and x in (0.0, -INF) and y == 0.5:
                expected = abs(x)  # as C's pow; NumPy takes the square root
            else:
                expected = BINARY[primitive](np.float64(x), np.float64(y))
            assert same(primitive.evaluate(x, y), expected), f"{primitive} of {x}, {y}"


@pytest.mark.parametrize("primitive", WHOLE, ids=repr)
def test_binary_on_integers(primitive: Primitive):
    """Modulo 2**64, as NumPy's int64."""
    with np.errstate(all="ignore"):
        for a, b in itertools.product(INTEGERS, repeat=2):
            assert primitive.evaluate(a, b) == WHOLE[primitive](np.int64(a), np.int64(b)), f"{primitive} of {a}, {b}"


@pytest.mark.parametrize(("primitive", "function"), [(p.negate, np.negative), (p.absolute, np.abs), (p.sign, np.sign)])
def test_unary_on_integers(primitive: Primitive, function: Callable[[np.int64], int]):
    with np.errstate(all="ignore"):
        for a in INTEGERS:
            found = primitive.evaluate(a)
            assert isinstance(found, int)
            assert found == function(np.int64(a)), f"{primitive} of {a}"


def test_integer_division_rounds_down_and_is_total():
    """As Python's // and %, modulo 2**64; 0 where the divisor is 0 (elaboration writes a check)."""
    with np.errstate(all="ignore"):
        for a, b in itertools.product(INTEGERS, repeat=2):
            quotient, rest = p.floor_divide.evaluate(a, b), p.modulo.evaluate(a, b)
            if b == 0:
                assert (quotient, rest) == (0, 0)
            elif (a, b) == (LEAST, -1):
                assert (quotient, rest) == (LEAST, 0)
            else:
                assert (quotient, rest) == (a // b, a % b)
                assert quotient * b + rest == a
                assert rest == 0 or (rest < 0) == (b < 0)


def test_integer_power():
    for a in (0, 1, -1, 2, -3, 10, LEAST, GREATEST):
        for b in (0, 1, 2, 3, 5, 63, 64):
            assert p.integer_power.evaluate(a, b) == (a**b + 2**63) % 2**64 - 2**63
        assert p.integer_power.evaluate(a, -1) == 0


def test_sign_is_zero_at_zero_and_keeps_nan():
    assert [p.sign.evaluate(x) for x in (2.5, -2.5, 0.0, -0.0, INF, -INF)] == [1.0, -1.0, 0.0, 0.0, 1.0, -1.0]
    assert math.isnan(p.sign.evaluate(NAN))


@pytest.mark.parametrize("x", [-20.3, -2.5, -0.5, 1e-8, 0.25, 0.5, 1.0, 3.7, 9.9, 10.1, 1e4, 1e12])
def test_digamma_and_trigamma(x: float):
    """Four ulp, or what a reflection loses near a zero."""
    assert p.digamma.evaluate(x) == pytest.approx(float(special.digamma(x)), rel=4e-15, abs=4e-15)
    assert p.trigamma.evaluate(x) == pytest.approx(float(special.polygamma(1, x)), rel=1e-14)


@pytest.mark.parametrize(
    ("primitive", "x", "expected"),
    [
        (p.digamma, 0.0, -INF),
        (p.digamma, -0.0, INF),
        (p.digamma, -3.0, NAN),
        (p.digamma, INF, INF),
        (p.digamma, -INF, NAN),
        (p.digamma, NAN, NAN),
        (p.trigamma, 0.0, INF),
        (p.trigamma, -3.0, INF),
        (p.trigamma, INF, 0.0),
        (p.trigamma, -INF, NAN),
        (p.trigamma, NAN, NAN),
    ],
)
def test_digamma_and_trigamma_at_poles(primitive: Primitive, x: float, expected: float):
    assert same(primitive.evaluate(x), expected, relative=0.0)


def test_conversions():
    assert p.to_int.evaluate(2.9) == 2
    assert p.to_int.evaluate(-2.9) == -2
    assert p.to_int.evaluate(-(2.0**63)) == LEAST
    for out_of_range in (NAN, INF, -INF, 2.0**63, 1e300):
        assert p.to_int.evaluate(out_of_range) == LEAST
    assert p.to_int.evaluate(True) == 1
    assert p.to_float.evaluate(GREATEST) == 2.0**63
    assert p.to_float.evaluate(True) == 1.0
    for x in (*REALS, 0.1, 1e39, -1e39, 1e-46, 3.4028235e38, 3.4028236e38, 3, True):
        with np.errstate(all="ignore"):
            assert same(p.to_float32.evaluate(x), np.float32(x), relative=0.0), x


def test_select_and_logic():
    assert p.select.evaluate(True, 1.0, NAN) == 1.0
    assert p.select.evaluate(False, INF, 2) == 2
    assert [p.logical_not.evaluate(x) for x in (True, False)] == [False, True]
    assert [p.is_nan.evaluate(x) for x in (NAN, INF, 0.0)] == [True, False, False]


@pytest.mark.parametrize("primitive", p.TABLE.values(), ids=repr)
def test_every_primitive_is_total(primitive: Primitive):
    """Any arguments of the right types give a value of the type that the signature says."""
    samples: dict[Type, tuple[object, ...]] = {F64: REALS, INT: INTEGERS, BOOL: (True, False)}
    python = {F64: float, F32: float, INT: int, BOOL: bool}
    for types in itertools.product(samples, repeat=primitive.arity):
        result = primitive.signature(types)
        if result is not None:
            for given in itertools.product(*[samples[t] for t in types]):
                assert type(primitive.evaluate(*given)) is python[result], f"{primitive} of {given}"


@pytest.mark.parametrize("primitive", [q for q in p.TABLE.values() if q.signature((F32,) * q.arity) == F32], ids=repr)
def test_single_precision_is_rounded_by_the_interpreter(primitive: Primitive):
    variables = tuple(Var("x", F32) for _ in range(primitive.arity))
    term = Prim(primitive, variables)
    for given in itertools.product((float(np.float32(0.7)), float(np.float32(1.3))), repeat=primitive.arity):
        found = evaluate(term, dict(zip(variables, given, strict=True)))
        assert found == float(np.float32(primitive.evaluate(*given))) or math.isnan(found)


def test_the_table():
    assert all(p.TABLE[q.name] is q and repr(q) == q.name for q in p.TABLE.values())
    assert all(q.weight >= 1 for q in p.TABLE.values())
    weights = {1: (p.add, p.multiply), 5: (p.divide, p.sqrt), 15: (p.exp, p.log, p.sin), 40: (p.power, p.lgamma)}
    assert all(q.weight == w for w, those in weights.items() for q in those)
    assert (p.LOAD, p.STORE, p.CHECK, p.ADD) == (1, 1, 1, 1)


@pytest.mark.parametrize(("type_", "expected"), [(F64, p.to_float), (F32, p.to_float32), (INT, p.to_int)])
def test_conversion_to(type_: Type, expected: Primitive):
    assert p.conversion_to(type_) is expected
    assert Prim(expected, (Const(True),)).type == type_


def test_there_is_no_conversion_to_bool():
    with pytest.raises(TypeError, match="there is no conversion to Bool"):
        p.conversion_to(BOOL)
