"""What stands left of `=`: names, tuples of names, elements of arrays."""

from __future__ import annotations

import ast

from fsmooth.core.term import Const, Get, MakeTuple, Term
from fsmooth.core.types import Array, Tuple
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.conversion import project
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.indexing import updated
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.sizes import required_size
from fsmooth.frontend.python.subscripts import index_values
from fsmooth.frontend.python.syntax import as_load
from fsmooth.frontend.python.values import Static, Unrolled, Value


def named(frame: Frame, target: ast.expr, value: Value) -> Value:
    """A value bound in the scope under the name of its target."""
    if isinstance(target, ast.Name) and isinstance(value, Term):
        return frame.bind(value, target.id)
    return value


def assign_target(frame: Frame, target: ast.expr, value: Value, node: ast.AST) -> None:
    match target:
        case ast.Name(id):
            frame.names[id] = value
        case ast.Tuple(elts) | ast.List(elts):
            unpack(frame, elts, value, node)
        case ast.Subscript():
            assign_element(frame, target, frame.term(value, node), node)
        case ast.Attribute():
            frame.unsupported(target, "assignment to an attribute", "make a new record with the changed field")
        case _:
            frame.unsupported(target, "this target", "assign to plain names")


def unpack(frame: Frame, targets: list[ast.expr], value: Value, node: ast.AST) -> None:
    """a, b = value."""
    for target in targets:
        if isinstance(target, ast.Starred):
            frame.unsupported(target, "a starred target", "name every part")
    if isinstance(value, Unrolled):
        items: list[Value] = list(value.items)
    elif isinstance(value, Static) and isinstance(value.value, tuple | list):
        items = [known(x) for x in value.value]
    else:
        term = frame.term(value, node)
        if isinstance(term.type, Array):
            array = frame.bind(term, "a")
            array = required_size(frame, array, 0, Const(len(targets)), node, f"unpacking into {len(targets)} names")
            items = [Get(array, Const(k)) for k in range(len(targets))]
        elif isinstance(term.type, Tuple):
            bound = term if isinstance(term, MakeTuple) else frame.bind(term, "t")
            items = [project(bound, k) for k in range(len(term.type.items))]
        else:
            frame.fail(
                TypeMismatchError, node, f"{describe(term.type)} cannot be unpacked", "unpack a tuple or an array"
            )
    if len(items) != len(targets):
        frame.fail(
            TypeMismatchError, node, f"{len(targets)} names for {len(items)} values", "give each value a name, or _"
        )
    items = [named(frame, t, v) for t, v in zip(targets, items, strict=True)]
    for target, item in zip(targets, items, strict=True):
        assign_target(frame, target, item, node)


def assign_element(frame: Frame, target: ast.Subscript, value: Term, node: ast.AST) -> None:
    """x[i] = e, A[i, j] = e, A[i][j] = e: the name gets a new array."""
    indices: list[Term] = []
    place: ast.expr = target
    while isinstance(place, ast.Subscript):
        here = index_values(frame, place.slice)
        if any([isinstance(i, slice) for i in here]):
            frame.unsupported(place, "assignment to a slice", "assign element by element in a loop")
        indices = [i for i in here if isinstance(i, Term)] + indices
        place = place.value
    if not isinstance(place, ast.Name):
        frame.unsupported(target, "this target", "assign to an element of a named array")
    array = frame.term(frame.expression(place), place)
    if not isinstance(array.type, Array):
        frame.fail(
            TypeMismatchError,
            node,
            f"{place.id} is {describe(array.type)}, whose elements cannot be assigned",
            "assign to elements of arrays only",
        )
    new = frame.bind(updated(frame, array, indices, value, node, place.id), place.id)
    frame.changed(place.id, array, node)
    frame.names[place.id] = new


def augmented(frame: Frame, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST) -> None:
    """X += e, x[i] += e."""
    load = as_load(target)
    old = frame.value(load)
    amount = frame.value(value)
    result = (
        library(frame, "matmul", [old, amount], node)
        if isinstance(op, ast.MatMult)
        else binary(frame, op, old, amount, node)
    )
    if isinstance(target, ast.Name) and isinstance(old.type, Array):
        frame.changed(target.id, old, node)
    assign_target(frame, target, named(frame, target, result), node)
