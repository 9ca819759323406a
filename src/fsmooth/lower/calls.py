"""Calls of definitions: scalars by value, arrays by where they are, results into locals (design-recursion §4)."""

from __future__ import annotations

from fsmooth.core.term import Call
from fsmooth.core.types import Tuple, Type, is_scalar, unzipped
from fsmooth.loops import tree as t
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.context import Context
from fsmooth.lower.destination import (
    Destination,
    Group,
    Local,
    Mode,
    Scalar,
    Value,
    View,
    dense_view,
    leaves,
    load,
    readable,
)


def call(ctx: Context, term: Call) -> Value:
    """The value of a call, in locals."""
    given: list[t.Expression | t.Place] = []
    for argument in term.arguments:
        if is_scalar(argument.type):
            given.append(ctx.light(ctx.scalar(argument)))
            continue
        for leaf in leaves(ctx.value(argument)):
            given.extend(_handed(ctx, leaf))
    name = ctx.function_of(term.header)
    place = _locals(ctx, unzipped(term.type), term.header.name)
    results = tuple([leaf.name for leaf in leaves(place) if isinstance(leaf, Local)])
    ctx.emit(t.Invoke(name, tuple(given), results))
    return readable(place)


def call_into(ctx: Context, term: Call, dest: Destination, mode: Mode) -> None:
    """The tuple that a call gives, to a destination."""
    for value, place in zip(leaves(call(ctx, term)), leaves(dest), strict=True):
        assert isinstance(value, Scalar)
        assert not isinstance(place, Scalar)
        ctx.store(place, value.expression, mode)


def _locals(ctx: Context, type_: Type, hint: str) -> Destination:
    if isinstance(type_, Tuple):
        return Group(tuple([_locals(ctx, item, hint) for item in type_.items]))
    return ctx.local(hint, type_)


def _handed(ctx: Context, leaf: View | Scalar | Local) -> list[t.Expression | t.Place]:
    """A number; or where an array is, without gaps, and its sizes."""
    if isinstance(leaf, Scalar):
        return [leaf.expression]
    assert isinstance(leaf, View)
    if not leaf.sizes:
        return [load(leaf)]
    view = leaf if leaf.dense else _copied(ctx, leaf)
    return [t.Place(view.buffer, view.offset, view.leaf), *view.sizes]


def _copied(ctx: Context, view: View) -> View:
    buffer = ctx.fresh("argument")
    ctx.emit(t.Allocate(buffer, view.leaf, view.count()))
    place = dense_view(buffer, view.sizes, view.leaf)
    copy_into(ctx, view, place, Mode.ASSIGN)
    return place
