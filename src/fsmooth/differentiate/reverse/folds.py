"""Folds backwards (paper 001, Fig. 12-15; design §4.4): the states that the way back needs are saved going forward.

    RFold: (Δs, Δinit) of `ifold (fun s i -> e) init n`, by a fold over i = n-1 … 0 whose state are the cotangent of s and
    the sums of what the steps contribute to everything else.

Of a state that is an array the elements that were read are saved, not the array, unless a loop in the step reads it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import minus, zero_like
from fsmooth.core.shape import size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Const, Get, IFold, Length, MakeTuple, Proj, Term, Update, Var, let
from fsmooth.core.traverse import transform
from fsmooth.core.types import INT, Tuple, has_float, rank_of
from fsmooth.differentiate.reverse.cotangents import added, component, is_nothing, place_of
from fsmooth.differentiate.reverse.region import Region, Reverser, reversed_steps, scope
from fsmooth.differentiate.reverse.residuals import Plan, blank_rows, plan
from fsmooth.differentiate.reverse.steps import Item, Step, Steps


def transpose_fold(walk: Reverser, step: Step, term: IFold, r: Term) -> Sequence[Item] | None:
    """Pass the cotangent of the last state on."""
    parts = _parts_of(term.state)
    initial = [_part(term.init, term, k) for k in range(len(parts))]
    body = _with_lengths(substitute(term.body, {term.state: _joined(parts, term)}), parts, initial)
    region, bars = _reversed(walk, term, parts, initial, body, r)
    following = [region.cotangents.take(parts[k]) for k in bars]
    steps_back = [zero_like(parts[k]) if c is None else c for k, c in zip(bars, following, strict=True)]
    leaving = region.leaving(term.index, *parts, *bars.values())
    keys, gathered = list(leaving), list(leaving.values())
    states = dict(zip(parts, initial, strict=True))
    chosen = plan(region, [*steps_back, *gathered], walk.costs, frozenset((term.index,)), states)
    instead, saved = _forward(walk, step, term, parts, region, chosen)

    # the way back
    start = [_part(r, term, k) for k in bars] + [zero_like(place_of(key)) for key in keys]
    down = Var("down", INT)
    sums = [Var(f"{key[0].name}_bar", z.type) for key, z in zip(keys, start[len(bars) :], strict=True)]
    current = [*bars.values(), *sums]
    final = [*steps_back, *[added((acc, c), acc) for acc, c in zip(sums, gathered, strict=True)]]
    items: list[Item] = [
        Step(term.index, minus(minus(term.size, Const(1)), down), active=False),
        *saved,
        *chosen.recomputed,
    ]
    whole_init = start[0] if len(start) == 1 else MakeTuple(tuple(start))
    state = Var("back", whole_init.type)
    opened: list[tuple[Var, Term]] = [(x, state if len(start) == 1 else Proj(state, k)) for k, x in enumerate(current)]
    result = final[0] if len(final) == 1 else MakeTuple(tuple(final))
    loop = IFold(term.size, whole_init, state, down, let(opened, scope(items, let(region.backward, result))))
    whole = Var(f"{step.var.name}_back", loop.type)
    walk.run_back(whole, loop)
    ends = [whole] if len(start) == 1 else [Proj(whole, k) for k in range(len(start))]
    for k, end in zip(bars, ends, strict=False):
        walk.contribute(initial[k], end)
    for key, end in zip(keys, ends[len(bars) :], strict=True):
        walk.contribute(place_of(key), end)
    return instead


def _with_lengths(body: Term, parts: Sequence[Var], initial: Sequence[Term]) -> Term:
    """The lengths of the state are those of the initial one, so that asking for them does not read the state."""
    first = dict(zip(parts, initial, strict=True))

    def change(t: Term) -> Term:
        if not isinstance(t, Length):
            return t
        size = size_of(t.array, t.axis)
        if isinstance(size, Length) and isinstance(size.array, Var) and size.array in first:
            return size_of(first[size.array], size.axis)
        return t

    return transform(body, change)


def _has_row(initial: Term, term: IFold) -> bool:
    """Is there a row of this part of the state for every step?"""
    return rank_of(initial.type) > 1 and alpha_equal(size_of(initial), term.size)


def _parts_of(state: Var) -> list[Var]:
    if not isinstance(state.type, Tuple):
        return [state.renamed()]
    names = state.type.names or tuple([str(k) for k in range(len(state.type.items))])
    return [Var(f"{state.name}_{name}", t) for name, t in zip(names, state.type.items, strict=True)]


def _part(whole: Term, term: IFold, k: int) -> Term:
    return component(whole, k) if isinstance(term.state.type, Tuple) else whole


def _joined(parts: Sequence[Var], term: IFold) -> Term:
    return MakeTuple(tuple(parts), term.state.type) if isinstance(term.state.type, Tuple) else parts[0]


def _reversed(
    walk: Reverser, term: IFold, parts: Sequence[Var], initial: Sequence[Term], body: Term, r: Term
) -> tuple[Region, dict[int, Var]]:
    """The reversed body, and the cotangents of the active parts of the next state, by position.

    A part is active if it is at first, or becomes so in a step (a fixpoint); it has a cotangent if its last value has,
    or if a step passes one on to it (another).
    """
    outer = [x for x in body.free if x in walk.steps.active]
    chosen = {k for k, first in enumerate(initial) if has_float(first.type) and walk.steps.is_active(first)}
    rows = frozenset([(x, term.index) for x, first in zip(parts, initial, strict=True) if _has_row(first, term)])
    while True:
        active = frozenset([*outer, *[parts[k] for k in chosen]])
        steps = Steps(active, walk.steps.states | frozenset(parts), rows)
        value = steps.value(body)
        found = {
            k for k, x in enumerate(parts) if has_float(x.type) and steps.is_active(_part(value, term, k))
        } | chosen
        if found == chosen:
            break
        chosen = found
    wanted = {k for k in chosen if not is_nothing(_part(r, term, k))}
    while True:
        bars = {k: Var(f"{parts[k].name}_bar", zero_like(parts[k]).type) for k in sorted(wanted)}
        region = _with_bars(walk, term, steps, value, bars)
        reached = {k for k in chosen if region.cotangents.reaches(parts[k])}
        if reached <= wanted:
            return region, bars
        wanted |= reached


def _with_bars(walk: Reverser, term: IFold, steps: Steps, value: Term, bars: dict[int, Var]) -> Region:
    def seed(inner: Reverser, end: Term) -> None:
        for k, bar in bars.items():
            inner.contribute(_part(end, term, k), bar)

    late = walk.late.union(bars.values())
    return reversed_steps(steps, value, seed, walk.transpose, walk.costs, wanted=True, late=late)


def _forward(
    walk: Reverser, step: Step, term: IFold, parts: Sequence[Var], region: Region, chosen: Plan
) -> tuple[Sequence[Item] | None, list[Item]]:
    """The fold that saves (None: the original one will do), and the steps that read what was saved."""
    if not chosen.stored:
        return None, []
    first = MakeTuple((term.init, *[blank_rows(blank, term.size) for _, blank in chosen.stored]))
    state = Var(term.state.name, first.type)
    opened = [(x, _part(Proj(state, 0), term, k)) for k, x in enumerate(parts)]
    kept = [Update(Proj(state, k + 1), term.index, x) for k, (x, _) in enumerate(chosen.stored)]
    body = let(opened, scope(region.forward, MakeTuple((region.value, *kept))))
    loop = IFold(term.size, first, state, term.index, body)
    whole = Var(f"{step.var.name}_saved", loop.type)
    read: list[Item] = [
        Step(x, Get(Proj(whole, k + 1), term.index), active=False) for k, (x, _) in enumerate(chosen.stored)
    ]
    return [Step(whole, loop, active=False), Step(step.var, Proj(whole, 0), active=True)], read
