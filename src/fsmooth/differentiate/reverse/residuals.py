"""Store or recompute (design §4.4): what of the forward part of a loop body or a branch the backward part needs.

A value that is dear to compute, or that is read from an array of a fold's state, is saved; the rest is computed again
from what is saved.  Nothing runs more than twice.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core.build import get, nested_build
from fsmooth.core.cost import Costs
from fsmooth.core.definitions import has_calls
from fsmooth.core.shape import Ragged, may_fail, shape_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import (
    Build,
    Call,
    Const,
    Field,
    Get,
    Inject,
    MakeTuple,
    Null,
    Proj,
    Term,
    Var,
    While,
    Zero,
    scalar_constant,
)
from fsmooth.core.traverse import subterms, transform
from fsmooth.core.types import Array, Bool, Data, Float, Int, Tuple, Type, is_scalar, leaf_of, rank_of, scalars_of
from fsmooth.differentiate.reverse.region import Region
from fsmooth.differentiate.reverse.room import has_own_lengths
from fsmooth.differentiate.reverse.saved_parts import parts_read, split
from fsmooth.differentiate.reverse.sizes import root_of, with_room_sizes
from fsmooth.differentiate.reverse.steps import Item, Step
from fsmooth.differentiate.reverse.versions import versions_of


class Plan(Struct, frozen=True):
    """`stored` are saved by the forward part, with a value of the same shape that depends on nothing inside; the
    `recomputed` steps are computed again from them.  `made` are steps at the end of the forward part that make them.
    """

    stored: tuple[tuple[Var, Term], ...]
    recomputed: tuple[Item, ...]
    made: tuple[Item, ...] = ()


def plan(
    region: Region,
    extra: Sequence[Term],
    costs: Costs,
    inside: frozenset[Var],
    states: Mapping[Var, Term],
    dear: float,
    arrays: frozenset[Var] = frozenset(),
    index: Var | None = None,
) -> Plan:
    """What to do about the values that the backward part of `region`, and `extra` terms, mention.

    What weighs `dear` or more is saved rather than computed again.
    `inside` are the variables of the loop itself; `states` are the parts of its state, with their initial values;
    `arrays` are states of folds around, of which elements are rather saved than the whole.  `index` is that of a
    fold that can keep rows of lengths of their own, rather than the state that they are computed from.
    """
    definitions = region.definitions()
    hidden = frozenset(definitions) | inside | frozenset(states)
    versions = versions_of(definitions, (*states, *arrays), region.afterwards)
    pending = [x for _, value in region.backward for x in value.free]
    pending += [x for term in extra for x in term.free]
    stored: dict[Var, Term] = {}
    recomputed: set[Var] = set()
    while pending:
        x = pending.pop()
        if x in stored or x in recomputed:
            continue
        if x in states:
            blank = blank_like(x, definitions, states, hidden)
            assert blank is not None, "the shape of a state does not change"
            stored[x] = blank
            continue
        value = definitions.get(x)
        if value is None:
            continue
        if x in region.afterwards:
            recomputed.add(x)
            pending.extend(region.afterwards[x].free)
            continue
        if isinstance(x.type, Int) and value.free.isdisjoint(hidden):
            recomputed.add(x)  # the same in every step: computed before the loop
            continue
        if is_part_of_call(value, definitions):
            blank = blank_like(x, definitions, states, hidden)
            if blank is not None:
                stored[x] = blank
                continue
        saved = any([s in value.free and not is_scalar(s.type) for s in (*states, *arrays)]) or (
            isinstance(value, Get) and is_scalar(value.type) and not versions.isdisjoint(value.free)
        )
        if (saved or costs.of(value).at() >= dear) and not _is_view(value):
            blank = blank_like(x, definitions, states, hidden)
            if blank is None and saved and index is not None:
                rows = blank_like(x, definitions, states, hidden - {index})
                if rows is not None and has_own_lengths(rows, index, hidden, region.forward):
                    blank = rows
            if blank is not None:
                stored[x] = blank
                continue
        recomputed.add(x)
        pending.extend(value.free)
    again = [_again(item, region) for item in region.forward if isinstance(item, Step) and item.var in recomputed]
    order = {x: k for k, x in enumerate([*states, *definitions])}
    return Plan(tuple(sorted(stored.items(), key=lambda s: order[s[0]])), tuple(again))


def is_part_of_call(value: Term, definitions: Mapping[Var, Term]) -> bool:
    """Is it something that a call gave, by itself?"""
    while isinstance(value, Proj):
        value = value.tuple
    return isinstance(value, Call) or (isinstance(value, Var) and isinstance(definitions.get(value), Call))


class Kept(Struct, frozen=True):
    """What is saved, and what is computed again; is anything of it `of_calls`, but what these save?"""

    stored: tuple[Var, ...]
    recomputed: tuple[Item, ...]
    of_calls: bool


def kept(region: Region, terms: Sequence[Term], costs: Costs, dear: float, empty: Container[Type]) -> Kept:
    """Of what `terms` mention of the forward part of `region`: what is saved, whatever its size, and what is computed again.

    The data types that are `empty` have nothing of calls in them.
    """
    definitions = region.definitions()
    pending = [x for t in terms for x in t.free]
    stored: dict[Var, None] = {}
    again: set[Var] = set()
    while pending:
        x = pending.pop()
        value = definitions.get(x)
        if value is None or x in stored or x in again:
            continue
        root = root_of(value)
        whole = definitions.get(root) if isinstance(value, Proj) and isinstance(root, Var) else value
        if whole is not None and (isinstance(whole, Call) or costs.of(whole).at() >= dear) and not _is_view(whole):
            stored[x] = None
        else:
            again.add(x)
            pending.extend(value.free)
    order = {x: k for k, x in enumerate(definitions)}
    items = [item for item in region.forward if isinstance(item, Step) and item.var in again]
    made = _of_calls(definitions)
    read = parts_read(stored, terms, items)
    of_calls = any([x in made and any([not _is_empty(x.type, at, empty) for at in read[x]]) for x in stored])
    return Kept(tuple(sorted(stored, key=order.__getitem__)), tuple(items), of_calls)


def saving(data: Data, stored: tuple[Var, ...], saved: Term) -> tuple[Term, list[Item]]:
    """What saves these, by a constructor of its own if need be, and the steps that read them from what was `saved`."""
    if not stored:
        return Null(data), []
    if len(stored) == 1 and stored[0].type is data:
        return stored[0], [Step(stored[0], saved, active=False)]
    parts = [part for x in stored for part in _parts(x)]
    constructor = data.add(tuple([part.type for part in parts]))
    fields = iter([Field(saved, constructor, k) for k in range(len(parts))])
    read: list[Item] = [Step(x, _together(x.type, fields), active=False) for x in stored]
    return Inject(data, constructor, tuple(parts)), read


def _parts(term: Term) -> list[Term]:
    """The components of a tuple, and of tuples in it: those that nobody reads are not saved in the end (lower/fields.py)."""
    if not isinstance(term.type, Tuple):
        return [term]
    return [part for k in range(len(term.type.items)) for part in _parts(Proj(term, k))]


def _together(type_: Type, parts: Iterator[Term]) -> Term:
    """What these are components of."""
    if not isinstance(type_, Tuple):
        return next(parts)
    return MakeTuple(tuple([_together(item, parts) for item in type_.items]), type_)


def _of_calls(definitions: Mapping[Var, Term]) -> set[Var]:
    """What is computed with calls, or from what these gave."""
    found: set[Var] = set()
    for x, value in definitions.items():
        if has_calls(value) or not found.isdisjoint(value.free):
            found.add(x)
    return found


def _is_empty(type_: Type, positions: tuple[int, ...], empty: Container[Type]) -> bool:
    """Are there only such data in that part of a value?"""
    for k in positions:
        inner = leaf_of(type_)
        assert isinstance(inner, Tuple)
        type_ = inner.items[k]
    return all([s in empty for s in scalars_of(type_)])


def _is_view(value: Term) -> bool:
    """Is it one component of an array of tuples?  That array is saved, or computed again, in its place."""
    match value:
        case Build(_, index, Proj(element)):
            while isinstance(element, Proj):
                element = element.tuple
            return isinstance(element, Get) and element.index is index and isinstance(element.array, Var)
        case _:
            return False


def in_parts(chosen: Plan, region: Region, extra: Sequence[Term]) -> Plan:
    """The plan of a fold, in which of tuples the parts that are read are saved, each by itself."""
    again = [item for item in chosen.recomputed if isinstance(item, Step)]
    read = parts_read(dict(chosen.stored), [*[value for _, value in region.backward], *extra], again)
    kept, made, joined = split(chosen.stored, read)
    return Plan(tuple(kept), (*joined, *again), tuple(made))


def recomputing(region: Region, extra: Sequence[Term]) -> tuple[Item, ...]:
    """Everything that the backward part needs, computed again."""
    definitions = region.definitions()
    pending = [x for _, value in region.backward for x in value.free]
    pending += [x for term in extra for x in term.free]
    wanted: set[Var] = set()
    for item in region.forward:
        if not isinstance(item, Step):
            pending.extend(item.condition.free.union(*[n.free for n in item.numbers]))
    while pending:
        x = pending.pop()
        if x not in wanted and x in definitions:
            wanted.add(x)
            pending.extend(region.afterwards.get(x, definitions[x]).free)
    kept = [item for item in region.forward if not isinstance(item, Step) or item.var in wanted]
    return tuple([_again(item, region) if isinstance(item, Step) else item for item in kept])


def _again(step: Step, region: Region) -> Step:
    """The step on the way back: what the last state of a fold holds is read there."""
    return Step(step.var, region.afterwards.get(step.var, step.term), step.active)


def blank_like(
    var: Var, definitions: Mapping[Var, Term], states: Mapping[Var, Term], hidden: frozenset[Var]
) -> Term | None:
    """A value of the shape of `var` that mentions nothing of the loop; None if there is none."""
    try:
        blank = _closed(_filled(var, var.type), definitions, states, hidden)
    except Ragged:
        return None
    return blank if blank.free.isdisjoint(hidden) else None


def _filled(term: Term, type_: Type) -> Term:
    match type_:
        case Float():
            return Zero((), type_)
        case Int() | Bool():
            return scalar_constant(0, type_)
        case Tuple(items):
            return MakeTuple(tuple([_filled(Proj(term, k), t) for k, t in enumerate(items)]), type_)
        case Data():
            return Null(type_)
        case Array():
            sizes = shape_of(term)
            leaf = leaf_of(type_)
            if isinstance(leaf, Float | Int):
                return Zero(sizes, leaf)
            return nested_build(sizes, lambda indices: _filled(get(term, *indices), leaf))
        case _:
            raise Ragged(term)


def _closed(blank: Term, definitions: Mapping[Var, Term], states: Mapping[Var, Term], hidden: frozenset[Var]) -> Term:
    """Lengths of what the loop defines, written with what is outside of it."""
    for _ in range(thresholds.DEFINITIONS):
        if blank.free.isdisjoint(hidden):
            return blank

        new = with_room_sizes(blank, lambda x: definitions.get(x, states.get(x)))
        numbers = {x: definitions[x] for x in new.free if x in definitions and isinstance(x.type, Int)}
        if any([isinstance(t, While) for value in numbers.values() for t in subterms(value)]):
            break  # counted where it is written only: elsewhere the loop might not end
        new = substitute(new, numbers) if numbers else new
        if new is blank:
            break
        blank = new
    return blank


def without_data(blank: Term) -> Term:
    """A blank for a branch that does not save: of no rows where the size reads what may not be there."""

    def change(t: Term) -> Term:
        if isinstance(t, Zero) and any([may_fail(n) for n in t.sizes]):
            return Zero(tuple([Const(0) if may_fail(n) else n for n in t.sizes]), t.leaf)
        return Build(Const(0), t.index, t.body) if isinstance(t, Build) and may_fail(t.size) else t

    return transform(blank, change)


__all__ = ["Plan", "blank_like", "plan", "rank_of", "recomputing", "without_data"]
