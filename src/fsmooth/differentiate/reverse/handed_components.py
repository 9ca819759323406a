"""Arrays of tuples that the first half hands over: as arrays of those components that the second half reads.

x of Array<(Float, Float)> is handed over as build (length x) (fun i -> x[i].1)   if the second half reads   x[i].1   only
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core.build import get
from fsmooth.core.term import Get, Length, Proj, Term, Var
from fsmooth.core.traverse import children, transform
from fsmooth.core.types import Array, Tuple, Type, leaf_of, rank_of
from fsmooth.differentiate.reverse.saved_parts import part_at


def by_components(second: Term, given: Iterable[tuple[Var, Term]]) -> tuple[Term, list[tuple[Var, Term]]]:
    """The second half, and the names in it with what they stand for, with such arrays taken apart."""
    names = list(given)
    while True:
        read = _components_read(second, {x for x, _ in names if isinstance(leaf_of(x.type), Tuple)})
        if not read:
            return second, names
        parts = {(x, k): Var(f"{x.name}_{k}", _of_component(x.type, k)) for x, ks in read.items() for k in sorted(ks)}
        names = [named for x, term in names for named in _taken_apart(x, term, parts)]
        second = _renamed(second, parts)


def _taken_apart(x: Var, term: Term, parts: dict[tuple[Var, int], Var]) -> list[tuple[Var, Term]]:
    """The parts of x with what they stand for; x itself if it has none."""
    own = [(part, part_at(term, (k,))) for (whole, k), part in parts.items() if whole is x]
    return own or [(x, term)]


def _renamed(second: Term, parts: dict[tuple[Var, int], Var]) -> Term:
    first: dict[Var, Var] = {}
    for (x, _), part in parts.items():
        first.setdefault(x, part)

    def change(t: Term) -> Term:
        if isinstance(t, Length) and isinstance(t.array, Var) and t.array in first:
            return Length(first[t.array], t.axis)
        found = _read_of(t)
        if found is None or found[:2] not in parts:
            return t
        return get(parts[found[0], found[1]], *found[2])

    return transform(second, change)


def _components_read(second: Term, wanted: set[Var]) -> dict[Var, set[int]]:
    """The components that are read of the arrays of which nothing else is, but lengths."""
    found: dict[Var, set[int]] = {}
    whole: set[Var] = set()
    seen: set[Term] = set()
    stack = [second]
    while stack:
        t = stack.pop()
        if t in seen or wanted.isdisjoint(t.free):
            continue
        seen.add(t)
        read = _read_of(t)
        if read is not None and read[0] in wanted:
            found.setdefault(read[0], set()).add(read[1])
            stack.extend(read[2])
        elif isinstance(t, Var):
            whole.add(t)
        elif not (isinstance(t, Length) and isinstance(t.array, Var)):
            stack.extend(children(t))
    return {x: ks for x, ks in found.items() if x not in whole}


def _read_of(t: Term) -> tuple[Var, int, tuple[Term, ...]] | None:
    """Array, component and indices of `x[i][j].k`, an element of which is a tuple."""
    if not isinstance(t, Proj):
        return None
    indices: list[Term] = []
    array = t.tuple
    while isinstance(array, Get):
        indices.insert(0, array.index)
        array = array.array
    if isinstance(array, Var) and indices and len(indices) == rank_of(array.type):
        return array, t.position, tuple(indices)
    return None


def _of_component(type_: Type, position: int) -> Type:
    if isinstance(type_, Array):
        return Array(_of_component(type_.element, position))
    assert isinstance(type_, Tuple)
    return type_.items[position]
