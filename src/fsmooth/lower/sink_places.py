"""The places of sinks (`lower.accumulators`): what has one is computed there; the first to write assigns, the others add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from fsmooth.core.hints import Hint
from fsmooth.core.term import Let, MakeTuple, Proj, Term, Var, let
from fsmooth.core.types import Tuple
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO
from fsmooth.lower.accumulators import Path, Sink, Sinks
from fsmooth.lower.arrays import fill_zero
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Mode, View, added, is_added, readable
from fsmooth.lower.storage import storage_for


def places_for(ctx: Context, scope: Let, sinks: Sinks, at: int) -> None:
    """Make storage for the owners of the components of binding `at`."""
    var = scope.bindings[at][0]
    for sink in sinks.of.get(var, {}).values():
        if sink.owner is None or sink.owner in sinks.places:
            continue
        position = next(k for k, (v, _) in enumerate(scope.bindings) if v is sink.owner)
        whole = let(scope.bindings[at:position], scope.bindings[position][1])
        own = storage_for(ctx, whole, Hint.of(sink.owner))
        for component, inner in sinks.of.get(sink.owner, {}).items():
            if inner.is_part:
                own = _with_item(own, component, _place(ctx, sinks, inner))
        sinks.places[sink.owner] = own


def accumulate(
    ctx: Context, scope: Let, sinks: Sinks, at: int, given: Mapping[Path, Destination] = MappingProxyType({})
) -> None:
    """Compute binding `at`: components whose place is `given` there, those with sinks into those."""
    var, value = scope.bindings[at]
    dest = _destination(ctx, sinks, var, var.type, (), scope, at, given)
    ctx.into(sinks.values.get(var, value), dest, Mode.ASSIGN)
    ctx.environment[var] = readable(dest)


def _destination(
    ctx: Context,
    sinks: Sinks,
    var: Var,
    type_: object,
    path: Path,
    scope: Let,
    at: int,
    given: Mapping[Path, Destination],
) -> Destination:
    if path in given:
        return given[path]
    sink = sinks.of.get(var, {}).get(path)
    if sink is not None:
        shared = [s for s in sinks.of[var].values() if s.owner is sink.owner and s.path == sink.path]
        place = marked(_place(ctx, sinks, sink, var in sinks.mixed), _written(sinks, var, path))
        return place if len(shared) == 1 or var in sinks.mixed else _pointed(ctx, place)
    if not path and var in sinks.places:
        return marked(sinks.places[var], [p for owner, p in sinks.written if owner is var])
    if isinstance(type_, Tuple) and any([p[: len(path)] == path for p in (*sinks.of.get(var, {}), *given)]):
        items = [
            _destination(ctx, sinks, var, part, (*path, k), scope, at, given) for k, part in enumerate(type_.items)
        ]
        return Group(tuple(items))
    part: Term = scope.bindings[at][1]
    hint = Hint.of(var)
    for k in path:
        part = part.items[k] if isinstance(part, MakeTuple) else Proj(part, k)
        hint = hint.part(k, k)
    own = storage_for(ctx, part, hint)
    for component, inner in sinks.of.get(var, {}).items():
        if component[: len(path)] == path:
            own = _with_item(own, component[len(path) :], _place(ctx, sinks, inner))
    return own


def _with_item(whole: Destination, path: Path, place: Destination) -> Destination:
    """The storage of an array of tuples, one of its arrays somewhere else."""
    if not path:
        return place
    assert isinstance(whole, Group)
    inner = _with_item(whole.items[path[0]], path[1:], place)  # type: ignore[arg-type]
    return Group((*whole.items[: path[0]], inner, *whole.items[path[0] + 1 :]), whole.sizes)


def _place(ctx: Context, sinks: Sinks, sink: Sink, is_mixed: bool = False) -> Destination:
    """The place of a sink, to be added to if it was written before, or something else is added to it at the same time."""
    place = sinks.places[sink.owner]
    for k in sink.path:
        assert isinstance(place, Group)
        place = place.items[k]  # type: ignore[assignment]
    if sink.whole:
        for row in sink.rows:
            place = _row(place, ctx.scalar(row))
        return place
    key = (sink.owner, sink.path)
    before = key in sinks.written
    sinks.written.add(key)
    if (sink.rows or is_mixed) and not before:
        if not is_added(place):
            fill_zero(ctx, place)
        before = True
    for row in sink.rows:
        index = ctx.scalar(row)
        place = _row(place, index)
    return added(place) if before else place


def _pointed(ctx: Context, place: Destination) -> Destination:
    """A place that is not another one of the same array, by a name that says so."""
    if isinstance(place, Group):
        return Group(tuple([_pointed(ctx, item) for item in place.items]), place.sizes)  # type: ignore[arg-type]
    assert isinstance(place, View)
    pointer = ctx.beside(place.buffer, "row")
    ctx.emit(t.Choose(pointer, place.leaf, place.buffer, place.offset, None, None, None, exchanged=True))
    return replace(place, buffer=pointer, offset=ZERO)


def _row(place: Destination, index: object) -> Destination:
    if isinstance(place, Group):
        return Group(tuple([_row(item, index) for item in place.items]), place.sizes[1:])  # type: ignore[arg-type]
    assert isinstance(place, View)
    return place.at(index)  # type: ignore[arg-type]


def _written(sinks: Sinks, var: Var, path: Path) -> list[Path]:
    """What was added to component `path` of the variable before it is computed."""
    return [p[len(path) :] for owner, p in sinks.written if owner is var and p[: len(path)] == path[: len(p)]]


def marked(place: Destination, paths: Sequence[Path]) -> Destination:
    """The place with the parts at `paths` to be added to."""
    if () in paths:
        return added(place)
    if not paths or not isinstance(place, Group):
        return place
    items = []
    for k, item in enumerate(place.items):
        items.append(marked(item, [p[1:] for p in paths if p[0] == k]))  # type: ignore[arg-type]
    return Group(tuple(items), place.sizes)


def remaining(sinks: Sinks, dest: Destination) -> Destination:
    """The destination of the body: what was written to is only added to from here on."""
    return marked(dest, [path for owner, path in sinks.written if owner is None])
