"""The table of primitive operations: name, typing rule, evaluation on Python numbers, weight.

Derivatives are one row each in `differentiate/derivatives.py`, C spellings one row each in
`backend/c/spelling.py`.  Weights are the design's: add, multiply 1; divide, sqrt 5; exp, log, sin 15; pow, lgamma 40.

>>> sqrt.signature((F64,))
Float
>>> divide.evaluate(1.0, 0.0)
inf
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fsmooth.core.types import BOOL, F32, F64, INT, Bool, Float, Int, Type

Signature = Callable[[tuple[Type, ...]], Type | None]


@dataclass(frozen=True, eq=False)
class Primitive:
    """One scalar operation.  It is total: every argument of the right type gives a value (IEEE 754)."""

    name: str
    arity: int
    signature: Signature
    evaluate: Callable[..., float | int | bool]
    weight: int
    symbol: str | None = None
    constraint: str = ""

    def __repr__(self) -> str:
        return self.name


TABLE: dict[str, Primitive] = {}


def _define(
    name: str,
    arity: int,
    signature: Signature,
    evaluate: Callable[..., float | int | bool],
    weight: int,
    symbol: str | None = None,
) -> Primitive:
    TABLE[name] = Primitive(name, arity, signature, evaluate, weight, symbol, (signature.__doc__ or "").strip())
    return TABLE[name]


# -- typing rules ------------------------------------------------------------------------------------------------


def _floats(types: tuple[Type, ...]) -> Type | None:
    """real numbers of one width"""
    return types[0] if isinstance(types[0], Float) and all(t == types[0] for t in types) else None


def _numbers(types: tuple[Type, ...]) -> Type | None:
    """numbers of one type"""
    return types[0] if isinstance(types[0], Float | Int) and all(t == types[0] for t in types) else None


def _integers(types: tuple[Type, ...]) -> Type | None:
    """integers"""
    return INT if all(isinstance(t, Int) for t in types) else None


def _comparison(types: tuple[Type, ...]) -> Type | None:
    """two numbers of one type"""
    return BOOL if _numbers(types) is not None else None


def _equality(types: tuple[Type, ...]) -> Type | None:
    """two scalars of one type"""
    same = types[0] == types[1] and isinstance(types[0], Float | Int | Bool)
    return BOOL if same else None


def _logic(types: tuple[Type, ...]) -> Type | None:
    """truth values"""
    return BOOL if all(isinstance(t, Bool) for t in types) else None


def _selection(types: tuple[Type, ...]) -> Type | None:
    """a truth value and two scalars of one type"""
    return types[1] if isinstance(types[0], Bool) and _equality(types[1:]) is not None else None


def _to(result: Type, *sources: type) -> Signature:
    def conversion(types: tuple[Type, ...]) -> Type | None:
        """a number"""
        return result if isinstance(types[0], sources) else None

    return conversion


def _float_test(types: tuple[Type, ...]) -> Type | None:
    """a real number"""
    return BOOL if isinstance(types[0], Float) else None


# -- evaluation on Python numbers: IEEE 754, never an exception -----------------------------------------------------

_INF, _NAN = math.inf, math.nan


def _total(function: Callable[..., float], overflow: Callable[..., float] | None = None) -> Callable[..., float]:
    """`function` with NaN for a domain error, and `overflow` (default +inf) for a range error."""

    def evaluate(*xs: float) -> float:
        if any(math.isnan(x) for x in xs):
            return _NAN
        try:
            return function(*xs)
        except ValueError:
            return _NAN
        except OverflowError:
            return overflow(*xs) if overflow is not None else _INF

    return evaluate


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return _NAN
    return math.copysign(_INF, a) * math.copysign(1.0, b)


def _power(a: float, b: float) -> float:
    try:
        result = math.pow(a, b)
    except OverflowError:
        odd = float(b).is_integer() and int(b) % 2 == 1
        return -_INF if a < 0.0 and odd else _INF
    except ValueError:
        if a == 0.0:
            odd = float(b).is_integer() and int(b) % 2 == 1
            return math.copysign(_INF, a) if odd else _INF
        return _NAN
    return result


def _log(x: float) -> float:
    return -_INF if x == 0.0 else math.log(x)


def _log1p(x: float) -> float:
    return -_INF if x == -1.0 else math.log1p(x)


def _wrap(x: int) -> int:
    """Two's complement of 64 bits."""
    return (x + 2**63) % 2**64 - 2**63


