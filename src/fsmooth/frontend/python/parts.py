"""Run-time values as programs see them: of dictionaries and lists the parts, of texts and None what they are."""

from __future__ import annotations

import inspect
from types import FunctionType

from fsmooth.core.alternatives import Code
from fsmooth.core.build import project
from fsmooth.core.term import Const, Term
from fsmooth.core.trees import Constant, class_of, is_constant
from fsmooth.core.types import Tuple
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.python.values import (
    FUNCTIONS,
    Closure,
    Default,
    FunctionOf,
    Keyed,
    MadeOf,
    Static,
    Uneven,
    Unrolled,
    Value,
)


def seen(term: Term) -> Value:
    """A run-time value: a dictionary by its keys, a list of unlike parts by these, a constant as what it is."""
    if not isinstance(term.type, Tuple):
        return term
    record = term.type.record
    if isinstance(record, Constant):
        return Static(record.value, record.origin if isinstance(record.origin, Lookup) else None)
    if isinstance(record, Code):
        return function_of(term)
    if record is dict:
        return Keyed(dict(zip(term.type.names or (), parts_seen(term), strict=True)))
    if record is list:
        return Uneven(tuple(parts_seen(term)))
    return term


def function_of(term: Term) -> Value:
    """The function that a run-time value is."""
    assert isinstance(term.type, Tuple)
    assert isinstance(term.type.record, Code)
    of = term.type.record.function
    found = parts_seen(term)
    if isinstance(of, MadeOf):
        return of.make(*found)
    assert isinstance(of, FunctionOf)
    captured = dict(zip(of.names, found, strict=False))
    own = dict(zip(of.defaults, found[len(of.names) :], strict=True))
    names = of.live
    if names is None:
        names = {**of.known, **captured}
        names.update({n: Closure(f.node, f.source, names, f.signature) for n, f in of.inner})
    parameters = [q.replace(default=Default(own[n])) if n in own else q for n, q in of.signature.parameters.items()]
    return Closure(of.node, of.source, names, of.signature.replace(parameters=parameters))


def parts_seen(term: Term) -> list[Value]:
    """The components of a tuple, each as a program sees it."""
    assert isinstance(term.type, Tuple)
    return [seen(project(term, k)) for k in range(len(term.type.items))]


def is_run_time(value: Value) -> bool:
    """Is nothing known of a value while compiling, but its structure and the texts in it?"""
    match value:
        case Keyed(entries):
            return all([is_run_time_part(item) for item in entries.values()])
        case Unrolled(items):
            return all([is_run_time_part(item) for item in items])
        case _:
            return isinstance(value, Term)


def is_run_time_part(part: Value) -> bool:
    """Is a part of a container of this kind?"""
    if isinstance(part, Static):
        return part.value is None or isinstance(part.value, str)
    return is_run_time(part) and not isinstance(part, Const)


def can_be_called(record: object) -> bool:
    """Has the class of a structure a method `__call__` of the user's?"""
    cls = class_of(record)
    return cls is not None and isinstance(inspect.getattr_static(cls, "__call__", None), FunctionType)


def is_part(value: Value) -> bool:
    """Can it be a part of a run-time value?"""
    match value:
        case Keyed(entries):
            return all([is_part(item) for item in entries.values()])
        case Unrolled(items):
            return all([is_part(item) for item in items])
        case Static(inner):
            return is_constant(inner)
        case _:
            return isinstance(value, Term | FUNCTIONS)
