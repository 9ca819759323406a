"""Calls of definitions: scalars by value, arrays by where they are, results to locals and buffers."""

from __future__ import annotations

from fsmooth.core.term import Call
from fsmooth.core.types import is_scalar
from fsmooth.loops import tree as t
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.context import Context
from fsmooth.lower.destination import (
    Destination,
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
from fsmooth.lower.storage import storage_for


def call(ctx: Context, term: Call) -> Value:
    """The value of a call, in storage of its own."""
    given = _arguments(ctx, term)
    place = storage_for(ctx, term, term.header.name)
    _invoke(ctx, term, given, place)
    return readable(place)


def call_into(ctx: Context, term: Call, dest: Destination, mode: Mode) -> None:
    """What a call gives, to a destination: an array where it is to be, if there are no gaps in that."""
    given = _arguments(ctx, term)
    places = leaves(dest)
    direct = [isinstance(p, View) and bool(p.sizes) and p.dense and not p.added and mode is Mode.ASSIGN for p in places]
    own = dest if all(direct) else storage_for(ctx, term, term.header.name)
    _invoke(ctx, term, given, own)
    if own is not dest:
        for value, place in zip(leaves(readable(own)), places, strict=True):
            assert not isinstance(place, Scalar)
            if isinstance(value, Scalar):
                ctx.store(place, value.expression, mode)
            else:
                assert not isinstance(value, Local)
                copy_into(ctx, value, place, mode)


def _arguments(ctx: Context, term: Call) -> tuple[t.Expression | t.Place, ...]:
    given: list[t.Expression | t.Place] = []
    for argument in term.arguments:
        if is_scalar(argument.type):
            given.append(ctx.light(ctx.scalar(argument)))
        else:
            given.extend([part for leaf in leaves(ctx.value(argument)) for part in _handed(ctx, leaf)])
    return tuple(given)


def _invoke(ctx: Context, term: Call, given: tuple[t.Expression | t.Place, ...], dest: Destination) -> None:
    results: list[str | t.Place] = []
    for leaf in leaves(dest):
        assert not isinstance(leaf, Scalar)
        results.append(leaf.name if isinstance(leaf, Local) else t.Place(leaf.buffer, leaf.offset, leaf.leaf))
    ctx.emit(t.Invoke(ctx.function_of(term.header), given, tuple(results)))


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
