"""Trees that a program makes, as results: columns again, of as many rows as there are nodes.

One definition counts the nodes of each class, another one writes each node into its row; what it gives are sums of single
elements, which are added where they belong (decision 24).  A node that is reached twice has two rows.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from fsmooth.core.build import equals, plus, tuple_of
from fsmooth.core.nodes.built import Built
from fsmooth.core.nodes.declaration import Constructor, Kind
from fsmooth.core.nodes.packed import objects
from fsmooth.core.term import (
    Call,
    Const,
    Delta,
    Field,
    Header,
    If,
    Lam,
    MakeTuple,
    Plus,
    Proj,
    Site,
    Tag,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.types import INT, Tuple, Type
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.references import reference

_HELD = (Kind.NUMBER, Kind.TEXT, Kind.NODE)


def as_columns(frame: Frame, value: Term, node: ast.AST) -> Term:
    """A value with its nodes as columns."""
    if isinstance(value.type, Tuple) and any([_has_nodes(item) for item in value.type.items]):
        bound = frame.bind(value, "result")
        items = tuple([as_columns(frame, Proj(bound, k), node) for k in range(len(value.type.items))])
        return MakeTuple(items, Tuple(tuple([item.type for item in items]), value.type.names, value.type.record))
    return _columns(frame, value, node) if isinstance(value.type, Built) else value


def _has_nodes(type_: Type) -> bool:
    return isinstance(type_, Built) or (isinstance(type_, Tuple) and any([_has_nodes(t) for t in type_.items]))


def _columns(frame: Frame, value: Term, node: ast.AST) -> Term:
    assert isinstance(value.type, Built)
    type_ = value.type
    for c in type_.declaration.constructors:
        for field in c.fields:
            if field.kind not in _HELD:
                what = f"a {c.name} as a result, whose {field.name} is {field.kind.value},"
                frame.unsupported(node, what, "return the arrays beside a tree of numbers")
    tree = frame.bind(value, "tree")
    site = frame.site(node)
    counted = _Written(type_, site)
    count = frame.bind(Call(counted.counts(type_), (tree,)), "count")
    sizes = [_part(count, k, counted.classes) for k in range(counted.classes)]
    whole = frame.bind(Call(counted.writes(type_), (tree, *sizes, *[Const(0)] * counted.classes)), "columns")
    items = (Proj(whole, 0), *[Proj(whole, 1 + counted.classes + k) for k in range(len(counted.columns))])
    record = type_.declaration.record(objects)
    return MakeTuple(items, Tuple(tuple([item.type for item in items]), record.names, record))


def _part(whole: Term, k: int, count: int) -> Term:
    return whole if count == 1 else Proj(whole, k)


class _Written:
    """The definitions for one data type; only classes with fields have rows."""

    def __init__(self, type_: Built, site: Site) -> None:
        self.type, self.site = type_, site
        self.counting: dict[Built, Header] = {}
        self.writing: dict[Built, Header] = {}
        self.declaration = type_.declaration
        with_rows = [k for k, c in enumerate(self.declaration.constructors) if c.fields]
        self.place = {tag: k for k, tag in enumerate(with_rows)}
        self.classes = len(with_rows)
        self.columns = [(tag, f) for tag in with_rows for f in self.declaration.constructors[tag].fields]

    def counts(self, type_: Built) -> Header:
        """How many nodes there are of each class, of those of one data type."""
        if type_ in self.counting:
            return self.counting[type_]
        data = Var("tree", type_)
        result = tuple_of([Const(0)] * self.classes).type
        header = self.counting[type_] = Header("count", (type_,), result, self.site, None)

        def way(place: int, constructor: Constructor) -> Term:
            tag = self.declaration.tags[constructor.cls]
            own = [Const(int(self.place.get(tag) == k)) for k in range(self.classes)]
            bindings: list[tuple[Var, Term]] = []
            totals: list[Term] = list(own)
            for j, field in enumerate(constructor.fields):
                if field.kind is Kind.NODE:
                    below = Var("below", result)
                    held = type_.held(field)
                    bindings.append((below, Call(self.counts(held), (Field(data, place, j),))))
                    totals = [plus(t, _part(below, k, self.classes)) for k, t in enumerate(totals)]
            return let(bindings, tuple_of(totals))

        header.define(Lam((data,), self._each(data, type_, way)))
        return header

    def writes(self, type_: Built) -> Header:
        """The node, the rows that are free after it, and the columns with the rows of its tree, zero elsewhere."""
        if type_ in self.writing:
            return self.writing[type_]
        data = Var("tree", type_)
        sizes = [Var("size", INT) for _ in range(self.classes)]
        free = [Var("row", INT) for _ in range(self.classes)]
        empty = [Zero((sizes[self.place[tag]],), self._leaf(tag, f.name)) for tag, f in self.columns]
        parameters = (data, *sizes, *free)
        blank = MakeTuple((Const(0), *free, *empty))
        model = Lam(parameters, blank)
        header = Header("write", tuple([q.type for q in parameters]), blank.type, self.site, model)
        self.writing[type_] = header

        def way(place: int, constructor: Constructor) -> Term:
            tag = self.declaration.tags[constructor.cls]
            if tag not in self.place:
                return MakeTuple((reference(self.declaration, tag, Const(0)), *free, *empty))
            row = free[self.place[tag]]
            rows: list[Term] = [plus(r, Const(1)) if k == self.place[tag] else r for k, r in enumerate(free)]
            bindings: list[tuple[Var, Term]] = []
            below: list[Var] = []
            own: dict[tuple[int, str], Term] = {}
            for j, field in enumerate(constructor.fields):
                value: Term = Field(data, place, j)
                if field.kind is Kind.NODE:
                    made = Var("below", blank.type)
                    bindings.append((made, Call(self.writes(type_.held(field)), (value, *sizes, *rows))))
                    rows = [Proj(made, 1 + k) for k in range(self.classes)]
                    below.append(made)
                    value = Proj(made, 0)
                own[tag, field.name] = Delta(sizes[self.place[tag]], row, value)
            columns = []
            for k, (other, f) in enumerate(self.columns):
                parts: Sequence[Term] = [Proj(made, 1 + self.classes + k) for made in below]
                parts = [*parts, own[other, f.name]] if (other, f.name) in own else parts
                columns.append(Plus(tuple(parts)) if len(parts) > 1 else parts[0] if parts else empty[k])
            node = reference(self.declaration, tag, row)
            return let(bindings, MakeTuple((node, *rows, *columns)))

        header.define(Lam(parameters, self._each(data, type_, way)))
        return header

    def _leaf(self, tag: int, name: str) -> Type:
        constructor = self.declaration.constructors[tag]
        field = constructor.field(name)
        assert field is not None
        return INT if field.kind is Kind.NODE else self.type.type_of(field)

    def _each(self, data: Term, type_: Built, way: Callable[[int, Constructor], Term]) -> Term:
        ways = [way(tag, c) for tag, c in enumerate(type_.declaration.constructors)]
        body = ways.pop()
        for tag, one in reversed(list(enumerate(ways))):
            body = If(equals(Tag(data), Const(tag)), one, body)
        return body
