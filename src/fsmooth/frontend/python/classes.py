"""`type(x)` and `x.__class__`: the class of an object is a value of one of several kinds, of which each is a class.

Its tag is that of the node, or of the value of one of several kinds, so that what is asked of the class is known of these.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from fsmooth.core.alternatives import kinds_of, one_of
from fsmooth.core.build import project
from fsmooth.core.term import MakeTuple, Tag, Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import Tuple, Type
from fsmooth.frontend.python.alternatives import is_of_kinds
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import positional
from fsmooth.frontend.python.nodes import declaration_of_node, is_built, possible_tags
from fsmooth.frontend.python.references import tag_in
from fsmooth.frontend.python.values import Static, Value


def type_call(frame: Frame, node: ast.Call) -> Value:
    """type(x)."""
    (_,) = positional(frame, node, 1)
    return class_of_value(frame, frame.expression(node.args[0]), node)


def class_of_value(frame: Frame, value: Value, node: ast.AST) -> Value:
    """The class of a value."""
    declaration = declaration_of_node(value)
    if declaration is not None:
        assert isinstance(value, Term)
        classes = [c.cls for c in declaration.constructors]
        possible = possible_tags(frame, value)
        if len(possible) == 1:
            return _known(frame, classes[min(possible)])
        value = frame.bind(value, "node") if is_built(value) else value
        tag = Tag(value) if is_built(value) else tag_in(declaration, project(value, 0))
        return _one_of(frame, tag, classes, node)
    if isinstance(value, Term) and is_of_kinds(value):
        return _one_of(frame, project(value, 0), [_class(frame, kind, node) for kind in kinds_of(value.type)], node)
    if isinstance(value, Static):
        return _known(frame, type(value.value))
    if isinstance(value, Term):
        return _known(frame, _class(frame, value.type, node))
    _refuse(frame, node)


def _class(frame: Frame, type_: Type, node: ast.AST) -> type:
    match type_:
        case Tuple((), _, record) if isinstance(constant := getattr(record, "value", record), str | None):
            return type(constant)
        case Tuple(_, _, record) if (cls := class_of(record)) is not None:
            return cls
        case _:
            _refuse(frame, node)


def _refuse(frame: Frame, node: ast.AST) -> NoReturn:
    frame.unsupported(node, "the class of what is no object of a class of yours", "ask isinstance")


def _known(frame: Frame, cls: type) -> Static:
    return Static(cls, frame.shared.readings.known(cls))


def _one_of(frame: Frame, tag: Term, classes: list[type], node: ast.AST) -> Term:
    parts = [frame.as_part(_known(frame, cls), node) for cls in classes]
    return frame.bind(MakeTuple((tag, *parts), one_of(tuple([part.type for part in parts]))), "class")
