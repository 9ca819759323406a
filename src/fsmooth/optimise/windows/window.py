"""A range of indices that moves with the steps of a sequential loop, and the conditions that keep a loop inside to it."""

from __future__ import annotations

from functools import reduce
from math import inf
from typing import NamedTuple

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import both, minus, plus, prim, times, zero_like
from fsmooth.core.shape import Ragged
from fsmooth.core.term import (
    Build,
    Const,
    Get,
    If,
    IFold,
    Length,
    Proj,
    Reduce,
    Reduction,
    Term,
    Unread,
    Var,
    Zero,
)
from fsmooth.core.term.fields import Failing
from fsmooth.core.traverse import subterms
from fsmooth.core.types import INT, Float, scalars_of
from fsmooth.optimise.windows.support import EVERYWHERE, NOWHERE, Support
from fsmooth.optimise.windows.supports import Cone
from fsmooth.rewrite.linear import polynomial


class Window(NamedTuple):
    """From `lowest` to before `highest` when `step` is 0; in each step `before` more below and `after` more above.

    `first` and `end` name its ends in a step.
    """

    lowest: Term
    highest: Term
    before: int
    after: int
    step: Term
    first: Var
    end: Var

    @staticmethod
    def around(cone: Cone, step: Var, supports: list[Support]) -> Window:
        """The smallest with all of the supports."""
        before = max([0, *[int(s.before) for s in supports if s.before < inf]])
        after = max([0, *[int(s.after) for s in supports if s.after < inf]])
        anchors = [_clipped(anchor) for anchor in cone.anchors]
        lowest = _moved(reduce(_smaller, anchors), -before)
        highest = _moved(reduce(_larger, anchors), after + 1)
        return Window(lowest, highest, cone.before, cone.after, step, Var("first", INT), Var("end", INT))

    def mirrored(self, loop: IFold) -> Window:
        """The same, where `loop` has the steps in the opposite order."""
        step = minus(minus(loop.size, Const(1)), loop.index)
        return self._replace(step=step, first=Var("first", INT), end=Var("end", INT))

    @property
    def definitions(self) -> tuple[tuple[Var, Term], ...]:
        """Of its ends."""
        lower = minus(self.lowest, _times(self.before, self.step))
        upper = plus(self.highest, _times(self.after, self.step))
        return ((self.first, lower), (self.end, upper))


class Zeros(NamedTuple):
    """Where zeros are read outside of what is computed: `near` the window, and everywhere if `last` holds."""

    near: Support
    last: Term | None = None


ALL_ZEROS = Zeros(EVERYWHERE)
NO_ZEROS = Zeros(NOWHERE)


class Kept(NamedTuple):
    """A loop that is kept to a range around a window, with the zeros that it must leave elsewhere."""

    window: Window
    inside: Support
    zeros: Zeros

    def element(self, loop: Build | Reduce) -> Term:
        """What the loop computes of each index."""
        if self.inside == NOWHERE:
            return self._outside(loop)
        bounds = self._bounds(loop, self.inside)
        return If(reduce(both, bounds), loop.body, self._outside(loop)) if bounds else loop.body

    def _outside(self, loop: Build | Reduce) -> Term:
        zero = zero_like(loop.body)
        near = self.zeros.near.join(self.inside)
        if near == EVERYWHERE or not isinstance(zero, Zero):
            return zero
        unread = Unread(zero.sizes, zero.leaf)
        if self.zeros.last is None:
            if not self._reaches_beyond(loop, near):
                return unread
            bounds = self._bounds(loop, near)
            return If(reduce(both, bounds), zero, unread) if bounds else zero
        lower = _moved(self.window.first, -int(near.before)) if near.before < inf else Const(0)
        upper = _moved(self.window.end, int(near.after)) if near.after < inf else loop.size
        within = both(
            prim(p.less_equal, If(self.zeros.last, Const(0), lower), loop.index),
            prim(p.less, loop.index, If(self.zeros.last, loop.size, upper)),
        )
        return If(within, zero, unread)

    def _reaches_beyond(self, loop: Build | Reduce, near: Support) -> bool:
        """Does a range have indices, for all that is known, that the loop is not run for?"""
        below = near.before > self.inside.before and self._bounds(loop, Support(self.inside.before, inf))
        above = near.after > self.inside.after and self._bounds(loop, Support(inf, self.inside.after))
        return bool(below or above)

    def _bounds(self, loop: Build | Reduce, wanted: Support) -> list[Term]:
        """What holds of the indices of a loop that are in a range around the window, and might not hold of others."""
        found: list[Term] = []
        if -inf < wanted.before < inf:
            by = -int(wanted.before)
            if not _at_most(_moved(self.window.lowest, by), Const(0)):
                found.append(prim(p.less_equal, _moved(self.window.first, by), loop.index))
        if -inf < wanted.after < inf:
            by = int(wanted.after)
            if not _at_most(loop.size, _moved(self.window.highest, by)):
                found.append(prim(p.less, loop.index, _moved(self.window.end, by)))
        return found


def is_long(t: Term) -> bool:
    """Is it a loop that makes, or adds, real numbers, worth a range of its own?"""
    if not isinstance(t, Build | Reduce) or (isinstance(t, Reduce) and t.reduction is not Reduction.SUM):
        return False
    if isinstance(t.body, Get | Var | Proj | Zero | Const) and isinstance(t, Build):
        return False  # a copy, which may never be made
    return all([isinstance(x, Float) for x in scalars_of(t.type)]) and not (
        isinstance(t.size, Const) and int(t.size.value) <= thresholds.WINDOW_TRIPS
    )


def can_be_left_out(t: Build | Reduce) -> bool:
    """Does leaving out an iteration hide no mistake, and is the size of what it makes known without it?"""
    if any([x.failing is Failing.ALWAYS for x in subterms(t.body)]):
        return False
    try:
        return t.index not in zero_like(t.body).free
    except Ragged:
        return False


def _smaller(a: Term, b: Term) -> Term:
    return prim(p.minimum, a, b)


def _larger(a: Term, b: Term) -> Term:
    return prim(p.maximum, a, b)


_FAR = 2**61
"""No array has so many elements."""


def _clipped(anchor: Term) -> Term:
    """The anchor, or a number beyond all arrays on its side of them from which a window can be counted."""
    if all([isinstance(atom, Length) for atom in polynomial(anchor).atoms.values()]):
        return anchor
    return _smaller(_larger(anchor, Const(-_FAR)), Const(_FAR))


def _moved(a: Term, by: int) -> Term:
    return minus(a, Const(-by)) if by < 0 else plus(a, Const(by))


def _times(factor: int, step: Term) -> Term:
    return times(Const(factor), step) if factor else Const(0)


def _at_most(a: Term, b: Term) -> bool:
    """Do they differ by a constant, and is b not less?"""
    gap = polynomial(b).plus(polynomial(a), -1).number()
    return gap is not None and gap >= 0