def _integer_power(a: int, b: int) -> int:
    if b < 0:
        return 0
    return _wrap(pow(a, b, 2**64))


def _minimum(a: float, b: float) -> float:
    if a != a or b != b:
        return _NAN
    return b if b < a else a


def _maximum(a: float, b: float) -> float:
    if a != a or b != b:
        return _NAN
    return b if b > a else a


def _sign(x: float) -> float:
    if x != x:
        return x
    return type(x)((x > 0) - (x < 0))


def _integral(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: float(function(x)) if math.isfinite(x) else x


def _sigmoid(x: float) -> float:
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    e = _exp(x)
    return e / (1.0 + e)


_exp = _total(math.exp)


def digamma_of(x: float) -> float:
    """ψ(x): reflection below 1/2, recurrence to 10, then the asymptotic series (Abramowitz and Stegun 6.3)."""
    if math.isnan(x) or x == -_INF:
        return _NAN
    if x == _INF:
        return _INF
    if x <= 0.0 and x == math.floor(x):
        return math.copysign(_INF, -x) if x == 0.0 else _NAN
    if x < 0.5:
        return digamma_of(1.0 - x) - math.pi / math.tan(math.pi * x)
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
    return result + math.log(x) - 0.5 / x - series


def trigamma_of(x: float) -> float:
    """ψ′(x), by the same three steps as `digamma_of`."""
    if math.isnan(x) or x == -_INF:
        return _NAN
    if x == _INF:
        return 0.0
    if x <= 0.0 and x == math.floor(x):
        return _INF
    if x < 0.5:
        return (math.pi / math.sin(math.pi * x)) ** 2 - trigamma_of(1.0 - x)
    result = 0.0
    while x < 10.0:
        result += 1.0 / (x * x)
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - r * (5 / 66 - r * (691 / 2730 - r * 7 / 6))))))
    return result + 1.0 / x + 0.5 * r + series / x


def _lgamma(x: float) -> float:
    if x <= 0.0 and x == math.floor(x):
        return _INF
    return math.lgamma(x)


