"""What of Python's protocols the user's own classes have: length, elements, equality."""

from __future__ import annotations

import ast
import dataclasses

from fsmooth.core.term import Term
from fsmooth.core.trees import Registered, class_of
from fsmooth.core.types import Tuple
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.lookup import Attribute, ClassAttribute, Lookup
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.nodes import declaration_of_node, possible_tags
from fsmooth.frontend.python.values import Value

_OF_PARTS = ("__len__", "__iter__", "__getitem__")


def defined_by(frame: Frame, cls: type, name: str) -> object:
    """What a class of records or one of its bases defines under a name, which may be another at the next call."""
    fetch = Lookup(cls, ClassAttribute(name))
    found = fetch()
    frame.shared.readings.found(fetch, found)
    if found is not None:
        taken = Lookup(cls, Attribute(name))  # found sooner, at each call
        frame.shared.readings.compared(taken, taken())
    return found


def definitions_of(frame: Frame, node: Term, name: str) -> list[object]:
    """What the classes that a node may be of define under a name."""
    declaration = declaration_of_node(node)
    assert declaration is not None
    return [defined_by(frame, declaration.constructors[k].cls, name) for k in sorted(possible_tags(frame, node))]


def require_parts(frame: Frame, value: Value, node: ast.AST) -> None:
    """The fields of a NamedTuple are its elements; a dataclass has none, and what methods of the user's give is not asked."""
    cls = _users_class(value.type.record) if isinstance(value, Term) and isinstance(value.type, Tuple) else None
    if cls is None:
        return
    own = [name for name in _OF_PARTS if getattr(cls, name, None) not in (None, getattr(tuple, name))]
    if own:
        what = f"{cls.__name__}, which defines {own[0]}, as a tuple of its fields"
        frame.unsupported(node, what, "call a method by its name")
    if not issubclass(cls, tuple):
        hint = "name its fields, or make it a NamedTuple"
        frame.fail(TypeMismatchError, node, f"a {cls.__name__} has no elements", hint)


def has_elements(record: object) -> bool:
    """Has a structure elements as Python sees it?"""
    cls = _users_class(record)
    return cls is None or issubclass(cls, tuple)


def compared_fields(frame: Frame, a: Tuple, b: Tuple, node: ast.AST) -> list[int] | None:
    """The positions of the fields by which two records are equal; None if they never are.

    Those of a dataclass are equal to none of another class, a NamedTuple is equal to a tuple of the same elements.
    """
    one, other = _users_class(a.record), _users_class(b.record)
    for cls in (one, other):
        if cls is not None:
            _require_own_equality(frame, cls, node)
    if one is not other and not (has_elements(a.record) and has_elements(b.record)):
        return None
    fields = getattr(one, "__dataclass_fields__", None)
    if fields is not None:
        return [k for k, field in enumerate(fields.values()) if field.compare]
    return list(range(len(a.items))) if len(a.items) == len(b.items) else None


def _users_class(record: object) -> type | None:
    cls = None if isinstance(record, Registered) else class_of(record)
    return None if cls in (dict, list) else cls


def _require_own_equality(frame: Frame, cls: type, node: ast.AST) -> None:
    """The equality of a class is that of its fields."""
    equal = getattr(cls, "__eq__", None)
    if dataclasses.is_dataclass(cls) and equal is getattr(object, "__eq__", None):
        frame.unsupported(node, f"== of objects of {cls.__name__}, which is identity,", "compare their fields")
    code = getattr(equal, "__code__", None)
    if code is not None and not code.co_filename.startswith("<"):  # it was not made of the fields
        what = f"== of objects of {cls.__name__}, which defines __eq__,"
        frame.unsupported(node, what, "call a method by its name")
