"""States that every step records whole: they live in the rows where they are recorded (design §6).

    ifold (fun (s, a) i -> (f s, update a i s)) (s0, zero n) n

Reverse mode saves states so.  Step i finds s in a[i] and computes the next one in a[i + 1], the last step in the place of
the last state: nothing is copied, and no buffers are exchanged.

Such a state is never changed in place: what a step makes of it, by whatever way, goes to the next row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from fsmooth.core.hints import Hint
from fsmooth.core.term import IFold, MakeTuple, Term, Update
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, minus, plus, positive
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.cardinality import is_path
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Mode, Value, View, dense_view
from fsmooth.lower.placement.extents import has_room, is_same_size
from fsmooth.lower.placement.fold_roles import Path, Role, opened, place_of
from fsmooth.lower.placement.places import Part
from fsmooth.lower.placement.replacement import New, exchangeable, in_spare, is_same_view


class Recorded(Struct, frozen=True, eq=False):
    """A part of a state and the part that records it.

    `first`, `current` and `following` are where it starts, where a step finds it, and where the step puts the next one.
    """

    path: Path
    record: Path
    rows: View
    last: View
    first: View
    current: View
    following: View


def recorded_in(
    ctx: Context, fold: IFold, state: Destination, roles: Mapping[Path, Role], size: t.Expression
) -> list[Recorded]:
    """The parts of the state of a fold that live in rows, given where all parts would live; says where each starts."""
    found: list[Recorded] = []
    for path, record in _pairs(fold, roles):
        last, rows = _at(state, path), _at(state, record)
        if any([path == x.path or record == x.record for x in found]) or not _is_place(last) or not _is_place(rows):
            continue
        assert isinstance(last, View)
        assert isinstance(rows, View)
        if exchangeable(last) and _fits(ctx, last, rows) and has_room(ctx, rows.sizes[0], size):
            found.append(_pointed(ctx, path, record, last, rows, size))
    return found


def _pointed(ctx: Context, path: Path, record: Path, last: View, rows: View, size: t.Expression) -> Recorded:
    hint = ctx.names.hints.get(last.buffer, Hint(last.buffer))
    first, current, following = [
        dense_view(ctx.fresh(hint.inside(which)), last.sizes, last.leaf) for which in ("first", "row", "next")
    ]
    x = Recorded(path, record, rows, last, first, current, following)
    _point(ctx, x, first, ZERO, size)
    return x


def _fits(ctx: Context, last: View, rows: View) -> bool:
    """Have the rows the sizes of the state, for certain?  (It may be checked in the loop only.)"""
    return all([is_same_size(ctx, a, b) for a, b in zip(rows.sizes[1:], last.sizes, strict=True)])


def open_step(ctx: Context, found: Sequence[Recorded], index: t.Expression, size: t.Expression) -> None:
    """Say where a step finds the recorded parts, and where it puts the next ones."""
    for x in found:
        place = x.rows.at(index)
        ctx.emit(t.Choose(x.current.buffer, place.leaf, place.buffer, place.offset, None, None, None, exchanged=True))
        after = plus(index, ONE)
        _point(ctx, x, x.following, after, minus(size, after), beside=x.current.buffer)


def _point(
    ctx: Context, x: Recorded, to: View, row: t.Expression, steps: t.Expression, beside: str | None = None
) -> None:
    """A pointer to a row if a step is left for it, else to the place of the last state."""
    place = x.rows.at(row)
    there = place.buffer, place.offset
    known = positive(steps)
    if isinstance(known, t.Literal):
        at = there if known.value else (x.last.buffer, x.last.offset)
        ctx.emit(t.Choose(to.buffer, to.leaf, *at, None, None, None, exchanged=True, beside=beside))
        return
    last = x.last.buffer, x.last.offset
    when = t.Count.POSITIVE
    ctx.emit(t.Choose(to.buffer, to.leaf, *last, steps, *there, exchanged=True, when=when, beside=beside))


def moved(state: Destination, places: Mapping[Path, View]) -> Destination:
    """The places of the parts of a state, of which some are elsewhere."""
    return _moved(state, (), places)


def _moved(state: Destination, path: Path, places: Mapping[Path, View]) -> Destination:
    if path in places:
        return places[path]
    if isinstance(state, Group) and not state.sizes:
        return Group(tuple([_moved(item, (*path, k), places) for k, item in enumerate(state.items)]))  # type: ignore[arg-type]
    return state


def holding(init: Term, found: Sequence[Recorded]) -> tuple[set[Path], set[Path]]:
    """Of the initial state, the parts that are written out: those with recorded parts in them, and the others."""
    ends = [path for path, _ in _ends(init, ())]
    own = {path for path in ends if any([x.path[: len(path)] == path for x in found])}
    return own, set(ends) - own


def settle(parts: Sequence[Part], found: Sequence[Recorded]) -> None:
    """Tell the parts where their next contents go, and those that record them what they need not copy."""
    for x in found:
        for part in parts:
            if part.path == x.path:
                part.following = x.following
            elif part.path == x.record:
                part.recorded = x.current


def into_next_row(ctx: Context, new: New, part: Part, place: Destination) -> None:
    """Compute the next contents of a recorded part in their place, unless they are there."""
    if isinstance(new, Value):
        copy_into(ctx, new, place, Mode.ASSIGN)
    elif in_spare(ctx, new, part) is None:
        ctx.into(new, place, Mode.ASSIGN)


def is_recorded(ctx: Context, value: Term, part: Part) -> bool:
    """Is the value in the row that this step writes already?"""
    if part.recorded is None or not is_path(value):
        return False
    found = ctx.value(value)
    return isinstance(found, View) and is_same_view(found, part.recorded)


def _pairs(fold: IFold, roles: Mapping[Path, Role]) -> Iterator[tuple[Path, Path]]:
    """The parts that are recorded whole, each with the part that records it."""
    aliases, _, body = opened(fold)
    for record, end in _ends(body, ()):
        if isinstance(end, Update) and roles.get(record) in (Role.RECORD, Role.FILLED):
            path = place_of(end.value, fold.state, aliases)
            if path is not None:
                yield path, record


def _ends(body: Term, path: Path) -> Iterator[tuple[Path, Term]]:
    if not isinstance(body, MakeTuple):
        yield path, body
        return
    for k, item in enumerate(body.items):
        yield from _ends(item, (*path, k))


def _at(state: Destination, path: Path) -> Destination:
    for k in path:
        assert isinstance(state, Group)
        state = state.items[k]  # type: ignore[assignment]
    return state


def _is_place(place: Destination) -> bool:
    """Is it one piece of memory, to be written?"""
    return isinstance(place, View) and place.dense and not place.started and not place.added
