"""Methods and properties of NamedTuples and dataclasses, inlined like helpers."""

from __future__ import annotations

import ast
import inspect
from types import FunctionType

from fsmooth.core.term import Term
from fsmooth.core.trees import Registered, class_of, fixed_attributes
from fsmooth.core.types import Tuple
from fsmooth.errors import UndefinedNameError
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import evaluated_arguments, helper_call, run_helper
from fsmooth.frontend.python.new_objects import replaced
from fsmooth.frontend.python.nodes import by_definition, declaration_of_node, field_of_node
from fsmooth.frontend.python.protocols import defined_by, definitions_of
from fsmooth.frontend.python.values import Method, Static, Value


def part_of_record(frame: Frame, record: Term, cls: type, node: ast.Attribute) -> Value | None:
    """record.name, where the class defines name; None if it does not."""
    assert isinstance(record.type, Tuple)
    if isinstance(record.type.record, Registered):
        fixed = fixed_attributes(record.type.record, len(record.type.items))
        if node.attr in fixed:
            return known(fixed[node.attr])
    found = defined_by(frame, cls, node.attr)
    match found:
        case property() if isinstance(found.fget, FunctionType):
            (own,) = inspect.signature(found.fget).parameters
            return run_helper(frame, found.fget, {own: record}, node)
        case staticmethod():
            return Static(found.__func__, frame.shared.readings.known(found.__func__))
        case FunctionType():
            return Method(record, node.attr)
        case None:
            return None
        case _:
            return Static(found, frame.shared.readings.known(found))


def part_of_node(frame: Frame, node: Term, place: ast.Attribute) -> Value:
    """node.name: a field, a method, a property, or an attribute of the class."""
    found = field_of_node(frame, node, place.attr, place)
    if found is None and any([isinstance(d, FunctionType) for d in definitions_of(frame, node, place.attr)]):
        return Method(node, place.attr)
    if found is None:
        found = by_definition(
            frame,
            node,
            place.attr,
            lambda cls: defined_by(frame, cls, place.attr),
            lambda definition, own: _of_class(frame, definition, own, place),
            place,
        )
    if found is None:
        declaration = declaration_of_node(node)
        assert declaration is not None
        fields = dict.fromkeys([f.name for c in declaration.constructors for f in c.fields])
        hint = f"its fields are {', '.join(fields)}"
        frame.fail(UndefinedNameError, place, f"{declaration.name} has no {place.attr}", hint)
    return found


def _of_class(frame: Frame, definition: object, node: Term, place: ast.Attribute) -> Value:
    match definition:
        case property() if isinstance(definition.fget, FunctionType):
            (own,) = inspect.signature(definition.fget).parameters
            return run_helper(frame, definition.fget, {own: node}, place)
        case staticmethod():
            return Static(definition.__func__, frame.shared.readings.known(definition.__func__))
        case bool() | int() | float() | str():
            return known(definition)
        case _:
            return Static(definition, frame.shared.readings.known(definition))


def record_method(frame: Frame, record: Term, name: str, node: ast.Call) -> Value:
    """record.name(…)."""
    if name == "_replace":
        return replaced(frame, record, node)
    if declaration_of_node(record) is not None:
        return _method_of_node(frame, record, name, node)
    assert isinstance(record.type, Tuple)
    cls = class_of(record.type.record)
    assert cls is not None
    function = defined_by(frame, cls, name)
    assert isinstance(function, FunctionType)
    return helper_call(frame, function, node, record)


def _method_of_node(frame: Frame, node: Term, name: str, call: ast.Call) -> Value:
    """node.name(…), by the class of the node; arguments are evaluated once."""
    with evaluated_arguments(frame, call) as made:

        def use(definition: object, own: Term) -> Value:
            assert isinstance(definition, FunctionType)
            return helper_call(frame, definition, made, own)

        found = by_definition(frame, node, name, lambda cls: defined_by(frame, cls, name), use, call)
        assert found is not None
        return found
