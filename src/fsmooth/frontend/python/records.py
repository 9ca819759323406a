"""Methods and properties of NamedTuples and dataclasses, inlined like helpers."""

from __future__ import annotations

import ast
import inspect
from types import FunctionType

from fsmooth.core.term import MakeTuple, Term
from fsmooth.core.types import Tuple
from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.python.conversion import project
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import helper_call, run_helper
from fsmooth.frontend.python.values import Method, Static, Value


def part_of_record(frame: Frame, record: Term, cls: type, node: ast.Attribute) -> Value | None:
    """record.name, where the class defines name; None if it does not."""
    found = inspect.getattr_static(cls, node.attr, None)
    match found:
        case property() if isinstance(found.fget, FunctionType):
            (own,) = inspect.signature(found.fget).parameters
            return run_helper(frame, found.fget, {own: record}, node)
        case staticmethod():
            return Static(found.__func__)
        case FunctionType():
            return Method(record, node.attr)
        case None:
            return None
        case _:
            return Static(found)


def record_method(frame: Frame, record: Term, name: str, node: ast.Call) -> Value:
    """record.name(…)."""
    assert isinstance(record.type, Tuple)
    cls = record.type.record
    assert cls is not None
    if name == "_replace":
        return replaced(frame, record, node)
    function = inspect.getattr_static(cls, name)
    return helper_call(frame, function, node, record)


def replaced(frame: Frame, record: Term, node: ast.Call) -> Term:
    """record._replace(field=…), dataclasses.replace(record, field=…)."""
    assert isinstance(record.type, Tuple)
    names = record.type.names or ()
    given = {k.arg: frame.value(k.value) for k in node.keywords}
    unknown = [name for name in given if name not in names]
    if unknown:
        frame.fail(ArgumentMismatchError, node, f"there is no field {unknown[0]}", f"the fields are {', '.join(names)}")
    record = frame.bind(record, "record")
    items = tuple([given[n] if n in given else project(record, k) for k, n in enumerate(names)])
    return MakeTuple(items, Tuple(tuple([i.type for i in items]), names, record.type.record))  # type: ignore[union-attr]
