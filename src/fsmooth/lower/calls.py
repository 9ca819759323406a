"""Calls of definitions: scalars by value, arrays by where they are, results to locals and buffers."""

from __future__ import annotations

from fsmooth.core.term import Call
from fsmooth.core.types import Data, is_scalar
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
    added,
    dense_view,
    leaves,
    load,
    readable,
)
from fsmooth.lower.storage import array, storage_for


def call(ctx: Context, term: Call) -> Value:
    """The value of a call, in storage of its own."""
    given = _arguments(ctx, term)
    place = storage_for(ctx, term, term.header.name)
    _invoke(ctx, term, given, place)
    return readable(place)


def call_into(ctx: Context, term: Call, dest: Destination, mode: Mode) -> None:
    """What a call gives, to a destination: an array where it is to be, or to be added, if there are no gaps in that."""
    given = _arguments(ctx, term)
    if mode is Mode.ACCUMULATE:
        dest = added(dest)
    places = leaves(dest)
    if all([isinstance(p, View) and bool(p.sizes) and p.dense for p in places]):
        _invoke(ctx, term, given, dest)
        return
    own = [_direct(ctx, place, term.header.name) for place in places]
    _invoke(ctx, term, given, Group(tuple(own)))
    for value, place in zip(own, places, strict=True):
        assert not isinstance(place, Scalar)
        if isinstance(value, Local) and value is not place:
            ctx.store(place, t.Name(value.name, value.type), Mode.ASSIGN)
        elif isinstance(value, View) and value is not place:
            copy_into(ctx, value, place, Mode.ASSIGN)


def _direct(ctx: Context, place: View | Scalar | Local, hint: str) -> View | Local:
    """A place that a function can write to: an array without gaps, or a local that is not added to."""
    assert not isinstance(place, Scalar)
    if isinstance(place, Local):
        return ctx.local(hint, place.type) if place.added else place
    if not place.sizes:
        return ctx.local(hint, place.leaf)
    return place if place.dense else array(ctx, place.sizes, place.leaf, hint)


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
    to_add: list[bool] = []
    frames: list[str | t.Place] = []
    for leaf in leaves(dest):
        assert not isinstance(leaf, Scalar)
        results.append(leaf.name if isinstance(leaf, Local) else t.Place(leaf.buffer, leaf.offset, leaf.leaf))
        to_add.append(leaf.added)
        if isinstance(leaf.type if isinstance(leaf, Local) else leaf.leaf, Data):
            frames.append(results[-1])
    function = ctx.function_of(term.header, tuple(to_add))
    ctx.emit(t.Invoke(function, given, tuple(results), tuple(to_add), tuple(frames)))


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
