"""Lists to which the branches of an `if` append, each in its own way."""

from __future__ import annotations

import ast

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.build import build, number, project
from fsmooth.core.term import Const, Get, MakeTuple, Prim, Term, Vector
from fsmooth.core.types import Array, Type, is_scalar
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.growing import written_out
from fsmooth.frontend.python.kinds import join_types
from fsmooth.frontend.python.values import Growing, Listed, Value
from fsmooth.rewrite.linear import polynomial


class Either(Struct, frozen=True):
    """A list after two branches: what each gives for it, and how many elements there may be."""

    first: Term
    second: Term
    lists: tuple[Growing, Growing] | None

    def joined(self, frame: Frame, name: str, part: Term) -> Value:
        """The list, from what the branch that is taken gives for it."""
        if self.lists is None:
            room, count = project(part, 0), project(part, 1)
            return frame.bind(frame.as_list(build(count, lambda i: Get(room, i))), name)
        a, b = self.lists
        most = None if a.most is None or b.most is None else larger(a.most, b.most)
        shared = a.shared | b.shared
        if same(a.added, b.added):
            return Growing(part, a.start, a.added, most, shared)
        return Growing(frame.bind(project(part, 0), "room"), a.start, project(part, 1), most, shared)


def either(frame: Frame, first: Value, second: Value, node: ast.AST) -> Either | None:
    """A list that two branches leave different; None for anything else, and for lists that cannot be joined."""
    if isinstance(first, Growing) and isinstance(second, Growing) and first.start is second.start:
        if same(first.added, second.added):
            return Either(first.room, second.room, (first, second))
        pairs = [MakeTuple((g.room, g.added)) for g in (first, second)]
        return Either(pairs[0], pairs[1], (first, second))
    a, b = items_of(frame, first), items_of(frame, second)
    if a is None or b is None or len(a) == len(b):
        return None
    wanted: Type | None = (*a, *b)[0].type
    for item in (*a, *b):
        wanted = None if wanted is None else join_types(wanted, item.type)
    if wanted is None or not is_scalar(wanted):
        return None
    space = max(len(a), len(b))
    rooms = []
    for items in (a, b):
        given = [convert(frame, item, wanted, node) for item in items]
        filled = [*given, *[number(0, wanted)] * (space - len(items))]
        rooms.append(MakeTuple((Vector(tuple(filled)), Const(len(items)))))
    return Either(rooms[0], rooms[1], None)


def items_of(frame: Frame, value: Value) -> tuple[Term, ...] | None:
    """The elements of a list that are all known one by one."""
    if isinstance(value, Listed):
        items = tuple([item for item in value.items if isinstance(item, Term)])
        return items if len(items) == len(value.items) else None
    return written_out(frame, value) if isinstance(value, Term) and isinstance(value.type, Array) else None


def same(a: Term, b: Term) -> bool:
    """Are two numbers provably equal?"""
    return polynomial(a).plus(polynomial(b), -1).is_zero()


def larger(a: Term, b: Term) -> Term:
    """The larger of two numbers."""
    if isinstance(a, Const) and isinstance(b, Const):
        return a if a.value >= b.value else b
    return a if same(a, b) else Prim(p.maximum, (a, b))
