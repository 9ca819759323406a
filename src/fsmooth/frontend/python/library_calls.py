"""Calls of NumPy, math, fsmooth and methods of arrays, by name, where M̃ has them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.build import build
from fsmooth.core.term import Const, Get, Reduction, Term
from fsmooth.core.types import F64, Int
from fsmooth.frontend.python.arithmetic import apply_primitive, binary, elementwise
from fsmooth.frontend.python.built_in import reduce_call, to_integer
from fsmooth.frontend.python.conversion import branch, convert, truth
from fsmooth.frontend.python.derivatives import VERBS, derive
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import as_function, positional
from fsmooth.frontend.python.library import expanded, library
from fsmooth.frontend.python.scalars import FSSCALAR, SCALAR, scalar_function
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.values import Closure, Static, Value
from fsmooth.library import AXIS_NAMES
from fsmooth.library import names as library_names

_IDENTITY = frozenset({"array", "asarray", "ascontiguousarray", "asarray_chkfinite"})


def math_call(frame: Frame, function: object, name: str, node: ast.Call) -> Value:
    """Functions of the module math beyond the table."""
    if function is math.log:
        arguments = positional(frame, node)
        logs = [elementwise(frame, lambda x: apply_primitive(frame, p.log, [x], node), [a], node) for a in arguments]
        return logs[0] if len(logs) == 1 else binary(frame, ast.Div(), logs[0], logs[1], node)
    if function is math.pow:
        a, b = positional(frame, node, 2)
        return binary(frame, ast.Pow(), convert(frame, a, F64, node) if isinstance(a.type, Int) else a, b, node)
    if function is math.prod:
        return reduce_call(frame, Reduction.PRODUCT, node)
    if function is math.floor or function is math.ceil or function is math.trunc:
        return to_integer(frame, function, node)
    if function is math.erfc:
        (x,) = positional(frame, node, 1)
        return binary(frame, ast.Sub(), Const(1.0), apply_primitive(frame, p.erf, [x], node), node)
    if function is math.dist:
        a, b = positional(frame, node, 2)
        return library(frame, "norm", [binary(frame, ast.Sub(), a, b, node)], node)
    return library_call(frame, name, node)


def numpy_call(frame: Frame, name: str, function: object, node: ast.Call) -> Value:
    """NumPy's functions by name."""
    if name in _IDENTITY and len(node.args) >= 1:
        term = frame.value(node.args[0])
        return term
    if function in SCALAR:
        return scalar_function(frame, SCALAR[function], node)
    if name == "where" and len(node.args) == 3:
        return where_call(frame, node)
    if name in ("absolute",):
        return scalar_function(frame, p.absolute, node)
    return library_call(frame, name, node)


def where_call(frame: Frame, node: ast.Call) -> Term:
    """np.where(c, a, b): a branch for each element."""
    condition, a, b = positional(frame, node, 3)

    def choose(c: Term, x: Term, y: Term) -> Term:
        return branch(frame, truth(frame, c, node), x, y, node)

    return elementwise(frame, choose, [condition, a, b], node)


def own_call(frame: Frame, name: str, node: ast.Call) -> Value:
    """Fsmooth's functions by name."""
    if name in VERBS:
        return derive(frame, name, node)
    if name == "where":
        return where_call(frame, node)
    if name in FSSCALAR:
        return scalar_function(frame, FSSCALAR[name], node)
    if name == "hessian":
        frame.unsupported(node, "fs.hessian in a program", "write fs.jacobian(fs.grad(f))")
    return library_call(frame, name, node)


def library_call(frame: Frame, name: str, node: ast.Call) -> Value:
    """A function of M̃, whose function arguments may be lambdas or helpers."""
    if name not in library_names():
        frame.unsupported(
            node,
            frame.source.segment(node.func),
            "write it as a loop or comprehension; fs.library lists what exists",
        )
    arguments: list[Term | Callable[..., Term]] = []
    for part in node.args:
        value = frame.expression(part)
        if isinstance(value, Closure) or (isinstance(value, Static) and callable(value.value)):
            arguments.append(as_function(frame, value, part))
        else:
            arguments.append(frame.term(value, part))
    axis = [k for k in node.keywords if k.arg == "axis"]
    others = [k for k in node.keywords if k.arg not in ("axis", "dtype")]
    if others or axis:
        arguments = with_keywords(frame, name, arguments, node)
    return expanded(frame, name, arguments, node)


def with_keywords(
    frame: Frame, name: str, arguments: list[Term | Callable[..., Term]], node: ast.Call
) -> list[Term | Callable[..., Term]]:
    """The axis of a reduction comes after its array; other keywords are not understood."""
    keyword = node.keywords[0]
    if keyword.arg == "axis" and len(node.keywords) == 1 and len(arguments) == 1 and name in AXIS_NAMES:
        return [*arguments, frame.term(frame.expression(keyword.value), keyword.value)]
    frame.unsupported(
        node,
        f"the keyword {keyword.arg} of {name}",
        "write the reduction as a comprehension, e.g. [sum(row) for row in A]",
    )


def method_call(frame: Frame, owner: Term, name: str, node: ast.Call) -> Value:
    """x.sum(), x.dot(y), x.copy()."""
    if name == "copy":
        array = frame.bind(owner, "a")
        return build(length_of(frame, array, node), lambda i: Get(array, i))
    name = {"flatten": "ravel"}.get(name, name)
    if node.keywords and not node.args:
        return expanded(frame, name, with_keywords(frame, name, [owner], node), node)
    return library(frame, name, [owner, *positional(frame, node)], node)
