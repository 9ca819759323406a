"""Functions of numbers that are primitives of the core language."""

from __future__ import annotations

import ast
import math

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Term
from fsmooth.frontend.python.arithmetic import apply_primitive
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import positional

OWN_SCALAR = {
    "sqrt": p.sqrt, "sin": p.sin, "cos": p.cos, "tan": p.tan, "asin": p.asin, "acos": p.acos, "atan": p.atan,
    "arcsin": p.asin, "arccos": p.acos, "arctan": p.atan, "arctan2": p.atan2, "atan2": p.atan2, "sinh": p.sinh,
    "cosh": p.cosh, "tanh": p.tanh, "exp": p.exp, "expm1": p.expm1, "log": p.log, "log1p": p.log1p, "exp2": p.exp2,
    "log2": p.log2, "log10": p.log10, "cbrt": p.cbrt, "hypot": p.hypot,
    "abs": p.absolute, "sign": p.sign, "floor": p.floor, "ceil": p.ceil, "maximum": p.maximum, "minimum": p.minimum,
    "erf": p.erf, "erfc": p.erfc, "lgamma": p.lgamma, "digamma": p.digamma, "sigmoid": p.sigmoid, "isnan": p.is_nan,
    "stop_gradient": p.stop_gradient,
}  # fmt: skip


SCALAR: dict[object, Primitive] = {
    math.sqrt: p.sqrt, math.sin: p.sin, math.cos: p.cos, math.tan: p.tan, math.asin: p.asin, math.acos: p.acos,
    math.atan: p.atan, math.atan2: p.atan2, math.sinh: p.sinh, math.cosh: p.cosh, math.tanh: p.tanh, math.exp: p.exp,
    math.expm1: p.expm1, math.log1p: p.log1p, math.erf: p.erf, math.erfc: p.erfc, math.lgamma: p.lgamma,
    math.exp2: p.exp2, math.log2: p.log2, math.log10: p.log10, math.cbrt: p.cbrt,
    np.exp2: p.exp2, np.log2: p.log2, np.log10: p.log10, np.cbrt: p.cbrt,
    math.fmod: p.fmod, math.fabs: p.absolute, abs: p.absolute, np.sqrt: p.sqrt, np.sin: p.sin, np.cos: p.cos,
    np.tan: p.tan,
    np.arcsin: p.asin, np.arccos: p.acos, np.arctan: p.atan, np.arctan2: p.atan2, np.sinh: p.sinh, np.cosh: p.cosh,
    np.tanh: p.tanh, np.exp: p.exp, np.expm1: p.expm1, np.log: p.log, np.log1p: p.log1p, np.hypot: p.hypot,
    np.abs: p.absolute, np.sign: p.sign, np.floor: p.floor, np.ceil: p.ceil, np.maximum: p.maximum,
    np.minimum: p.minimum, np.isnan: p.is_nan, math.isnan: p.is_nan,
}  # fmt: skip


def scalar_function(frame: Frame, primitive: Primitive, node: ast.Call) -> Term:
    """A primitive, on numbers or element by element."""
    arguments = positional(frame, node, primitive.arity)
    return elementwise(frame, lambda *xs: apply_primitive(frame, primitive, list(xs), node), arguments, node)
