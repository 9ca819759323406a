"""The state of a fold, part by part."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.shape import size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import IFold, Length, MakeTuple, Proj, Term, Var
from fsmooth.core.traverse import transform
from fsmooth.core.types import Tuple
from fsmooth.differentiate.reverse.cotangents import component


def opened_state(term: IFold) -> tuple[list[Var], list[Term], Term]:
    """A variable for each part of the state, their initial values, and the body in these variables."""
    parts = _parts_of(term.state)
    initial = [part_of(term.init, term, k) for k in range(len(parts))]
    body = transform(substitute(term.body, {term.state: _joined(parts, term)}), _projected)
    return parts, initial, with_lengths(body, parts, initial)


def _projected(t: Term) -> Term:
    """A part of the state by its own name."""
    return t.tuple.items[t.position] if isinstance(t, Proj) and isinstance(t.tuple, MakeTuple) else t


def with_lengths(body: Term, parts: Sequence[Var], initial: Sequence[Term]) -> Term:
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


def _parts_of(state: Var) -> list[Var]:
    if not isinstance(state.type, Tuple):
        return [state.renamed()]
    names = state.type.names or tuple([str(k) for k in range(len(state.type.items))])
    return [Var(f"{state.name}_{name}", t) for name, t in zip(names, state.type.items, strict=True)]


def part_of(whole: Term, term: IFold, k: int) -> Term:
    return component(whole, k) if isinstance(term.state.type, Tuple) else whole


def _joined(parts: Sequence[Var], term: IFold) -> Term:
    return MakeTuple(tuple(parts), term.state.type) if isinstance(term.state.type, Tuple) else parts[0]
