"""The functions of Futhark's modules f64, f32, i64 on numbers of NumPy, and its operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from tests.futhark.reader.types import FutharkError

TYPES: dict[str, Callable[[Any], Any]] = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "bool": np.bool_}


def _quotient(a: Any, b: Any) -> Any:
    """`/`: of integers towards negative infinity."""
    if not isinstance(a, np.int64):
        return a / b
    if b == 0:
        raise FutharkError("division by zero")
    return a // b


def _remainder(a: Any, b: Any) -> Any:
    """`%`: of integers with the sign of the divisor, of floats as C's fmod."""
    if not isinstance(a, np.int64):
        return np.fmod(a, b)
    if b == 0:
        raise FutharkError("division by zero")
    return a % b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, np.int64):
        if b < 0:
            raise FutharkError("a negative power of an integer")
        return np.int64((pow(int(a), int(b), 2**64) + 2**63) % 2**64 - 2**63)
    return np.power(a, b)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": _remainder,
    "**": _power,
    "==": lambda a, b: np.bool_(a == b),
    "!=": lambda a, b: np.bool_(a != b),
    "<": lambda a, b: np.bool_(a < b),
    "<=": lambda a, b: np.bool_(a <= b),
    ">": lambda a, b: np.bool_(a > b),
    ">=": lambda a, b: np.bool_(a >= b),
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "cbrt": np.cbrt,
    "hypot": np.hypot,
    "erf": special.erf,
    "erfc": special.erfc,
    "lgamma": special.gammaln,
    "floor": np.floor,
    "ceil": np.ceil,
    "sgn": np.sign,
    "max": np.maximum,
    "min": np.minimum,
}


def of_module(module: str, name: str, arguments: list[Any]) -> Any:
    """A function of one of the modules."""
    make = TYPES[module]
    if name in TYPES:
        if module == "i64" and name in ("f64", "f32"):
            return np.int64(int(arguments[0]))
        return make(arguments[0])
    if name == "isnan":
        return np.bool_(np.isnan(arguments[0]))
    if name in ("sum", "product"):
        total = make(0 if name == "sum" else 1)
        for x in arguments[0]:
            total = total + x if name == "sum" else total * x
        return total
    if name in ("maximum", "minimum"):
        best = constant(module, "lowest" if name == "maximum" else "highest")
        for x in arguments[0]:
            best = max(best, x) if name == "maximum" else min(best, x)
        return best
    return make(_FUNCTIONS[name](*arguments))


def constant(module: str, name: str) -> Any:
    """A constant of one of the modules."""
    if module == "i64":
        return np.int64(-(2**63) if name == "lowest" else 2**63 - 1)
    return TYPES[module]({"inf": np.inf, "highest": np.inf, "lowest": -np.inf, "nan": np.nan, "pi": np.pi}[name])