def _shift_guard(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """Integer division by zero is reported by a check that elaboration writes; here it is 0, so that it is total."""
    return lambda a, b: 0 if b == 0 else _wrap(function(a, b))


def _truncate(x: float) -> int:
    return int(x) if math.isfinite(x) and abs(x) < 2.0**63 else -(2**63)


def _round_to_single(x: float) -> float:
    import numpy as np  # noqa: PLC0415  (optional in the core: only this cast needs it)

    return float(np.float32(x))


# -- arithmetic ----------------------------------------------------------------------------------------------------

add = _define("add", 2, _numbers, lambda a, b: a + b, 1, "+")
subtract = _define("subtract", 2, _numbers, lambda a, b: a - b, 1, "-")
multiply = _define("multiply", 2, _numbers, lambda a, b: a * b, 1, "*")
divide = _define("divide", 2, _floats, _divide, 5, "/")
power = _define("power", 2, _floats, _power, 40, "**")
negate = _define("negate", 1, _numbers, lambda a: -a, 1, "-")
absolute = _define("abs", 1, _numbers, abs, 1)
sign = _define("sign", 1, _numbers, _sign, 1)
minimum = _define("minimum", 2, _numbers, _minimum, 1)
maximum = _define("maximum", 2, _numbers, _maximum, 1)

floor_divide = _define("floor_divide", 2, _integers, _shift_guard(lambda a, b: a // b), 5, "//")
modulo = _define("modulo", 2, _integers, _shift_guard(lambda a, b: a % b), 5, "%")
integer_power = _define("integer_power", 2, _integers, _integer_power, 5)

# -- elementary functions ------------------------------------------------------------------------------------------

sqrt = _define("sqrt", 1, _floats, _total(math.sqrt), 5)
sin = _define("sin", 1, _floats, _total(math.sin), 15)
cos = _define("cos", 1, _floats, _total(math.cos), 15)
tan = _define("tan", 1, _floats, _total(math.tan), 15)
asin = _define("asin", 1, _floats, _total(math.asin), 15)
acos = _define("acos", 1, _floats, _total(math.acos), 15)
atan = _define("atan", 1, _floats, _total(math.atan), 15)
atan2 = _define("atan2", 2, _floats, _total(math.atan2), 15)
sinh = _define("sinh", 1, _floats, _total(math.sinh, lambda x: math.copysign(_INF, x)), 15)
cosh = _define("cosh", 1, _floats, _total(math.cosh), 15)
tanh = _define("tanh", 1, _floats, _total(math.tanh), 15)
exp = _define("exp", 1, _floats, _exp, 15)
expm1 = _define("expm1", 1, _floats, _total(math.expm1), 15)
log = _define("log", 1, _floats, _total(_log), 15)
log1p = _define("log1p", 1, _floats, _total(_log1p), 15)
hypot = _define("hypot", 2, _floats, math.hypot, 15)
erf = _define("erf", 1, _floats, _total(math.erf), 15)
lgamma = _define("lgamma", 1, _floats, _total(_lgamma), 40)
digamma = _define("digamma", 1, _floats, digamma_of, 40)
trigamma = _define("trigamma", 1, _floats, trigamma_of, 40)
sigmoid = _define("sigmoid", 1, _floats, _total(_sigmoid), 15)
floor = _define("floor", 1, _floats, _integral(math.floor), 1)
ceil = _define("ceil", 1, _floats, _integral(math.ceil), 1)

# -- comparison, logic, selection ----------------------------------------------------------------------------------

less = _define("less", 2, _comparison, lambda a, b: a < b, 1, "<")
less_equal = _define("less_equal", 2, _comparison, lambda a, b: a <= b, 1, "<=")
greater = _define("greater", 2, _comparison, lambda a, b: a > b, 1, ">")
greater_equal = _define("greater_equal", 2, _comparison, lambda a, b: a >= b, 1, ">=")
equal = _define("equal", 2, _equality, lambda a, b: a == b, 1, "==")
not_equal = _define("not_equal", 2, _equality, lambda a, b: a != b, 1, "<>")
logical_not = _define("not", 1, _logic, lambda a: not a, 1, "!")
is_nan = _define("isnan", 1, _float_test, lambda a: a != a, 1)
select = _define("select", 3, _selection, lambda c, a, b: a if c else b, 1)

# -- conversions ---------------------------------------------------------------------------------------------------

to_float = _define("to_float", 1, _to(F64, Int, Bool, Float), float, 1)
to_float32 = _define("to_float32", 1, _to(F32, Int, Bool, Float), _round_to_single, 1)
to_int = _define("to_int", 1, _to(INT, Float, Bool, Int), _truncate, 1)


def conversion_to(type_: Type) -> Primitive:
    """The primitive that converts a scalar to Float, Float32 or Int."""
    match type_:
        case Float(64):
            return to_float
        case Float(32):
            return to_float32
        case Int():
            return to_int
        case _:
            raise TypeError(f"there is no conversion to {type_!r}")


# -- weights of what is not a primitive (design §5) ------------------------------------------------------------------

LOAD = STORE = CHECK = 1
ADD = add.weight
