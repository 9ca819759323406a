"""Operators that the user's own classes define: `a + b` is `a.__add__(b)`, and `b.__radd__(a)` where a has no `__add__`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType

from fsmooth.core.term import Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import Tuple
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.nodes import declaration_of_node
from fsmooth.frontend.python.protocols import defined_by, definitions_of
from fsmooth.frontend.python.values import Value

_BINARY: Mapping[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_COMPARING: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("lt", "gt"),
    ast.LtE: ("le", "ge"),
    ast.Gt: ("gt", "lt"),
    ast.GtE: ("ge", "le"),
}
_UNARY: Mapping[type[ast.AST], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


def own_operation(frame: Frame, op: ast.operator | ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Left op right where the class of one of them defines it; None where none does."""
    name = _BINARY.get(type(op))
    own, reflected = (name, f"r{name}") if name is not None else _COMPARING.get(type(op), ("", ""))
    if not own:
        return None
    found = own_method(frame, left, f"__{own}__", [right], node)
    return own_method(frame, right, f"__{reflected}__", [left], node) if found is None else found


def own_update(frame: Frame, op: ast.operator, old: Value, amount: Value, node: ast.AST) -> Value | None:
    """What `old op= amount` assigns, likewise."""
    name = f"__i{_BINARY[type(op)]}__"
    if _defining(frame, old, name):
        frame.unsupported(
            node, f"{name} of a class", "define the operator without assignment, which makes a new object"
        )
    return own_operation(frame, op, old, amount, node)


def own_unary(frame: Frame, op: ast.unaryop, operand: Value, node: ast.AST) -> Value | None:
    """-x, +x, ~x, likewise."""
    name = _UNARY.get(type(op))
    return None if name is None else own_method(frame, operand, f"__{name}__", [], node)


def own_element(frame: Frame, owner: Value, node: ast.Subscript) -> Value | None:
    """owner[e], likewise."""
    if not _defining(frame, owner, "__getitem__"):
        return None
    return own_method(frame, owner, "__getitem__", [frame.expression(node.slice)], node)


def own_method(frame: Frame, owner: Value, name: str, others: list[Value], node: ast.AST) -> Value | None:
    """owner.name(*others) where the class of the owner defines the name; None where it does not."""
    if not _defining(frame, owner, name):
        return None
    values = {"_owner": owner, **{f"_other_{k}": x for k, x in enumerate(others)}}
    place, *given = [ast.Name(own, ast.Load()) for own in values]
    call = ast.Call(ast.Attribute(place, name, ast.Load()), list[ast.expr](given), [])
    for part in ast.walk(call):
        ast.copy_location(part, node)
    before = dict(frame.names)
    for own, value in values.items():
        frame.names[own] = frame.bind(value) if isinstance(value, Term) else value
    try:
        return frame.expression(call)
    finally:
        for own in values:
            if own in before:
                frame.names[own] = before[own]
            else:
                del frame.names[own]


def _defining(frame: Frame, value: Value, name: str) -> bool:
    """Does the class of a value define a method of that name in Python?"""
    if not isinstance(value, Term):
        return False
    if declaration_of_node(value) is not None:
        return any([_is_written(d) for d in definitions_of(frame, value, name)])
    cls = class_of(value.type.record) if isinstance(value.type, Tuple) else None
    return cls is not None and _is_written(defined_by(frame, cls, name))


def _is_written(definition: object) -> bool:
    """Is it a function of the user's, and not one that dataclasses or functools.total_ordering make?"""
    if not isinstance(definition, FunctionType) or definition.__module__ == "functools":
        return False
    return definition.__code__.co_filename != "<string>"
