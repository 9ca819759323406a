"""How each primitive is written in Futhark: a row each (tests demand one of every primitive)."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.backend.futhark.code import ADD, AND, APPLY, ATOM, COMPARE, LOW, MULTIPLY, POWER, Code, call, scalar_name
from fsmooth.core import primitives as p
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Term
from fsmooth.core.types import Bool, Float, Int, Type

_OPERATORS: dict[Primitive, tuple[str, int]] = {
    p.add: ("+", ADD),
    p.subtract: ("-", ADD),
    p.multiply: ("*", MULTIPLY),
    p.divide: ("/", MULTIPLY),
    p.power: ("**", POWER),
    p.less: ("<", COMPARE),
    p.less_equal: ("<=", COMPARE),
    p.greater: (">", COMPARE),
    p.greater_equal: (">=", COMPARE),
    p.equal: ("==", COMPARE),
    p.not_equal: ("!=", COMPARE),
}
_OF_MODULE: dict[Primitive, str] = {
    p.absolute: "abs",
    p.sqrt: "sqrt",
    p.sin: "sin",
    p.cos: "cos",
    p.tan: "tan",
    p.asin: "asin",
    p.acos: "acos",
    p.atan: "atan",
    p.atan2: "atan2",
    p.sinh: "sinh",
    p.cosh: "cosh",
    p.tanh: "tanh",
    p.exp: "exp",
    p.log: "log",
    p.log1p: "log1p",
    p.log2: "log2",
    p.log10: "log10",
    p.cbrt: "cbrt",
    p.hypot: "hypot",
    p.erf: "erf",
    p.erfc: "erfc",
    p.floor: "floor",
    p.ceil: "ceil",
    p.is_nan: "isnan",
}
"""Functions of the modules f64, f32 and i64."""

_INTEGERS: dict[Primitive, str] = {p.minimum: "i64.min", p.maximum: "i64.max", p.sign: "i64.sgn"}
_HELPERS: dict[Primitive, str] = {
    p.expm1: "expm1",
    p.exp2: "exp2",
    p.sigmoid: "sigmoid",
    p.sign: "sign",
    p.minimum: "minimum",
    p.maximum: "maximum",
    p.lgamma: "log_gamma",
    p.digamma: "digamma",
    p.trigamma: "trigamma",
    p.to_int: "to_int",
    p.floor_divide: "floor_divide",
    p.modulo: "modulo",
    p.integer_power: "integer_power",
}
"""Functions of prelude.py, with `_f32` behind their names where numbers are."""

_DIVISIONS: dict[Primitive, str] = {p.floor_divide: "/", p.modulo: "%"}
_CONVERSIONS: dict[Primitive, str] = {p.to_float: "f64", p.to_float32: "f32", p.to_int: "i64"}


def infix(symbol: str, level: int, left: Code, right: Code) -> Code:
    """An operator; all are to the left, and comparisons are not chained."""
    own = level + 1 if level == COMPARE else level
    return Code(f"{left.at(own)} {symbol} {right.at(level + 1)}", level)


def both(left: Code, right: Code) -> Code:
    """`a && b`."""
    return Code(f"{left.at(AND)} && {right.at(AND + 1)}", AND)


def spelled(
    primitive: Primitive, arguments: tuple[Term, ...], codes: list[Code], helper: Callable[[str], str]
) -> Code | None:
    """A primitive of `arguments`, which are written as `codes`; `helper` is told what the prelude must have.

    None: nobody said how it is written.
    """
    type_ = arguments[0].type
    if primitive in _OPERATORS:
        return infix(*_OPERATORS[primitive], *codes)
    if primitive is p.negate:
        return Code(f"(-{codes[0].atom})", ATOM)
    if primitive is p.logical_not:
        return Code(f"!{codes[0].atom}", POWER)
    if primitive is p.select:
        return Code(f"if {codes[0].at(AND)} then {codes[1].at(AND)} else {codes[2].at(AND)}", LOW)
    if primitive in p.UNFOLLOWED:
        return codes[0]
    if primitive is p.fmod:
        return infix("%", MULTIPLY, *codes)
    if primitive in _DIVISIONS and _is_plain_divisor(arguments[1]):
        return infix(_DIVISIONS[primitive], MULTIPLY, *codes)
    if primitive in _CONVERSIONS and not (primitive is p.to_int and isinstance(type_, Float)):
        return _converted(_CONVERSIONS[primitive], type_, codes[0])
    if primitive in _OF_MODULE:
        return _applied(f"{scalar_name(type_)}.{_OF_MODULE[primitive]}", codes)
    if primitive in _INTEGERS and isinstance(type_, Int):
        return _applied(_INTEGERS[primitive], codes)
    if primitive in _HELPERS:
        suffix = "_f32" if type_ == Float(32) else ""
        return _applied(helper(_HELPERS[primitive] + suffix), codes)
    return None


def constant(value: float | int | bool, type_: Type) -> Code:
    """A number or truth value, with its type."""
    if isinstance(type_, Bool):
        return Code("true" if value else "false", ATOM)
    name = scalar_name(type_)
    if value != value:
        return Code(f"{name}.nan", ATOM)
    if value in (float("inf"), -float("inf")):
        return Code(f"{name}.inf" if value > 0 else f"(-{name}.inf)", ATOM)
    if value == -(2**63) and isinstance(type_, Int):
        return Code("i64.lowest", ATOM)
    text = repr(value)
    return Code(f"(-{text[1:]}{name})" if text.startswith("-") else f"{text}{name}", ATOM)


def _applied(name: str, codes: list[Code]) -> Code:
    return Code(call(name, *[c.atom for c in codes]), APPLY)


def _converted(to: str, type_: Type, code: Code) -> Code:
    source = scalar_name(type_)
    return code if source == to else _applied(f"{to}.{source}", [code])


def _is_plain_divisor(divisor: Term) -> bool:
    """May Futhark's own division be used?  It fails for 0, and C has no value for the least integer by -1."""
    return isinstance(divisor, Const) and divisor.value not in (0, -1)
