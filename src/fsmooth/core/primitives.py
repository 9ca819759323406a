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

from msgspec import Struct

from fsmooth.core import ieee
from fsmooth.core.gamma import digamma_of, lgamma_of, trigamma_of
from fsmooth.core.types import BOOL, F32, F64, INT, Bool, Float, Int, Type
from fsmooth.core.weak import WEAK, Weak, strongest

Signature = Callable[[tuple[Type, ...]], Type | None]


class Primitive(Struct, frozen=True, eq=False):
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


def _decided(types: tuple[Type, ...]) -> Type:
    return strongest(types) if isinstance(types[0], Weak) else types[0]


def _floats(types: tuple[Type, ...]) -> Type | None:
    """real numbers of one width"""
    return _decided(types) if isinstance(types[0], Float) and all(t == types[0] for t in types) else None


def _numbers(types: tuple[Type, ...]) -> Type | None:
    """numbers of one type"""
    return _decided(types) if isinstance(types[0], Float | Int) and all(t == types[0] for t in types) else None


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
    return _decided(types[1:]) if isinstance(types[0], Bool) and _equality(types[1:]) is not None else None


def _to(result: Type, *sources: type) -> Signature:
    def conversion(types: tuple[Type, ...]) -> Type | None:
        """a number"""
        return result if isinstance(types[0], sources) else None

    return conversion


def _to_float(types: tuple[Type, ...]) -> Type | None:
    """a number"""
    if isinstance(types[0], Int | Bool | Weak):
        return WEAK
    return F64 if isinstance(types[0], Float) else None


def _float_test(types: tuple[Type, ...]) -> Type | None:
    """a real number"""
    return BOOL if isinstance(types[0], Float) else None


# -- arithmetic ----------------------------------------------------------------------------------------------------

add = _define("add", 2, _numbers, ieee.wrapped(lambda a, b: a + b), 1, "+")
subtract = _define("subtract", 2, _numbers, ieee.wrapped(lambda a, b: a - b), 1, "-")
multiply = _define("multiply", 2, _numbers, ieee.wrapped(lambda a, b: a * b), 1, "*")
divide = _define("divide", 2, _floats, ieee.divide, 5, "/")
fmod = _define("fmod", 2, _floats, ieee.total(math.fmod), 15)
power = _define("power", 2, _floats, ieee.power, 40, "**")
negate = _define("negate", 1, _numbers, ieee.wrapped(lambda a: -a), 1, "-")
absolute = _define("abs", 1, _numbers, ieee.wrapped(abs), 1)
sign = _define("sign", 1, _numbers, ieee.sign, 1)
minimum = _define("minimum", 2, _numbers, ieee.minimum, 1)
maximum = _define("maximum", 2, _numbers, ieee.maximum, 1)

floor_divide = _define("floor_divide", 2, _integers, ieee.integer_division(lambda a, b: a // b), 5, "//")
modulo = _define("modulo", 2, _integers, ieee.integer_division(lambda a, b: a % b), 5, "%")
integer_power = _define("integer_power", 2, _integers, ieee.integer_power, 5)

# -- elementary functions ------------------------------------------------------------------------------------------

sqrt = _define("sqrt", 1, _floats, ieee.total(math.sqrt), 5)
sin = _define("sin", 1, _floats, ieee.total(math.sin), 15)
cos = _define("cos", 1, _floats, ieee.total(math.cos), 15)
tan = _define("tan", 1, _floats, ieee.total(math.tan), 15)
asin = _define("asin", 1, _floats, ieee.total(math.asin), 15)
acos = _define("acos", 1, _floats, ieee.total(math.acos), 15)
atan = _define("atan", 1, _floats, ieee.total(math.atan), 15)
atan2 = _define("atan2", 2, _floats, ieee.total(math.atan2), 15)
sinh = _define("sinh", 1, _floats, ieee.total(math.sinh, lambda x: math.copysign(math.inf, x)), 15)
cosh = _define("cosh", 1, _floats, ieee.total(math.cosh), 15)
tanh = _define("tanh", 1, _floats, ieee.total(math.tanh), 15)
exp = _define("exp", 1, _floats, ieee.exp, 15)
expm1 = _define("expm1", 1, _floats, ieee.total(math.expm1), 15)
exp2 = _define("exp2", 1, _floats, ieee.total(math.exp2), 15)
log = _define("log", 1, _floats, ieee.total(ieee.log), 15)
log1p = _define("log1p", 1, _floats, ieee.total(ieee.log1p), 15)
log2 = _define("log2", 1, _floats, ieee.total(ieee.log2), 15)
log10 = _define("log10", 1, _floats, ieee.total(ieee.log10), 15)
cbrt = _define("cbrt", 1, _floats, ieee.total(math.cbrt), 15)
hypot = _define("hypot", 2, _floats, math.hypot, 15)
erf = _define("erf", 1, _floats, ieee.total(math.erf), 15)
erfc = _define("erfc", 1, _floats, ieee.total(math.erfc), 15)
lgamma = _define("lgamma", 1, _floats, ieee.total(lgamma_of), 40)
digamma = _define("digamma", 1, _floats, digamma_of, 40)
trigamma = _define("trigamma", 1, _floats, trigamma_of, 40)
sigmoid = _define("sigmoid", 1, _floats, ieee.total(ieee.sigmoid), 15)
floor = _define("floor", 1, _floats, ieee.integral(math.floor), 1)
ceil = _define("ceil", 1, _floats, ieee.integral(math.ceil), 1)
stop_gradient = _define("stop_gradient", 1, _numbers, ieee.wrapped(lambda a: a), 1)
"""The number itself, whose derivative is zero."""
as_offset = _define("as_offset", 1, _numbers, ieee.wrapped(lambda a: a), 1)
"""The number itself, where the result does not depend on it: it is subtracted and added again, as the largest exponent of a
log-sum-exp, or divided by and multiplied with.  What flows through it would cancel and is not computed.
"""
UNFOLLOWED = frozenset({stop_gradient, as_offset})
"""Numbers themselves, which derivatives do not follow."""

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

to_float = _define("to_float", 1, _to_float, float, 1)
to_float32 = _define("to_float32", 1, _to(F32, Int, Bool, Float), ieee.single, 1)
to_int = _define("to_int", 1, _to(INT, Float, Bool, Int), ieee.truncate, 1)


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
CALL = 64
"""Of a function that calls itself, how often is not known."""
