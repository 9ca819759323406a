"""Calls that are statements, because they change an array: `np.add.at(x, i, v)`, `x.fill(0)`, `np.fill_diagonal(A, v)`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType

import numpy as np

from fsmooth.core.term import Term
from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.python.arithmetic import apply_primitive, binary
from fsmooth.frontend.python.assignments import Place, accumulated
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import helper_call, keywords
from fsmooth.frontend.python.public_names import public_name
from fsmooth.frontend.python.scalars import SCALAR
from fsmooth.frontend.python.syntax import as_load, changed_by_call
from fsmooth.frontend.python.targets import assign_target, changeable, place_of
from fsmooth.frontend.python.values import Static
from fsmooth.library.numpy import written

OPERATORS: dict[object, ast.operator] = {
    np.add: ast.Add(),
    np.subtract: ast.Sub(),
    np.multiply: ast.Mult(),
    np.divide: ast.Div(),
    np.power: ast.Pow(),
}


def changing_call(frame: Frame, node: ast.Call) -> None:
    """A call that changes `changed_by_call(node)`."""
    changed = changed_by_call(node)
    assert changed is not None
    assert isinstance(node.func, ast.Attribute)
    if isinstance(frame.expression(changed), Static):  # np.sort(x), whose owner is no array
        frame.unsupported(node, "an expression whose value is not used", "remove it, or assign it to a name")
    match node.func.attr:
        case "at":
            accumulate(frame, changed, node)
        case "fill":
            given = arguments(frame, node, 1)
            replace(frame, changed, frame.value(given[0]), node)
        case "copyto":
            refuse_other(frame, "copyto", node)
            given = arguments(frame, node, 2)
            replace(frame, changed, frame.value(given[1]), node)
        case "sort":
            replace(frame, changed, made_anew(frame, "sort", changed, node.args, node), node)
        case name:
            refuse_other(frame, name, node)
            replace(frame, changed, made_anew(frame, name, changed, node.args[1:], node), node)


def refuse_other(frame: Frame, name: str, node: ast.Call) -> None:
    """An error unless it is NumPy's function of this name that is called."""
    function = frame.expression(node.func)
    if not isinstance(function, Static) or public_name(name, function.value) != name:
        frame.unsupported(node, frame.source.segment(node.func), f"use np.{name}")


def arguments(frame: Frame, node: ast.Call, count: int) -> list[ast.expr]:
    """The arguments of a call that takes so many."""
    keywords(frame, node, ())
    if len(node.args) != count:
        what = f"{frame.source.segment(node.func)} takes {count} argument{'s' * (count != 1)}, not {len(node.args)}"
        frame.fail(ArgumentMismatchError, node, what, "give every argument")
    return node.args


def made_anew(frame: Frame, name: str, changed: ast.expr, rest: list[ast.expr], node: ast.Call) -> Term:
    """What a function of fsmooth's own, which changes nothing, gives for the array."""
    function = written(name)
    assert isinstance(function, FunctionType)
    call = ast.copy_location(ast.Call(node.func, [as_load(changed), *rest], node.keywords), node)
    return frame.term(helper_call(frame, function, call), node)


def replace(frame: Frame, changed: ast.expr, value: Term, node: ast.Call) -> None:
    """changed[...] = value."""
    target = ast.Subscript(changed, ast.copy_location(ast.Constant(Ellipsis), changed), ast.Store())
    assign_target(frame, ast.copy_location(target, changed), value, node)


def accumulate(frame: Frame, changed: ast.expr, node: ast.Call) -> None:
    """np.add.at(x, i, v): v is added to x[i], as often as an element is named."""
    _, index, amount = arguments(frame, node, 3)
    assert isinstance(node.func, ast.Attribute)
    function = frame.expression(node.func.value)
    change = combination(frame, function.value if isinstance(function, Static) else None, node)
    target = ast.copy_location(ast.Subscript(changed, index, ast.Store()), changed)
    name, indices = place_of(frame, target)
    array = frame.bind(changeable(frame, name, node), name.id)
    place = Place(target, node, name.id)
    new = frame.bind(accumulated(frame, array, indices, change, frame.value(amount), place), name.id)
    frame.changed(name.id, array, node)
    frame.names[name.id] = new


def combination(frame: Frame, function: object, node: ast.Call) -> Callable[[Term, Term], Term]:
    """A function of NumPy of two numbers, element by element."""
    if function in OPERATORS:
        return lambda old, new: binary(frame, OPERATORS[function], old, new, node)
    if function in (np.maximum, np.minimum):
        primitive = SCALAR[function]
        return lambda old, new: elementwise(
            frame, lambda a, b: apply_primitive(frame, primitive, [a, b], node), [old, new], node
        )
    frame.unsupported(node, frame.source.segment(node.func), "write a loop: for k in range(len(i)): x[i[k]] = …")
