"""How each primitive is written in C (one row each; tests demand one of every primitive).

A row is a template over the arguments `{0}`, `{1}`, …, which are already atoms or in parentheses, with what it
needs: an operator of a precedence, a libm function, or a helper of `helpers.py`.
"""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Float, Type


class Operator(Struct, frozen=True):
    """An infix operator; a higher `level` binds tighter."""

    symbol: str
    level: int


class Call(Struct, frozen=True):
    """A function of libm (`f` is appended for Float32)."""

    name: str


class Helper(Struct, frozen=True):
    """A static inline function that the program brings along."""

    name: str


class Template(Struct, frozen=True):
    """Anything else."""

    text: str


Spelling = Operator | Call | Helper | Template

LEVELS = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6}
UNARY = 7
ATOM = 9


def _operator(symbol: str) -> Operator:
    return Operator(symbol, LEVELS[symbol])


_BY_PRIMITIVE: dict[Primitive, Spelling] = {
    p.add: _operator("+"),
    p.subtract: _operator("-"),
    p.multiply: _operator("*"),
    p.divide: _operator("/"),
    p.less: _operator("<"),
    p.less_equal: _operator("<="),
    p.greater: _operator(">"),
    p.greater_equal: _operator(">="),
    p.equal: _operator("=="),
    p.not_equal: _operator("!="),
    p.fmod: Call("fmod"),
    p.power: Call("pow"),
    p.sqrt: Call("sqrt"),
    p.sin: Call("sin"),
    p.cos: Call("cos"),
    p.tan: Call("tan"),
    p.asin: Call("asin"),
    p.acos: Call("acos"),
    p.atan: Call("atan"),
    p.atan2: Call("atan2"),
    p.sinh: Call("sinh"),
    p.cosh: Call("cosh"),
    p.tanh: Call("tanh"),
    p.exp: Call("exp"),
    p.expm1: Call("expm1"),
    p.exp2: Call("exp2"),
    p.log: Call("log"),
    p.log2: Call("log2"),
    p.log10: Call("log10"),
    p.cbrt: Call("cbrt"),
    p.log1p: Call("log1p"),
    p.hypot: Call("hypot"),
    p.erf: Call("erf"),
    p.erfc: Call("erfc"),
    p.lgamma: Call("lgamma"),
    p.floor: Call("floor"),
    p.ceil: Call("ceil"),
    p.digamma: Helper("digamma"),
    p.trigamma: Helper("trigamma"),
    p.sigmoid: Helper("sigmoid"),
    p.floor_divide: Helper("floor_divide"),
    p.modulo: Helper("modulo"),
    p.integer_power: Helper("integer_power"),
    p.negate: Template("-{0}"),
    p.logical_not: Template("!{0}"),
    **dict.fromkeys(p.UNFOLLOWED, Template("{0}")),
    p.is_nan: Template("isnan({0})"),
    p.select: Template("({0} ? {1} : {2})"),
}

_FLOAT: dict[Primitive, Spelling] = {
    p.absolute: Call("fabs"),
    p.sign: Helper("sign"),
    p.minimum: Helper("minimum"),
    p.maximum: Helper("maximum"),
    p.to_int: Helper("to_int"),
}
_INTEGER: dict[Primitive, Spelling] = {
    p.absolute: Helper("integer_abs"),
    p.sign: Helper("integer_sign"),
    p.minimum: Helper("integer_minimum"),
    p.maximum: Helper("integer_maximum"),
    p.to_int: Template("(int64_t){0}"),
}
_ANY: dict[Primitive, Spelling] = {
    p.to_float: Template("(double){0}"),
    p.to_float32: Template("(float){0}"),
}


def spelling(primitive: Primitive, argument: Type) -> Spelling | None:
    """How to write a primitive whose first argument has the given type; None if nobody said."""
    found = _BY_PRIMITIVE.get(primitive) or _ANY.get(primitive)
    if found is not None:
        return found
    return (_FLOAT if isinstance(argument, Float) else _INTEGER).get(primitive)
