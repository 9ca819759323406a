"""Operators that the user's own classes define: `a + b` is `a.__add__(b)`, and `b.__radd__(a)` where a has no `__add__`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType

from fsmooth.core.alternatives import kinds_of
from fsmooth.core.term import Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import Tuple, Type
from fsmooth.frontend.python.alternatives import is_known, is_of_kinds, possible_kinds
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
    given = [frame.bind(x) if isinstance(x, Term) else x for x in [owner, *others]]
    values = dict(zip(["_owner", *[f"_other_{k}" for k in range(len(others))]], given, strict=True))
    place, *arguments = [ast.Name(own, ast.Load()) for own in values]
    call = ast.Call(ast.Attribute(place, name, ast.Load()), list[ast.expr](arguments), [])
    for part in ast.walk(call):
        ast.copy_location(part, node)
    with frame.naming(values):
        return frame.expression(call)


def _defining(frame: Frame, value: Value, name: str) -> bool:
    """Does the class of a value define a method of that name in Python, or each of the classes that it may be of?"""
    if not isinstance(value, Term):
        return False
    if declaration_of_node(value) is not None:
        return any([_is_written(d) for d in definitions_of(frame, value, name)])
    if is_of_kinds(value):
        kinds = [kinds_of(value.type)[k] for k in possible_kinds(frame, value)]
        classes = [_class_of(kind) for kind in kinds if not is_known(kind)]
    else:
        classes = [_class_of(value.type)]
    return bool(classes) and all([cls is not None and _is_written(defined_by(frame, cls, name)) for cls in classes])


def _class_of(type_: Type) -> type | None:
    return class_of(type_.record) if isinstance(type_, Tuple) else None


def _is_written(definition: object) -> bool:
    """Is it a function of the user's, and not one that dataclasses or functools.total_ordering make?"""
    if not isinstance(definition, FunctionType) or definition.__module__ == "functools":
        return False
    return definition.__code__.co_filename != "<string>"
