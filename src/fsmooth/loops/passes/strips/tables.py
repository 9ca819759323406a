"""What strips would compute or gather again and again is computed or gathered once.

A number that is dear and differs only from iteration to iteration of an inner loop (exp(q[r]), say) would be computed for
each strip: it becomes an array before the strips, or if these come first before the loop that is cut.  Numbers that a loop over
points reads in steps, like x[i * d + c], would be gathered for each iteration of that loop: before it they become an array in
which the points lie side by side.  Loops that follow and read the same numbers so read that array, too.
"""

from __future__ import annotations

from msgspec import Struct, field

from fsmooth import thresholds
from fsmooth.core.types import INT, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.affine import is_next
from fsmooth.loops.arithmetic import ZERO, map_loads, parts, plus, positive, same, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.strips.widths import independent_strips
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.substitution import substituted
from fsmooth.loops.usage import declared, names_of, walk


class Gathered(Struct, frozen=True):
    """An array in which the points lie side by side: `buffer[outer.index * size + point] = load`, if `loop` runs."""

    load: t.Load
    outer: t.For
    buffer: str
    loop: t.For
    size: t.Expression

    def serves(self, load: t.Load, outer: t.For) -> bool:
        """Does it have these numbers for all iterations of a loop?"""
        return self.outer.index == outer.index and same(self.outer.size, outer.size) and same(self.load, load)

    def names(self) -> set[str]:
        """What decides which numbers it has, and whether it has any."""
        return set().union(*[names_of(e) for e in (self.load, self.outer.size, self.loop.size, self.size)])


class Tables(Struct):
    """Arrays for a loop of which each iteration has strips: made before it (`once`), or before its strips (`every`).

    `gathered` are at first those that loops before made.
    """

    names: Names
    loop: t.For
    size: t.Expression
    written: set[str]
    gathered: list[Gathered]
    has_dear_numbers: bool = False
    varying: set[str] = field(default_factory=set)
    taken: list[t.Statement] = field(default_factory=list)
    places: list[t.Statement] = field(default_factory=list)
    once: list[t.Statement] = field(default_factory=list)
    every: list[t.Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        inside = {name for s in walk(self.loop.body) for name in declared(s)}
        self.varying = inside | self.written | {self.loop.index}

    def before(self) -> list[t.Statement]:
        """What goes before the loop."""
        return [*self.taken, t.If(positive(self.loop.size), tuple(self.once))] if self.once else self.taken

    def number(self, s: t.Declare, around: list[t.For]) -> t.Statement:
        """The declaration of a number inside the loops `around`; one that is dear reads an array."""
        if len(around) != 1 or s.value is None or not isinstance(s.type, Float) or not _is_dear(s.value):
            return s
        inner = around[0]
        known = {inner.index, self.loop.index}
        if not self.varying.isdisjoint(names_of(s.value) - known) or not self.steady(inner.size):
            return s
        self.has_dear_numbers = True
        at = self.row(self.names.fresh(s.name), inner, s.type, s.value)
        return t.Declare(s.name, s.type, at)

    def row(self, buffer: str, inner: t.For, type_: Type, value: t.Expression) -> t.Load:
        """A number of an array that each iteration fills before its strips."""
        index = t.Name(inner.index, INT)
        self.taken.append(t.Allocate(buffer, type_, inner.size))
        self.every.append(_filled(buffer, inner, index, value))
        return t.Load(buffer, index, type_)

    def sums(self, name: str, size: t.Expression, type_: Type) -> str:
        """An array of sums, zero before the strips."""
        buffer = self.names.beside(name, "whole")
        self.taken.append(t.Allocate(buffer, type_, size))
        self.every.append(t.Fill(buffer, ZERO, size, type_))
        return buffer

    def points(self, loop: t.For, around: list[t.For]) -> t.For:
        """A loop over all points that reads them side by side."""
        if len(around) != 1 or not self.steady(around[0].size):
            return loop
        outer = around[0]

        def side_by_side(load: t.Load) -> t.Expression:
            names = names_of(load.index)
            gathered = {loop.index, outer.index} <= names and not is_next(load.index, loop.index, {loop.index})
            if not gathered or not isinstance(load.type, Float) or load.buffer in self.varying:
                return load
            if not self.varying.isdisjoint(names - {loop.index, outer.index}):
                return load
            at = plus(times(t.Name(outer.index, INT), self.size), t.Name(loop.index, INT))
            return t.Load(self.side_by_side(load, loop, outer, at), at, load.type)

        body: list[t.Statement] = []
        for s in loop.body:
            match s:
                case t.Declare(name, type_, value) if value is not None:
                    body.append(t.Declare(name, type_, map_loads(value, side_by_side), s.mutable))
                case t.Assign(name, value, accumulate):
                    body.append(t.Assign(name, map_loads(value, side_by_side), accumulate))
                case t.Store(buffer, at, value, accumulate):
                    body.append(t.Store(buffer, at, map_loads(value, side_by_side), accumulate))
                case _:
                    body.append(s)
        return t.For(loop.index, loop.size, tuple(body), loop.kind, loop.site, loop.reduced, loop.extrema, loop.simd)

    def side_by_side(self, load: t.Load, loop: t.For, outer: t.For, at: t.Expression) -> str:
        """The array of these numbers, rows of points."""
        for known in self.gathered:
            if known.serves(load, outer):
                return known.buffer
        buffer = self.names.beside(load.buffer, "rows")
        self.gathered.append(Gathered(load, outer, buffer, self.loop, self.size))
        self.places.append(t.Allocate(buffer, load.type, times(outer.size, self.size)))
        start, count = [t.Name(self.names.beside(loop.index, x), INT) for x in ("start", "count")]
        (copy,) = substituted((t.Store(buffer, at, load),), loop.index, plus(start, t.Name(loop.index, INT)))
        points = t.For(loop.index, count, (copy,), t.Kind.PARALLEL)
        rows = t.For(outer.index, outer.size, (points,), t.Kind.PARALLEL)
        self.once.append(independent_strips(self.size, start.name, count.name, (rows,), self.names))
        return buffer

    def steady(self, e: t.Expression) -> bool:
        """Is it the same in all iterations of the loop?"""
        return self.varying.isdisjoint(names_of(e))


class TablesOfStripsFirst(Tables):
    """Arrays for a loop inside the loop over its strips: all are made before."""

    def row(self, buffer: str, inner: t.For, type_: Type, value: t.Expression) -> t.Load:
        """A number of a matrix with a row for each iteration."""
        at = plus(times(t.Name(self.loop.index, INT), inner.size), t.Name(inner.index, INT))
        self.taken.append(t.Allocate(buffer, type_, times(self.loop.size, inner.size)))
        row = _filled(buffer, inner, at, value)
        self.once.append(t.For(self.loop.index, self.loop.size, (row,), t.Kind.PARALLEL))
        return t.Load(buffer, at, type_)


def _filled(buffer: str, inner: t.For, at: t.Expression, value: t.Expression) -> t.For:
    """The loop that stores a number of each iteration of an inner loop."""
    return marked(t.For(inner.index, inner.size, (t.Store(buffer, at, value),), t.Kind.PARALLEL, inner.site))


def _is_dear(e: t.Expression) -> bool:
    if isinstance(e, t.Operation) and e.primitive.weight >= thresholds.KEPT_IN_STRIPS:
        return True
    return any([_is_dear(part) for part in parts(e)])
