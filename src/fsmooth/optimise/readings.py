"""Where a table is read, and what its rows check: what compaction must know (optimise/compaction.py).

Only what is evaluated whenever the table is: not in branches, nor in loops that may not run unless the rows read depend
on them.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from fsmooth.core.alpha import alpha_key
from fsmooth.core.subst import substitute1
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Get,
    IFold,
    Let,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
)
from fsmooth.core.traverse import binds, bound_in, children, opens_region, subterms
from fsmooth.optimise.accesses import Accesses
from fsmooth.optimise.failing import is_certain

Loop = Build | Reduce | IFold


class Scattered(Exception):
    """The table is read, or made, in a way that cannot be foreseen."""


class Reading(Struct, frozen=True):
    """`row`, for each `index` below `size`, is read."""

    size: Term
    index: Var
    row: Term


class _Place(Struct, frozen=True):
    """A term with the loops and definitions around it, outermost first."""

    term: Term
    around: tuple[Loop | tuple[Var, Term], ...]

    @property
    def loops(self) -> tuple[Loop, ...]:
        return tuple([x for x in self.around if not isinstance(x, tuple)])

    def resolved(self, term: Term) -> Term:
        """`term` without names for definitions that are around it."""
        for x in reversed(self.around):
            if isinstance(x, tuple) and x[0] in term.free:
                term = substitute1(term, *x)
        return term

    def bound(self) -> frozenset[Var]:
        """The variables that the loops around bind."""
        return frozenset([var for loop in self.loops for var in bound_in(loop, len(children(loop)) - 1)])


def readings_of(table: Var, scope: Term, size: Term, accesses: Accesses) -> list[Reading]:
    """The rows of a table of this size that are read in `scope`, each set once.

    Raises:
        Scattered: if they are not all found through arrays of indices that can be read before.

    """
    found: dict[object, Reading] = {}
    for place in _always_evaluated(scope, table):
        match place.term:
            case Get(array, index) if array is table:
                reading = _reading(place, index, size, accesses)
                found.setdefault(alpha_key(Build(reading.size, reading.index, reading.row)), reading)
    return list(found.values())


def _reading(place: _Place, index: Term, size: Term, accesses: Accesses) -> Reading:
    row = place.resolved(index)
    if not _is_element(row, size, accesses) or any([binds(t) for t in subterms(row)]):
        raise Scattered
    own = row.free & place.bound()
    over = [loop for loop in place.loops if loop.index in own]
    if len(over) != 1 or own != {over[0].index}:
        raise Scattered
    if not all([loop is over[0] or is_certain(place.resolved(loop.size)) for loop in place.loops]):
        raise Scattered
    count = place.resolved(over[0].size)
    if not count.free.isdisjoint(place.bound()) or not accesses.facts.less_or_equal(Const(0), count):
        raise Scattered
    return Reading(count, over[0].index, row)


def _is_element(row: Term, size: Term, accesses: Accesses) -> bool:
    """Is it made of elements of arrays, and tested, or one of an array that the program requires to be of indices?"""
    if isinstance(row, Check):
        return alpha_key(row.size) == alpha_key(size) and any([isinstance(t, Get) for t in subterms(row.index)])
    return isinstance(row, Get) and accesses.facts.is_index(row) and accesses.facts.within(row, size)


def checks_in(table: Build) -> list[tuple[Check, Check, tuple[Loop, ...]]]:
    """What is checked to make each row: as it stands there, by itself, and the loops in the row on which it depends.

    Of the checks of indices that differ from row to row, those that each row makes.
    """
    found = []
    for place in _always_evaluated(table.body, None):
        if not isinstance(place.term, Check):
            continue
        check = place.resolved(place.term)
        assert isinstance(check, Check)
        if table.index not in check.free or any([binds(t) or isinstance(t, Check) for t in subterms(check.index)]):
            continue
        own = check.free & place.bound()
        over = tuple([loop for loop in place.loops if loop.index in own])
        rest = [loop for loop in place.loops if loop not in over]
        simple = [_is_known_before(loop.size, place) for loop in over] + [is_certain(loop.size) for loop in rest]
        if own == {loop.index for loop in over} and all(simple):
            found.append((place.term, check, over))
    return found


def _is_known_before(size: Term, place: _Place) -> bool:
    """Is it known before the loops and definitions around?"""
    inside = place.bound() | {x[0] for x in place.around if isinstance(x, tuple)}
    return size.free.isdisjoint(inside)


def _always_evaluated(term: Term, table: Var | None) -> Iterator[_Place]:
    """What is evaluated whenever `term` is, with what is around it; of a table, all that mentions it.

    Raises:
        Scattered: if the table is mentioned elsewhere, or as a whole.

    """
    pending = [_Place(term, ())]
    while pending:
        place = pending.pop()
        t, around = place.term, place.around
        if table is not None and table not in t.free:
            continue
        if t is table:
            raise Scattered
        yield place
        match t:
            case Get(array, index) if array is table:
                pending.append(_Place(index, around))
            case Let(bindings, body):
                for var, value in bindings:
                    pending.append(_Place(value, around))
                    around = (*around, (var, value))
                pending.append(_Place(body, around))
            case Build() | Reduce() | IFold() if not _stops_early(t):
                *before, body = children(t)
                pending.extend([_Place(c, around) for c in before])
                pending.append(_Place(body, (*around, t)))
            case Require():
                pending.extend([_Place(c, around) for c in children(t)])
            case _:
                for k, child in enumerate(children(t)):
                    if not opens_region(t, k):
                        pending.append(_Place(child, around))
                    elif table is not None and table in child.free:
                        raise Scattered


def _stops_early(t: Term) -> bool:
    return isinstance(t, Reduce) and t.reduction in (Reduction.ALL, Reduction.ANY)
