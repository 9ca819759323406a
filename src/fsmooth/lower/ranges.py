"""Loops over the part of a range where a condition on the index holds, and zeros, or nothing, elsewhere (optimise/windows).

    build n (fun i -> if first <= i && i < end then e else 0)
    ~>
    for j < end - first: dest[first + j] = e[i := first + j]

with both ends kept between 0 and n, and zeros before and after them unless the destination is only added to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import NamedTuple

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import Const, If, Length, MakeTuple, Prim, Term, Unread, Var, Zero
from fsmooth.core.types import INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, is_integer, minus, plus, same, times
from fsmooth.loops.usage import changed, names_of
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Scalar, View, leaves
from fsmooth.lower.loop import Loop


class Ends(NamedTuple):
    """From the first of some indices on, to before the others; of all those that exist if it is nothing."""

    first: Term | None = None
    end: Term | None = None


class Range(NamedTuple):
    """The element, where it is computed, and where it is zero if it is not; what is elsewhere nothing reads."""

    element: Term
    ends: Ends = Ends()
    zeros: Ends | None = Ends()

    @property
    def is_whole(self) -> bool:
        """Is there no condition?"""
        return self.ends == Ends()

    def mentions(self, var: Var) -> bool:
        """Does where it is depend on a variable?"""
        return any([bound is not None and var in bound.free for bound in self.ends])


def range_of(index: Var, element: Term) -> Range:
    """Where the elements are not zero, if a condition tells."""
    if isinstance(element, If):
        zeros = _zeros(index, element.otherwise)
        ends = _bounded(element.condition, index, Ends())
        if zeros is not _OTHER and ends is not None:
            found = Range(element.then, ends, zeros)
            return _within(index, found) if zeros == Ends() else found
    return Range(element)


def _within(index: Var, found: Range) -> Range:
    """A range with the conditions on its element that leave zero elsewhere, too."""
    while isinstance(found.element, If) and _is_zero(found.element.otherwise):
        ends = _bounded(found.element.condition, index, found.ends)
        if ends is None:
            break
        found = Range(found.element.then, ends, found.zeros)
    return found


def _zeros(index: Var, otherwise: Term) -> Ends | None:
    """Where it is zero; nothing if it is not read at all."""
    match otherwise:
        case Unread():
            return None
        case If(condition, zero, Unread()) if _is_zero(zero):
            ends = _bounded(condition, index, Ends())
            return _OTHER if ends is None else ends
        case _:
            return Ends() if _is_zero(otherwise) else _OTHER


_OTHER = Ends(Const(0), Const(0))
"""It is something else."""


def _bounded(condition: Term, index: Var, known: Ends) -> Ends | None:
    """The range where the condition holds too, if it is about the index alone."""
    match condition:
        case If(first, second, Const(False)):
            narrower = _bounded(first, index, known)
            return None if narrower is None else _bounded(second, index, narrower)
        case Prim(p.less_equal, (low, own)) if known.first is None:
            start = _of_index(own, low, index)
            return None if start is None else known._replace(first=start)
        case Prim(p.less, (own, high)) if known.end is None:
            stop = _of_index(own, high, index)
            return None if stop is None else known._replace(end=stop)
        case _:
            return None


def _of_index(own: Term, bound: Term, index: Var) -> Term | None:
    """The bound of an index for which `own`, which is that or a little more or less, has this one; None if it is unlike that."""
    found: Term | None = bound if own is index else None
    match own:
        case Prim(p.subtract, (one, less)) if one is index:
            found = less if _is_zero_index(bound) else Prim(p.add, (bound, less))
        case Prim(p.add, (one, other)) if index in (one, other):
            found = Prim(p.subtract, (bound, other if one is index else one))
    return None if found is None or not _is_simple(found, index) else found


def _is_zero_index(term: Term) -> bool:
    return isinstance(term, Const) and term.value == 0


def _is_simple(bound: Term, index: Var) -> bool:
    """Can it be evaluated once, where the condition may not be evaluated at all?"""
    match bound:
        case Var():
            return bound is not index
        case Const() | Length(Var()):
            return True
        case Prim(primitive, arguments):
            return primitive in _TOTAL and all([_is_simple(a, index) for a in arguments])
        case If(condition, then, otherwise):
            return all([_is_simple(part, index) for part in (condition, then, otherwise)])
        case _:
            return False


_TOTAL = (p.add, p.subtract, p.multiply, p.negate, p.minimum, p.maximum, p.less, p.less_equal)


def _is_zero(t: Term) -> bool:
    match t:
        case Zero():
            return True
        case Const(value):
            return isinstance(t.type, Float) and repr(value) == "0.0"
        case MakeTuple(items):
            return all([_is_zero(item) for item in items])
        case _:
            return False


class Span:
    """A range in memory, of the first axis of `size` elements: of `count` from `first` on."""

    def __init__(self, ctx: Context, part: Range, size: t.Expression) -> None:
        self.ctx = ctx
        self.part = part
        self.size = size
        self.first, self.end = self._ends(part.ends)
        self.count = size if part.is_whole else self._shared(minus(self.end, self.first), "count")

    @contextmanager
    def loop(self, index: Var, kind: t.Kind, reduced: tuple[str, ...] = ()) -> Iterator[t.Expression]:
        """A loop over the range; gives what `index` is in it."""
        environment = self.ctx.environment
        if is_integer(self.first, 0):
            with Loop(self.ctx, index, self.count, kind, reduced) as loop:
                yield loop.index
        else:
            with Loop(self.ctx, Var(index.name, INT, index.site), self.count, kind, reduced) as loop:
                at = plus(self.first, loop.index)
                saved, environment[index] = environment.get(index), Scalar(at)
                yield at
                self.ctx.restore([(index, saved)])

    def zeros_around(self, dest: Destination) -> list[t.Fill]:
        """What sets elements outside of the range to zero, where they are read."""
        if self.part.zeros is None:
            return []
        start, stop = self._ends(self.part.zeros)
        found: list[t.Fill] = []
        for leaf in leaves(dest):
            assert isinstance(leaf, View)
            if leaf.added:
                continue
            for low, high in ((start, self.first), (self.end, stop)):
                if not same(low, high):
                    count = reduce(times, leaf.sizes[1:], minus(high, low))
                    found.append(t.Fill(leaf.buffer, plus(leaf.offset, times(low, leaf.strides[0])), count, leaf.leaf))
        return found

    def _ends(self, ends: Ends) -> tuple[t.Expression, t.Expression]:
        """Within what there is, the end not before the first."""
        first = ZERO if ends.first is None else self._between(ends.first, ZERO, "first")
        return first, self.size if ends.end is None else self._between(ends.end, first, "end")

    def _between(self, value: Term, low: t.Expression, hint: str) -> t.Expression:
        """`value`, or the end of what there is that it is beyond; `low` if they cross."""
        below = t.Operation(p.minimum, (self.ctx.scalar(value), self.size), INT)
        return self._shared(t.Operation(p.maximum, (below, low), INT), hint)

    def _shared(self, value: t.Expression, hint: str) -> t.Expression:
        """A name for the value: that which the loop before has for it, if that is near."""
        names = names_of(value)
        for s in reversed(self.ctx.block[-thresholds.LOOKED_BACK :]):
            if isinstance(s, t.Declare) and not s.mutable and s.value is not None and same(s.value, value):
                return t.Name(s.name, INT)
            if not names.isdisjoint(changed([s])):
                break
        return self.ctx.named(value, hint)


def can_be_set_to_zero(dest: Destination) -> bool:
    """Is it memory in one piece, wherever part of it begins?"""
    return all([isinstance(leaf, View) and leaf.dense for leaf in leaves(dest)])
