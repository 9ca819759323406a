"""New objects of the user's classes: `C(…)`, `dataclasses.replace(x, …)`, `x._replace(…)`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping

from fsmooth.core.alternatives import kinds_of
from fsmooth.core.build import project
from fsmooth.core.nodes.built import Built, built
from fsmooth.core.nodes.declaration import Declaration
from fsmooth.core.nodes.reading import declaration_of, is_record
from fsmooth.core.term import MakeTuple, Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import Tuple, Type
from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.lookup import Lookup, Parameters
from fsmooth.frontend.python.alternatives import for_kinds, is_of_kinds, possible_kinds
from fsmooth.frontend.python.built_nodes import made_of
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.displays import part_term
from fsmooth.frontend.python.dtypes import of_dtype
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import matched, positional
from fsmooth.frontend.python.instead import INSTEAD
from fsmooth.frontend.python.kinds import fields_of_record
from fsmooth.frontend.python.nodes import declaration_of_node, each_class, named, possible_tags, read_field, required
from fsmooth.frontend.python.values import Value


def construct(frame: Frame, cls: type, node: ast.Call) -> Value:
    """A NamedTuple or dataclass of the user's."""
    fields = fields_of_record(cls)
    if not fields and cls.__module__ == "numpy":
        (x,) = positional(frame, node, 1)
        return of_dtype(frame, x, node.func, node)
    if not fields and not is_record(cls):
        what = cls.__name__ if cls.__module__ in ("builtins", "functools") else f"an object of class {cls.__name__}"
        frame.unsupported(node, what, INSTEAD.get(cls.__name__, "use a NamedTuple or a dataclass"))
    _refuse_own_constructor(frame, cls, node)
    fetch = Lookup(cls, Parameters())
    signature = inspect.signature(cls)
    frame.shared.readings.found(fetch, signature)
    values = matched(frame, signature, node)
    declaration = declaration_of(cls)
    if declaration is not None:
        return _new_node(frame, declaration, cls, values, node)
    items = tuple([part_term(frame, values[f], node) for f in fields])
    return MakeTuple(items, Tuple(tuple([i.type for i in items]), fields, cls))


def _new_node(frame: Frame, declaration: Declaration, cls: type, values: Mapping[str, Value], node: ast.AST) -> Term:
    tag = declaration.tags[cls]
    given = [values[field.name] for field in declaration.constructors[tag].fields]
    return made_of(frame, built(declaration), tag, given, node, convert)


def _refuse_own_constructor(frame: Frame, cls: object, node: ast.Call) -> None:
    """A new record has the fields it is given: a constructor of the user's might compute others."""
    parameters = getattr(cls, "__dataclass_params__", None)
    name = getattr(cls, "__name__", "record")
    if hasattr(cls, "__post_init__"):
        frame.unsupported(node, f"a new {name}, which has __post_init__,", "make it outside the compiled function")
    if parameters is not None and not parameters.init:
        frame.unsupported(node, f"a new {name}, which has its own __init__,", "make it outside the compiled function")


def is_object(value: Value | None) -> bool:
    """Is it an object of a class of the user's, or a tree?"""
    if not isinstance(value, Term):
        return False
    return isinstance(value.type, Built) or (isinstance(value.type, Tuple) and value.type.record is not None)


def replaced(frame: Frame, record: Term, node: ast.Call) -> Value:
    """record._replace(field=…), dataclasses.replace(record, field=…)."""
    return _with_fields(frame, record, {str(k.arg): frame.expression(k.value) for k in node.keywords}, node)


def _with_fields(frame: Frame, record: Value, given: Mapping[str, Value], node: ast.Call) -> Value:
    """A new object with other values in some fields."""
    assert isinstance(record, Term)
    assert isinstance(record.type, Tuple | Built)
    if is_of_kinds(record):
        having = [k for k in possible_kinds(frame, record) if _has(kinds_of(record.type)[k], given)]
        lacks = f", which has no {' and no '.join(given)}"
        return for_kinds(
            frame, record, having, lambda one: _with_fields(frame, one, given, node), node, "TypeError", lacks
        )
    if declaration_of_node(record) is not None:
        return _node_with_fields(frame, record, given, node)
    assert isinstance(record.type, Tuple)
    _refuse_own_constructor(frame, record.type.record, node)
    names = [str(name) for name in record.type.names or ()]
    _require_names(frame, names, given, node)
    record = frame.bind(record, "record")
    items = tuple([part_term(frame, given[n], node) if n in given else project(record, k) for k, n in enumerate(names)])
    return MakeTuple(items, Tuple(tuple([i.type for i in items]), record.type.names, record.type.record))  # type: ignore[union-attr]


def _has(kind: Type, given: Iterable[str]) -> bool:
    """Is it an object with these fields?"""
    names = kind.names if isinstance(kind, Tuple) and class_of(kind.record) is not None else None
    return names is not None and all([name in names for name in given])


def _require_names(frame: Frame, names: list[str], given: Iterable[str], node: ast.AST) -> None:
    unknown = [name for name in given if name not in names]
    if unknown:
        what = f"there is no field {unknown[0]}"
        frame.fail(ArgumentMismatchError, node, what, f"the fields are {', '.join(names)}")


def _node_with_fields(frame: Frame, node: Term, given: Mapping[str, Value], call: ast.Call) -> Value:
    """A new node with other values in some fields, of the class that the node is of."""
    declaration = declaration_of_node(node)
    assert declaration is not None
    classes = declaration.constructors
    possible = possible_tags(frame, node)
    having = frozenset([k for k, c in enumerate(classes) if c.fields and all([c.field(name) for name in given])])
    if not possible & having:
        fields = dict.fromkeys([f.name for tag in sorted(possible) for f in classes[tag].fields])
        _require_names(frame, list(fields), given, call)
        what = f"no {declaration.named(possible)} has {' and '.join(given)}"
        frame.fail(ArgumentMismatchError, call, what, "ask isinstance, or match, before")
    node = named(frame, node)
    if possible - having:
        node = required(frame, declaration, node, having, " and no ".join(given), call)

    def new(tag: int) -> Value:
        _refuse_own_constructor(frame, classes[tag].cls, call)
        values = dict(given)
        for field in classes[tag].fields:
            if field.name not in values:
                values[field.name] = read_field(frame, declaration, node, tag, field)
        return _new_node(frame, declaration_of(classes[tag].cls) or declaration, classes[tag].cls, values, call)

    return each_class(frame, node, sorted(possible & having), new, call)
