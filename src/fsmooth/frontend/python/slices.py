"""Slices of an axis: where they begin, how many elements they have; bounds beyond the ends are cut off, as in NumPy.

Bounds that are certainly inside cost nothing.  A number of elements below 0 stands for none.
"""

from __future__ import annotations

import ast

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus, prim, times
from fsmooth.core.term import Const, If, Prim, Term, Var
from fsmooth.frontend.python.brackets import step_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.indexing import constant_place
from fsmooth.frontend.python.proofs import is_at_most, is_natural
from fsmooth.frontend.python.values import Slice
from fsmooth.rewrite.linear import polynomial


class Span(Struct, frozen=True):
    """Equally spaced elements of an axis: the first, how many, how far apart."""

    first: Term
    count: Term
    step: int

    def at(self, k: Term) -> Term:
        """The place of element k."""
        if self.step == -1:
            return minus(self.first, k)
        return plus(self.first, times(Const(self.step), k) if self.step != 1 else k)


def span(frame: Frame, part: Slice, n: Term, node: ast.Subscript) -> Span:
    """The elements of an axis of n that a slice means."""
    step = step_of(part)
    if step == 0:
        frame.unsupported(node, "a slice with a computed step", "use a constant step, or a comprehension")
    place = only_place(part)
    if place is not None and not isinstance(n, Const):
        return Span(constant_place(frame, place, n, node, frame.source.segment(node.value)), Const(1), step)
    if step == 1 and part.stop is None and isinstance(part.start, Const) and part.start.value < 0:
        count = frame.bind(not_above(frame, Const(-int(part.start.value)), n), "count")
        return Span(minus(n, count), count, step)
    if step > 0:
        first = Const(0) if part.start is None else not_below(frame, from_end(frame, part.start, n), Const(0))
        end = n if part.stop is None else not_above(frame, from_end(frame, part.stop, n), n)
        first = frame.bind(first, "first")
        count = steps(frame, end, first, step)
        return Span(first, _single(frame, count) if is_of_one(frame, part) else count, step)
    last = minus(n, Const(1))
    first = last if part.start is None else not_above(frame, from_end(frame, part.start, n), last)
    first = frame.bind(first, "first")
    end = Const(-1) if part.stop is None else not_below(frame, from_end(frame, part.stop, n), Const(-1))
    return Span(first, steps(frame, first, end, -step), step)


def only_place(part: Slice) -> Const | None:
    """The one place that a slice with constant bounds is for: it must be there, so that the size is known to be 1."""
    start = Const(0) if part.start is None else part.start
    if not isinstance(start, Const) or part.step is not None:
        return None
    if start.value == -1:
        return start if part.stop is None else None
    return start if isinstance(part.stop, Const) and part.stop.value == start.value + 1 else None


def is_of_one(frame: Frame, part: Slice) -> bool:
    """Is it `k:k+1`, of one element, or of none where that is not there?"""
    if part.start is None or part.stop is None or part.step is not None:
        return False
    known = frame.shared.definitions.get
    return polynomial(part.stop, known).plus(polynomial(part.start, known), -1).number() == 1


def _single(frame: Frame, count: Term) -> Term:
    if isinstance(count, Const):
        return count
    name = frame.bind(Prim(p.maximum, (count, Const(0))), "count")
    assert isinstance(name, Var)
    frame.shared.singles.add(name)
    return name


def from_end(frame: Frame, bound: Term, n: Term) -> Term:
    """A bound, a negative one counted from the end."""
    if isinstance(bound, Const):
        if bound.value >= 0:
            return bound
        return plus(n, bound) if isinstance(n, Const) else minus(n, Const(-int(bound.value)))
    if is_natural(frame, bound):
        return bound
    bound = frame.bind(bound, "bound")
    return If(prim(p.less, bound, Const(0)), plus(bound, n), bound)


def not_below(frame: Frame, bound: Term, limit: Const) -> Term:
    """The larger of the two."""
    if isinstance(bound, Const):
        return Const(max(int(bound.value), int(limit.value)))
    return bound if is_at_most(frame, limit, bound) else prim(p.maximum, bound, limit)


def not_above(frame: Frame, bound: Term, limit: Term) -> Term:
    """The smaller of the two."""
    if isinstance(bound, Const) and isinstance(limit, Const):
        return Const(min(int(bound.value), int(limit.value)))
    return bound if is_at_most(frame, bound, limit) else prim(p.minimum, bound, limit)


def steps(frame: Frame, high: Term, low: Term, step: int) -> Term:
    """How many steps lead from one bound to the other."""
    known = polynomial(high, frame.shared.definitions.get).plus(polynomial(low, frame.shared.definitions.get), -1)
    number = known.number()
    if number is not None:
        return Const(max((number + step - 1) // step, 0))
    gap = minus(high, low)
    return gap if step == 1 else prim(p.floor_divide, plus(gap, Const(step - 1)), Const(step))
