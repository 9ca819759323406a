"""Folds backwards (paper 001, Fig. 12-15; design §4.4): the states that the way back needs are saved going forward.

    RFold: (Δs, Δinit) of `ifold (fun s i -> e) init n`, by a fold over i = n-1 … 0 whose state are the cotangent of s and
    the sums of what the steps contribute to everything else.

Of a state that is an array the elements that were read are saved, not the array, unless a loop in the step reads it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import minus, tuple_of, zero_like
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Backwards, Const, Flow, IFold, Length, MakeTuple, Proj, Term, Var, let
from fsmooth.core.traverse import transform
from fsmooth.core.types import INT, Array, Int, Tuple, has_float, rank_of
from fsmooth.differentiate.reverse.cotangents import Key, added, is_nothing, place_of, settled
from fsmooth.differentiate.reverse.held import NOTHING_HELD, Held, Table, with_held
from fsmooth.differentiate.reverse.names import beside
from fsmooth.differentiate.reverse.region import Region, Reverser, Transpose, reversed_steps, scope
from fsmooth.differentiate.reverse.residuals import Plan, in_parts, plan
from fsmooth.differentiate.reverse.room import rooms
from fsmooth.differentiate.reverse.sizes import with_sizes
from fsmooth.differentiate.reverse.states import opened_state, part_of, with_lengths
from fsmooth.differentiate.reverse.steps import Item, Step, Steps


class WayBack(Struct, frozen=True, eq=False):
    """One step of a fold reversed: `bars` are the cotangents of the parts of the next state, by position; `steps_back`
    are those of the parts before; `leaving` is what the step contributes to what is outside.
    """

    parts: list[Var]
    initial: list[Term]
    region: Region
    bars: dict[int, Var]
    steps_back: list[Term]
    leaving: dict[Key, Term]

    @property
    def needed(self) -> list[Term]:
        """What the backward part of the step gives."""
        return [*self.steps_back, *self.leaving.values()]

    @property
    def states(self) -> dict[Var, Term]:
        """The parts of the state, with their initial values."""
        return dict(zip(self.parts, self.initial, strict=True))


def transpose_fold(walk: Reverser, step: Step, term: IFold, r: Term) -> Sequence[Item] | None:
    """Pass the cotangent of the last state on; each step saves what its way back needs."""
    return transpose_within(walk, step, term, r, walk.transpose, term.size)


def transpose_within(
    walk: Reverser, step: Step, term: IFold, r: Term, transpose: Transpose, room: Term
) -> Sequence[Item] | None:
    """Likewise; `transpose` is for the steps of its body, and there are `room` or fewer steps."""
    way = way_back(walk, term, r, transpose, last=step.var)
    own = term.index if room is term.size else None
    inside = frozenset((term.index,))
    chosen = plan(way.region, way.needed, walk.costs, inside, way.states, thresholds.SAVED, index=own)
    chosen = in_parts(chosen, way.region, way.needed)
    return pass_on(walk, step, term, r, way, chosen, way.region.forward, way.region.value, room)


def way_back(
    walk: Reverser,
    term: IFold,
    r: Term,
    transpose: Transpose,
    possible: frozenset[int] | None = None,
    last: Var | None = None,
) -> WayBack:
    """The body of a fold reversed, where `r` is the cotangent of the last state; only `possible` parts can be active.

    `last` is the last state, if it is known when the way back runs.
    """
    parts, initial, body = opened_state(term)
    among = frozenset(range(len(parts))) if possible is None else possible
    held = walk.steps.held
    if last is not None:
        body, held = _with_held(walk, term, parts, initial, body, last)
    region, bars = _reversed(walk, term, parts, initial, body, held, r, transpose, among)
    following = [region.cotangents.take(parts[k]) for k in bars]
    steps_back = [zero_like(initial[k]) if c is None else c for k, c in zip(bars, following, strict=True)]
    leaving = region.leaving(term.index, *parts, *bars.values())

    def change(t: Term) -> Term:
        return with_lengths(t, parts, initial)

    region.forward = [Step(x.var, change(x.term), x.active) if isinstance(x, Step) else x for x in region.forward]
    region.backward = [(x, change(value)) for x, value in region.backward]
    gathered = {key: change(cotangent) for key, cotangent in leaving.items()}
    return WayBack(parts, initial, region, bars, [change(c) for c in steps_back], gathered)


def _with_held(
    walk: Reverser, term: IFold, parts: Sequence[Var], initial: Sequence[Term], body: Term, last: Var
) -> tuple[Term, Held]:
    """The body with names for what the last state holds."""
    tables = []
    for k, (part, first) in enumerate(zip(parts, initial, strict=True)):
        if isinstance(part.type, Array):
            path = (k,) if isinstance(term.state.type, Tuple) else ()
            sizes = [_told(size_of(first, axis), walk) for axis in range(rank_of(part.type))]
            tables.append(Table(part, path, part_of(last, term, k), sizes))
    if not tables:
        return body, walk.steps.held
    return with_held(body, tables, term.index, term.size, walk.definitions, walk.steps.held, walk.costs)


def active_parts(walk: Reverser, term: IFold) -> frozenset[int]:
    """The parts of the state that depend on what is differentiated."""
    parts, initial, body = opened_state(term)
    return frozenset(_activity(walk, term, parts, initial, body, NOTHING_HELD, frozenset(range(len(parts))))[2])


def pass_on(
    walk: Reverser,
    step: Step,
    term: IFold,
    r: Term,
    way: WayBack,
    chosen: Plan,
    forward: Sequence[Item],
    value: Term,
    room: Term,
) -> Sequence[Item] | None:
    """The fold that saves, which runs `forward` to `value` in each step, and the fold back over what it saved."""
    parts, bars = way.parts, way.bars
    instead, saved = _saving(step, term, parts, chosen, forward, value, room)
    keys, gathered = list(way.leaving), list(way.leaving.values())
    start = [part_of(r, term, k) for k in bars] + [zero_like(place_of(key)) for key in keys]
    down = Var("down", INT, Backwards.of(term.index, Flow.STATE))
    sums = [beside(key[0], Flow.COTANGENT, z.type) for key, z in zip(keys, start[len(bars) :], strict=True)]
    current = [*bars.values(), *sums]
    final = [*way.steps_back, *[added((acc, c), acc) for acc, c in zip(sums, gathered, strict=True)]]
    items: list[Item] = [
        Step(term.index, minus(minus(term.size, Const(1)), down), active=False),
        *saved,
        *chosen.recomputed,
    ]
    whole_init = tuple_of(start)
    state = beside(step.var, Flow.STATE, whole_init.type)
    opened: list[tuple[Var, Term]] = [(x, state if len(start) == 1 else Proj(state, k)) for k, x in enumerate(current)]
    result = tuple_of(final)
    loop = IFold(term.size, whole_init, state, down, let(opened, scope(items, let(way.region.backward, result))))
    whole = beside(step.var, Flow.LEAVING, loop.type)
    walk.run_back(whole, loop)
    ends = [whole] if len(start) == 1 else [Proj(whole, k) for k in range(len(start))]
    for k, end in zip(bars, ends, strict=False):
        walk.contribute(way.initial[k], end)
    for key, end in zip(keys, ends[len(bars) :], strict=True):
        walk.contribute(*settled(key, end))
    return instead


def _row_count(initial: Term, walk: Reverser) -> Term | None:
    """The rows of this part of the state, told from what is outside; None if it has none, or they cannot be told."""
    if rank_of(initial.type) < 1:
        return None
    try:
        return _told(size_of(initial), walk)
    except Ragged:
        return None


def _told(size: Term, walk: Reverser) -> Term:
    """A size without names of steps, and without lengths of the states of folds around."""

    def change(t: Term) -> Term:
        if not isinstance(t, Length) or t.axis or not isinstance(t.array, Var):
            return t
        return walk.steps.states.get(t.array) or t

    for _ in range(thresholds.DEFINITIONS):
        new = transform(with_sizes(size, walk.definitions.get), change)
        numbers = {x: walk.definitions[x] for x in new.free if isinstance(x.type, Int) and x in walk.definitions}
        new = substitute(new, numbers) if numbers else new
        if new is size:
            break
        size = new
    return size


def _reversed(
    walk: Reverser,
    term: IFold,
    parts: Sequence[Var],
    initial: Sequence[Term],
    body: Term,
    held: Held,
    r: Term,
    transpose: Transpose,
    possible: frozenset[int],
) -> tuple[Region, dict[int, Var]]:
    """The reversed body, and the cotangents of the active parts of the next state, by position.

    A part has a cotangent if its last value has, or if a step passes one on to it (a fixpoint).
    """
    steps, value, chosen = _activity(walk, term, parts, initial, body, held, possible)
    wanted = {k for k in chosen if not is_nothing(part_of(r, term, k))}
    while True:
        bars = {k: beside(parts[k], Flow.COTANGENT, zero_like(parts[k]).type) for k in sorted(wanted)}
        region = _with_bars(walk, term, steps, value, bars, transpose)
        reached = {k for k in chosen if region.cotangents.reaches(parts[k])}
        if reached <= wanted:
            return region, bars
        wanted |= reached


def _activity(
    walk: Reverser,
    term: IFold,
    parts: Sequence[Var],
    initial: Sequence[Term],
    body: Term,
    held: Held,
    possible: frozenset[int],
) -> tuple[Steps, Term, set[int]]:
    """The steps of the body, its value, and the active parts: a part is active at first, or becomes so in a step."""
    outer = walk.steps.active_in(body)
    chosen = {k for k, first in enumerate(initial) if has_float(first.type) and walk.steps.is_active(first)}
    counts = {x: _row_count(first, walk) for x, first in zip(parts, initial, strict=True)}
    size = _told(term.size, walk)
    rows = tuple([(x, term.index) for x, n in counts.items() if rank_of(x.type) > 1 and n and alpha_equal(n, size)])
    states = {**walk.steps.states, **counts}
    while True:
        active = frozenset([*outer, *[parts[k] for k in chosen]])
        steps = Steps(active, states, rows, held, walk.steps.tables)
        value = steps.value(body)
        found = {k for k in possible if has_float(parts[k].type) and steps.is_active(part_of(value, term, k))}
        if found <= chosen:
            return steps, value, chosen
        chosen |= found


def _with_bars(
    walk: Reverser, term: IFold, steps: Steps, value: Term, bars: dict[int, Var], transpose: Transpose
) -> Region:
    def seed(inner: Reverser, end: Term) -> None:
        for k, bar in bars.items():
            inner.contribute(part_of(end, term, k), bar)

    late = walk.late.union(bars.values())
    return reversed_steps(steps, value, seed, transpose, walk.costs, wanted=True, late=late)


def _saving(
    step: Step,
    term: IFold,
    parts: Sequence[Var],
    chosen: Plan,
    forward: Sequence[Item],
    value: Term,
    room: Term,
) -> tuple[Sequence[Item] | None, list[Item]]:
    """The fold that saves (None: the original one will do), and the steps that read what was saved."""
    if not chosen.stored:
        return None, []
    rows, before = rooms(chosen.stored, term.index, room)
    first = MakeTuple((term.init, *[each.empty(room) for each in rows]))
    state = Var(term.state.name, first.type)
    opened = [(x, part_of(Proj(state, 0), term, k)) for k, x in enumerate(parts)]
    names = [x for x, _ in chosen.stored]
    kept = [each.with_row(Proj(state, k + 1), x) for k, (each, x) in enumerate(zip(rows, names, strict=True))]
    body = let(opened, scope([*forward, *chosen.made], MakeTuple((value, *kept))))
    loop = IFold(term.size, first, state, term.index, body)
    whole = beside(step.var, Flow.SAVED, loop.type)
    read: list[Item] = [
        Step(x, each.row(Proj(whole, k + 1)), active=False) for k, (each, x) in enumerate(zip(rows, names, strict=True))
    ]
    return [*before, Step(whole, loop, active=False), Step(step.var, Proj(whole, 0), active=True)], read
