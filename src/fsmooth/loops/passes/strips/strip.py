"""One strip of points: what a loop over all points is for the points of the strip.

A loop over n points that only computes and adds numbers, element by element, is the same for points
start … start + count - 1: memory that belongs to the strip alone is addressed from its beginning, all other from `start`.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import row_of
from fsmooth.loops.arithmetic import integer, parts, plus, replace, times
from fsmooth.loops.passes.vectors import is_arithmetic
from fsmooth.loops.usage import expressions_of, names_of

RECURRENCES = 16
"""Iterations of a strip that carry numbers from step to step: two vectors of each, which whole strips keep in registers."""

WIDTH = 64
"""Points in a strip: a row of them is eight of the widest vectors, and a matrix of 32 such rows fits the fastest cache."""


class NotInStrips(Exception):
    """The loops cannot run strip by strip."""


class Strip(Struct, frozen=True):
    """One strip: the size of the dimension that is cut, the names of its first point and of the number of its points,
    and the arrays that hold numbers of its points only.
    """

    size: t.Expression
    start: str
    count: str
    own: Mapping[str, object]

    def index(self, buffer: str, at: t.Expression, index: str) -> t.Expression:
        """Where an element of point `index` of the strip is."""
        if buffer not in self.own:
            return replace(at, index, plus(t.Name(self.start, INT), t.Name(index, INT)))
        row = row_of(at, index, self.size)
        if row is None:
            raise NotInStrips
        return plus(times(row, integer(WIDTH)), t.Name(index, INT))

    def expression(self, e: t.Expression, index: str) -> t.Expression:
        """An expression of a loop over the points, for points of the strip."""
        match e:
            case t.Load(buffer, at):
                return t.Load(buffer, self.index(buffer, at, index), e.type)
            case t.Operation(primitive, arguments):
                return t.Operation(primitive, tuple([self.expression(a, index) for a in arguments]), e.type)
            case t.Conditional(c, a, b):
                return t.Conditional(self.expression(c, index), self.expression(a, index), self.expression(b, index))
            case t.Name() | t.Literal():
                return replace(e, index, plus(t.Name(self.start, INT), t.Name(index, INT)))
            case _:
                raise NotInStrips

    def loop(self, loop: t.For) -> t.For:
        """A loop over all points as one over the points of the strip."""
        if loop.extrema:
            raise NotInStrips
        body: list[t.Statement] = []
        inside, sums = True, False
        for s in loop.body:
            match s:
                case t.Declare(name, type_, value) if value is not None and not s.mutable:
                    body.append(t.Declare(name, type_, self.expression(value, loop.index)))
                case t.Assign(name, value, True) if name in loop.reduced:
                    sums = True
                    body.append(t.Assign(name, self.expression(value, loop.index), True))
                case t.Store(buffer, at, value):
                    if buffer not in self.own and row_of(at, loop.index, self.size) is None:
                        raise NotInStrips
                    inside = inside and buffer in self.own
                    at, value = self.index(buffer, at, loop.index), self.expression(value, loop.index)
                    body.append(t.Store(buffer, at, value, s.accumulate))
                case _:
                    raise NotInStrips
        varying = {loop.index, *[s.name for s in body if isinstance(s, t.Declare)]}
        inside = inside and all([self._inside(e, varying) for s in body for e in expressions_of(s)])
        count = integer(WIDTH) if inside and not sums else t.Name(self.count, INT)
        vectors = t.Vectors.WHOLE if inside and sums else t.Vectors.WRITTEN
        vectors = vectors if is_arithmetic(body, loop.index) else t.Vectors.STRIP
        simd = loop.simd and vectors is t.Vectors.STRIP
        return t.For(loop.index, count, tuple(body), loop.kind, loop.site, loop.reduced, (), simd, vectors)

    def _inside(self, e: t.Expression, varying: set[str]) -> bool:
        """Does the expression of a point read no memory of points but the strip's own?"""
        if isinstance(e, t.Load) and e.buffer not in self.own and not varying.isdisjoint(names_of(e.index)):
            return False
        return all([self._inside(part, varying) for part in parts(e)])
