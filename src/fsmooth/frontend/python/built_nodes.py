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
from fsmooth.core.term import (
    Call,
    Const,
    Failure,
    Field,
    Get,
    Header,
    If,
    Inject,
    Lam,
    Length,
    Null,
    Prim,
    Proj,
    Require,
    Tag,
    Term,
    Var,
    Vector,
    let,
)
from fsmooth.core.types import Float, Tuple, Type
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.narrowing import negated
from fsmooth.frontend.python.references import has_this_tag, row_of
from fsmooth.frontend.python.values import NodeList, Static, Text, Unrolled, Value

Convert = Callable[[Frame, Term, Type, ast.AST], Term]
"""What gives a value another type (frontend/python/conversion.py)."""


def as_built(frame: Frame, term: Term, wanted: Built, node: ast.AST, convert: Convert) -> Term:
    """A value as a node that the program makes."""
    if term.type == wanted:
        return term
    if isinstance(term.type, Built):
        return frame.bind(Call(_maker(frame, term.type, wanted, node), (term,)), "made")
    assert isinstance(term.type, Tuple)
    if is_one_of(term.type):
        return _of_kind(frame, frame.bind(term, "value"), wanted, node, convert)
    if isinstance(term.type.record, Nodes):
        return frame.bind(Call(_maker(frame, term.type, wanted, node), components(term)), "made")
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
        if not is_like_built(term.type, held):
            what = f"{constructor.name}.{field.name} holds {wanted.declaration.named(field.tags)}"
            frame.fail(TypeMismatchError, node, what, "give it a node of one of these classes")
        return as_built(frame, term, held, node, convert)

    held = wanted.held(field) if field.tags else wanted
    match field.kind, value:
        case Kind.TEXT, Text(number):
            return number
        case Kind.TEXT, Static(str() as text):
            return Const(number_of(text))
        case Kind.CHILDREN, Unrolled(()):
            return build(Const(0), lambda i: Null(held))
        case Kind.CHILDREN, Unrolled(items):
            return Vector(tuple([child(item) for item in items]))
        case Kind.CHILDREN, NodeList(size, element):
            return build(size, lambda i: frame.inside(lambda: child(element(i))))
        case Kind.NODE, _:
            return child(value)
    return convert(frame, frame.term(value, node), wanted.type_of(field), node)


class _Given:
    """A node of a tree that is given: its number and the columns."""

    def __init__(self, type_: Tuple) -> None:
        assert isinstance(type_.record, Nodes)
        self.type, self.declaration = type_, type_.record.declaration
        names = type_.names or ()
        self.parameters = tuple([Var(str(n), t) for n, t in zip(names, type_.items, strict=True)])
        self.at, *self.columns = self.parameters
        self.row = Var("row", self.at.type)

    def whole(self, body: Term) -> Term:
        """`body`, in which the row is known."""
        return let(((self.row, row_of(self.declaration, self.at)),), body)

    def has(self, tag: int) -> Term:
        """Is it of this class?"""
        return has_this_tag(self.declaration, self.at, tag)

    def field(self, tag: int, field: FieldOfClass) -> Term:
        """A field that is in one column."""
        return Get(self.columns[self.declaration.place(tag, field.name)], self.row)

    def elements(self, tag: int, field: FieldOfClass) -> tuple[Term, Callable[[Term], Term]]:
        """How many elements a field of any length has, and the one at an index."""
        place = self.declaration.place(tag, field.name)
        start, elements = Get(self.columns[place], self.row), self.columns[place + 1]
        count = minus(Get(self.columns[place], plus(self.row, Const(1))), start)
        return count, lambda i: Get(elements, plus(start, i))

    def below(self, node: Term) -> tuple[Tuple | Built, tuple[Term, ...]]:
        """The type and the parts of a node below it."""
        return self.type, (node, *self.columns)


class _Made:
    """A node that the program makes."""

    def __init__(self, type_: Built) -> None:
        self.declaration = type_.declaration
        self.parameters = (Var("node", type_),)

    def whole(self, body: Term) -> Term:
        """`body` as it is."""
        return body

    def has(self, tag: int) -> Term:
        """Is it of this class?"""
        return equals(Tag(self.parameters[0]), Const(tag))

    def field(self, tag: int, field: FieldOfClass) -> Term:
        """A field."""
        return Field(self.parameters[0], tag, self.declaration.constructors[tag].fields.index(field))

    def elements(self, tag: int, field: FieldOfClass) -> tuple[Term, Callable[[Term], Term]]:
        """How many elements a field of any length has, and the one at an index."""
        found = self.field(tag, field)
        return Length(found), lambda i: Get(found, i)

    def below(self, node: Term) -> tuple[Tuple | Built, tuple[Term, ...]]:
        """The type and the parts of a node below it."""
        assert isinstance(node.type, Built)
        return node.type, (node,)


def _maker(frame: Frame, given: Tuple | Built, wanted: Built, node: ast.AST) -> Header:
    """The function that makes the tree below a node anew; one for each data type and types of columns."""
    known = frame.shared.makers
    if (wanted, given) not in known:
        source = _Made(given) if isinstance(given, Built) else _Given(given)
        site = frame.site(frame.source.node)
        header = Header("made", tuple([q.type for q in source.parameters]), wanted, site, None)
        known[wanted, given] = header
        places = wanted.declaration.tags
        made: list[tuple[int, Term]] = []
        lacking: list[int] = []
        for tag, c in enumerate(source.declaration.constructors):
            if c.cls in places:
                own = wanted.declaration.constructors[places[c.cls]].fields
                pairs = zip(c.fields, own, strict=True)
                items = [_made_anew(frame, source, tag, field, wanted, as_, node) for field, as_ in pairs]
                made.append((tag, Inject(wanted, places[c.cls], tuple(items))))
            else:
                lacking.append(tag)
        _, body = made.pop()
        for tag, one in reversed(made):
            body = If(source.has(tag), one, body)
        for tag in lacking:
            name = source.declaration.constructors[tag].name
            raised = frame.site(node, f"TypeError: this is {name}, not {wanted.declaration.name}")
            body = Require(negated(source.has(tag)), body, Failure.RAISED, (), raised)
        header.define(Lam(source.parameters, source.whole(body)))
    return known[wanted, given]


def _made_anew(
    frame: Frame,
    source: _Given | _Made,
    tag: int,
    field: FieldOfClass,
    wanted: Built,
    own: FieldOfClass,
    node: ast.AST,
) -> Term:
    """A field of a node that is made anew, as that of the class in the data type that is wanted."""

    def below(child: Term) -> Term:
        held = wanted.held(own)
        if child.type == held:
            return child
        type_, parts = source.below(child)
        return Call(_maker(frame, type_, held, node), parts)

    if field.kind is Kind.NODE:
        return below(source.field(tag, field))
    if field.kind is Kind.CHILDREN:
        count, element = source.elements(tag, field)
        return build(count, lambda i: below(element(i)))
    if field.kind is Kind.RAGGED:
        return build(*source.elements(tag, field))
    found, type_ = source.field(tag, field), wanted.type_of(own)
    is_other = isinstance(type_, Float) and found.type != type_
    return Prim(p.conversion_to(type_), (found,)) if is_other and isinstance(type_, Float) else found
