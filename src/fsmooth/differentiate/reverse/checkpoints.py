"""Folds backwards in blocks (`checkpoint=`, design §4.4): of n states about √n are saved, and each block runs once more.

    ifold (fun s i -> e) z n   =   ifold (fun s k -> ifold (fun s j -> e[k*b + j]) s (min b (n - k*b))) z ⌈n/b⌉

Going forward only the states at the starts of blocks are saved.  On the way back each block is run again, now saving
what the way back through it needs, as every fold does that is not in blocks.  Folds inside a step are reversed without
blocks of their own, so that nothing runs forward more than twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus, prim, times
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import Const, IFold, Length, Term, Var, let
from fsmooth.core.traverse import subterms
from fsmooth.core.types import INT, Array, Int, Tuple
from fsmooth.differentiate.reverse.folds import (
    WayBack,
    active_parts,
    pass_on,
    transpose_within,
    way_back,
)
from fsmooth.differentiate.reverse.region import Reverser
from fsmooth.differentiate.reverse.residuals import Plan, blank_like
from fsmooth.differentiate.reverse.sizes import root_of, with_sizes
from fsmooth.differentiate.reverse.states import opened_state, part_of
from fsmooth.differentiate.reverse.steps import Item, Step
from fsmooth.differentiate.reverse.transpose import transpose


def transpose_in_blocks(walk: Reverser, step: Step, r: Term) -> Sequence[Item] | None:
    """Pass the cotangent of a step on; a fold in blocks, anything else as always."""
    if isinstance(step.term, IFold) and not _is_short(step.term):
        return _fold(walk, step, step.term, r)
    return transpose(walk, step, r)


def _is_short(term: IFold) -> bool:
    return isinstance(term.size, Const) and int(term.size.value) <= thresholds.STEPS_WITHOUT_BLOCKS


def _fold(walk: Reverser, step: Step, term: IFold, r: Term) -> Sequence[Item] | None:
    room = Step(Var("block", INT), _block(term.size), active=False)
    count = Step(Var("blocks", INT), _blocks(term.size, room.var), active=False)
    blocks = _in_blocks(term, room.var, count.var)

    def one_block(inner: Reverser, own: Step, r: Term) -> Sequence[Item] | None:
        if isinstance(own.term, IFold):
            return transpose_within(inner, own, own.term, r, transpose, room.var)
        return transpose(inner, own, r)

    way = way_back(walk, blocks, r, one_block, active_parts(walk, term))
    chosen = _starts(way, frozenset((blocks.index,)))
    if any([_is_as_long(blank, term.size, walk) for _, blank in chosen.stored]):
        return transpose(walk, step, r)
    plain = Step(Var(step.var.name, term.type), _again(blocks, way), active=False)
    instead = pass_on(walk, step, blocks, r, way, chosen, [plain], plain.var, count.var)
    if instead is None:
        instead = [step] if walk.is_live(step.var) else []
    return [room, count, *instead]


def _block(size: Term) -> Term:
    """⌈√n⌉, at least 1."""
    root = prim(p.sqrt, prim(p.to_float, prim(p.maximum, size, Const(1))))
    return prim(p.to_int, prim(p.ceil, root))


def _blocks(size: Term, block: Term) -> Term:
    """⌈n/b⌉, 0 if there are no steps."""
    steps = prim(p.maximum, size, Const(0))
    return prim(p.floor_divide, plus(steps, minus(block, Const(1))), block)


def _in_blocks(term: IFold, block: Var, count: Var) -> IFold:
    """The fold over blocks of the fold over a block."""
    parts, _, body = opened_state(term)
    outer, inner = term.state.renamed(), term.state.renamed()
    opened = {x: part_of(inner, term, k) for k, x in enumerate(parts)}
    k, j = Var("k", INT), Var("j", INT)
    before = times(k, block)
    steps = prim(p.minimum, block, minus(term.size, before))
    body = let(((term.index, plus(before, j)),), substitute(body, opened))
    return IFold(count, term.init, outer, k, IFold(steps, outer, inner, j, body))


def _again(blocks: IFold, way: WayBack) -> Term:
    """A block from its first state, saving nothing."""
    parts, _, body = opened_state(blocks)
    return refresh(substitute(body, dict(zip(parts, way.parts, strict=True))))


def _starts(way: WayBack, inside: frozenset[Var]) -> Plan:
    """What the way back through a block needs, computed again from the state that it starts with."""
    definitions = way.region.definitions()
    states = way.states
    pending = [x for _, value in way.region.backward for x in value.free]
    pending += [x for term in way.needed for x in term.free]
    reached: set[Var] = set()
    while pending:
        x = pending.pop()
        if x not in reached:
            reached.add(x)
            pending.extend(definitions[x].free if x in definitions else ())
    hidden = frozenset(definitions) | inside | frozenset(states)
    stored: list[tuple[Var, Term]] = []
    for x in states:
        if x in reached:
            blank = blank_like(x, definitions, states, hidden)
            assert blank is not None, "the shape of a state does not change"
            stored.append((x, blank))
    again = [item for item in way.region.forward if isinstance(item, Step) and item.var in reached]
    return Plan(tuple(stored), tuple(again))


# -- states as long as the loop ----------------------------------------------------------------------------------------


def _is_as_long(blank: Term, size: Term, walk: Reverser) -> bool:
    """Does a state grow with the number of steps?  √n copies of it would be more than what n steps save of it."""
    if not isinstance(blank.type, Array | Tuple):
        return False
    steps = _extents(size, walk.definitions)
    return any([not steps.isdisjoint(_extents(length, walk.definitions)) for length in _lengths(blank)])


def _lengths(blank: Term) -> list[Term]:
    if isinstance(blank.type, Tuple):
        from_parts = [t for t in subterms(blank) if isinstance(t.type, Array)]
        return [length for part in from_parts for length in _lengths(part)]
    try:
        return list(shape_of(blank))
    except Ragged:
        return []


def _extents(size: Term, definitions: Mapping[Var, Term]) -> frozenset[tuple[Var, int]]:
    """The lengths of arrays and the integers that a size is computed from."""
    found: set[tuple[Var, int]] = set()
    seen: set[Var] = set()
    pending = [with_sizes(size, definitions.get)]
    while pending:
        for t in subterms(pending.pop()):
            if isinstance(t, Length):
                root = root_of(t.array)
                found |= {(root, t.axis)} if isinstance(root, Var) else set()
            elif isinstance(t, Var) and isinstance(t.type, Int) and t not in seen:
                seen.add(t)
                found |= set() if t in definitions else {(t, -1)}
                pending += [with_sizes(definitions[t], definitions.get)] if t in definitions else []
    return frozenset(found)
