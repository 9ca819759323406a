"""Which terms cannot fail: they may be evaluated earlier, or more often, than where they are written.

A law that moves a term out of a branch, or out of a loop that may not run, asks this first.  An access without
a check is in bounds where it stands (core/term.py); elsewhere that has to be proved anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fsmooth.core import primitives as p
from fsmooth.core.build import bind, both
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import (
    Check,
    Const,
    Delta,
    Failure,
    Get,
    Length,
    Prim,
    Reduce,
    Reduction,
    Require,
    Term,
    Update,
    Var,
)
from fsmooth.core.term.fields import Failing
from fsmooth.core.traverse import subterms
from fsmooth.rewrite.facts import Facts

_EXTREMA = (Reduction.MAX, Reduction.MIN)


def cannot_fail(term: Term, facts: Facts) -> bool:
    """Does `term` have a value whatever condition or loop it stands in?"""
    return all([_total(t, facts) for t in subterms(term)])


def cannot_fail_below(ranges: Mapping[Var, Term], terms: Iterable[Term], facts: Facts) -> bool:
    """Has each of them a value wherever the indices are, each from 0 to below its size?"""
    before = facts.ranges.copy()
    facts.ranges.update(ranges)
    try:
        return all([cannot_fail(term, facts) for term in terms])
    finally:
        facts.ranges.clear()
        facts.ranges.update(before)


def runs(size: Term, facts: Facts) -> bool:
    """Does a loop over 0 … size-1 run at least once?"""
    return facts.less(Const(0), size)


def checked(index: Term, facts: Facts, value: Term) -> Term:
    """`value`, which no longer mentions the index, with what is left of an unproved check of that: a requirement."""
    check = facts.definition(index) if isinstance(index, Var) else index
    if not isinstance(check, Check):
        return value

    def inside(at: Term) -> Term:
        condition = both(Prim(p.less_equal, (Const(0), at)), Prim(p.less, (at, check.size)))
        return Require(condition, value, Failure.INDEX, (at, check.size), check.site)

    return bind(check.index, inside, "at")


def _total(t: Term, facts: Facts) -> bool:
    match t.failing, t:
        case Failing.NEVER, _:
            return True
        case Failing.EMPTY, Reduce(reduction, size):
            return reduction not in _EXTREMA or runs(size, facts)
        case Failing.BOUNDS, Get(array, index) | Update(array, index):
            length = _size(array, facts)
            return length is not None and _within(index, length, facts)
        case Failing.BOUNDS, Delta(size, index):
            return _within(index, size, facts)
        case _:
            return False


def _within(index: Term, size: Term, facts: Facts) -> bool:
    """Provably in bounds, or a name for an index that was checked where it was bound."""
    if isinstance(index, Var):
        definition = facts.definition(index)
        if isinstance(definition, Check) and facts.same(definition.size, size):
            return True
    return facts.within(index, size)


def _size(array: Term, facts: Facts) -> Term | None:
    try:
        size = size_of(array)
    except Ragged:
        return None
    match size:
        case Length(Var() as var, axis) if (var, axis) in facts.static_sizes:
            return Const(facts.static_sizes[var, axis])
        case _:
            return size
