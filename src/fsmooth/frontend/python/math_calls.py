"""Functions of the module math that are not one primitive."""

from __future__ import annotations

import ast
import math

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Reduction
from fsmooth.core.types import Int
from fsmooth.core.weak import WEAK
from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.python.arithmetic import apply_primitive, binary
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.built_in import reduce_call, to_integer
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.displays import display, known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import positional
from fsmooth.frontend.python.instead import instead_of
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.library_calls import library_call, own_python_call
from fsmooth.frontend.python.scalars import scalar_function
from fsmooth.frontend.python.values import Value
from fsmooth.library.numpy import written

_OF_INTEGERS = ("comb", "perm", "factorial", "isqrt")
"""Functions of integers, which must be known while compiling."""

_IN_PYTHON = {"gamma": "gamma", "gcd": "gcd", "lcm": "lcm", "modf": "modf", "isclose": "math.isclose"}
"""Those that are written in fsmooth's own Python, by the name that they have there."""


def math_call(frame: Frame, function: object, name: str, node: ast.Call) -> Value:
    """Functions of the module math beyond the table."""
    if function is math.log:
        if len(node.args) not in (1, 2):
            frame.fail(
                ArgumentMismatchError,
                node,
                f"math.log takes 1 or 2 arguments, not {len(node.args)}",
                "write math.log(x)",
            )
        arguments = positional(frame, node)
        logs = [elementwise(frame, lambda x: apply_primitive(frame, p.log, [x], node), [a], node) for a in arguments]
        return logs[0] if len(logs) == 1 else binary(frame, ast.Div(), logs[0], logs[1], node)
    if function is math.pow:
        a, b = positional(frame, node, 2)
        return binary(frame, ast.Pow(), convert(frame, a, WEAK, node) if isinstance(a.type, Int) else a, b, node)
    if function is math.fsum:
        return reduce_call(frame, Reduction.SUM, node)
    if function is math.prod:
        return reduce_call(frame, Reduction.PRODUCT, node)
    if function is math.floor or function is math.ceil or function is math.trunc:
        return to_integer(frame, function, node)
    if function is math.hypot:
        parts = positional(frame, node)
        if len(parts) == 2:
            return scalar_function(frame, p.hypot, node)
        return library(frame, "norm", [display(frame, parts, node)], node) if parts else Const(0.0)
    if function is math.dist:
        a, b = positional(frame, node, 2)
        return library(frame, "norm", [binary(frame, ast.Sub(), a, b, node)], node)
    if function is math.remainder:  # not NumPy's
        frame.unsupported(node, f"math.{name}", instead_of(name))
    if name in _OF_INTEGERS and node.args and not node.keywords:
        given = [frame.expression(a) for a in node.args]
        numbers = [a.value for a in given if isinstance(a, Const) and isinstance(a.value, int)]
        if len(numbers) == len(given):
            try:
                return known(getattr(math, name)(*numbers))
            except (TypeError, ValueError) as error:
                frame.fail(ArgumentMismatchError, node, f"math.{name}: {error}", "give what math takes")
    in_python = written(_IN_PYTHON[name]) if name in _IN_PYTHON else None
    return library_call(frame, name, node) if in_python is None else own_python_call(frame, in_python, node)
