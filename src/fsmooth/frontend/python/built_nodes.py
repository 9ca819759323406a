"""Nodes that programs make of the user's classes, and nodes of trees that are given as such.

Where a node of a tree that is given is joined with one that the program makes, or put into one, the tree below it is made
anew, node by node, by a function that calls itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.alternatives import is_one_of, kinds_of
from fsmooth.core.build import build, components, equals, minus, plus
from fsmooth.core.nodes.built import Built, is_like_built, tag_of
from fsmooth.core.nodes.declaration import Constructor, Kind, Nodes
from fsmooth.core.nodes.declaration import Field as FieldOfClass
from fsmooth.core.nodes.texts import number_of
from fsmooth.core.term import Call, Const, Get, Header, If, Inject, Lam, Null, Prim, Proj, Term, Var, Vector, let
from fsmooth.core.types import Float, Tuple, Type
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.references import has_this_tag, row_of
from fsmooth.frontend.python.values import Static, Text, Unrolled, Value

Convert = Callable[[Frame, Term, Type, ast.AST], Term]
"""What gives a value another type (frontend/python/conversion.py)."""


def as_built(frame: Frame, term: Term, wanted: Built, node: ast.AST, convert: Convert) -> Term:
    """A value as a node that the program makes."""
    if term.type == wanted:
        return term
    assert isinstance(term.type, Tuple)
    if is_one_of(term.type):
        return _of_kind(frame, frame.bind(term, "value"), wanted, node, convert)
    if isinstance(term.type.record, Nodes):
        return frame.bind(Call(_maker(frame, term.type, wanted), components(term)), "made")
    tag = tag_of(term.type, wanted)
    assert tag is not None
    return made_of(frame, wanted, tag, components(term), node, convert)


def _of_kind(frame: Frame, value: Term, wanted: Built, node: ast.AST, convert: Convert) -> Term:
    """The node that a value of one of several kinds is."""
    made = [
        frame.inside(lambda k=k: as_built(frame, Proj(value, 1 + k), wanted, node, convert), conditional=True)  # type: ignore[misc]
        for k in range(len(kinds_of(value.type)))
    ]
    result = made.pop()
    for k, one in reversed(list(enumerate(made))):
        result = If(equals(Proj(value, 0), Const(k)), one, result)
    return frame.bind(result, "made")


def made_of(frame: Frame, wanted: Built, tag: int, values: Sequence[Value], node: ast.AST, convert: Convert) -> Term:
    """A new node of these values."""
    constructor = wanted.declaration.constructors[tag]
    items = [
        _as_field(frame, wanted, constructor, field, value, node, convert)
        for field, value in zip(constructor.fields, values, strict=True)
    ]
    return frame.bind(Inject(wanted, tag, tuple(items)), constructor.name)


def _as_field(
    frame: Frame,
    wanted: Built,
    constructor: Constructor,
    field: FieldOfClass,
    value: Value,
    node: ast.AST,
    convert: Convert,
) -> Term:
    def child(value: Value) -> Term:
        term = frame.term(value, node)
        if not is_like_built(term.type, wanted):
            what = f"{constructor.name}.{field.name} holds {wanted.declaration.named(field.tags)}"
            frame.fail(TypeMismatchError, node, what, "give it a node of one of these classes")
        return as_built(frame, term, wanted, node, convert)

    match field.kind, value:
        case Kind.TEXT, Text(number):
            return number
        case Kind.TEXT, Static(str() as text):
            return Const(number_of(text))
        case Kind.CHILDREN, Unrolled(()):
            return build(Const(0), lambda i: Null(wanted))
        case Kind.CHILDREN, Unrolled(items):
            return Vector(tuple([child(item) for item in items]))
        case Kind.NODE, _:
            return child(value)
    return convert(frame, frame.term(value, node), wanted.type_of(field), node)


def _maker(frame: Frame, given: Tuple, wanted: Built) -> Header:
    """The function that makes the tree below a node anew; one for each data type and types of columns."""
    known = frame.shared.makers
    if (wanted, given) not in known:
        declaration = wanted.declaration
        names = given.names or ()
        parameters = tuple([Var(str(n), t) for n, t in zip(names, given.items, strict=True)])
        site = frame.site(frame.source.node)
        header = known[wanted, given] = Header("made", tuple([q.type for q in parameters]), wanted, site, None)
        at, *columns = parameters
        row = Var("row", at.type)
        made = [_made_anew(header, wanted, tag, row, columns) for tag in range(len(declaration.constructors))]
        body = made.pop()
        for k, one in reversed(list(enumerate(made))):
            body = If(has_this_tag(declaration, at, k), one, body)
        header.define(Lam(parameters, let(((row, row_of(declaration, at)),), body)))
    return known[wanted, given]


def _made_anew(header: Header, wanted: Built, tag: int, row: Term, columns: Sequence[Term]) -> Term:
    declaration = wanted.declaration
    items: list[Term] = []
    for field in declaration.constructors[tag].fields:
        place = declaration.place(tag, field.name)
        found = Get(columns[place], row)
        if field.width == 2:
            elements = columns[place + 1]
            count = minus(Get(columns[place], plus(row, Const(1))), found)
            if field.kind is Kind.CHILDREN:
                items.append(build(count, lambda i, e=elements, s=found: Call(header, (Get(e, plus(s, i)), *columns))))  # type: ignore[misc]
            else:
                items.append(build(count, lambda i, e=elements, s=found: Get(e, plus(s, i))))  # type: ignore[misc]
        elif field.kind is Kind.NODE:
            items.append(Call(header, (found, *columns)))
        else:
            type_ = wanted.type_of(field)
            is_other = isinstance(type_, Float) and found.type != type_
            items.append(Prim(p.conversion_to(type_), (found,)) if is_other and isinstance(type_, Float) else found)
    return Inject(wanted, tag, tuple(items))
