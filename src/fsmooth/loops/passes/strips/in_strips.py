"""Loops over many points run strip by strip, so that what is computed of a strip's points stays in the fastest cache.

    for k: { for c: for i < n: a[c][i] = …;  for r: { for i < n: b[i] += a[c][i] …;  s = sum over i of …;  out[k][r] += s } }
    ~>  for k: for each strip of 64 points: the same for the points of the strip, with a: d x 64 and b: 64 on the stack

Where nothing is summed over points, the strips come first: for each strip: for k.

The arrays over points that such a body computes for itself (a row for each coordinate, say) are read again and again by
loops over a second index.  Whole, they do not fit the cache; of a strip, they do, and a row of them fits registers.

Every loop over points must keep to its point, and what is summed over points must only be added to something: then the
strips are independent but for these sums, of which the order changes, as it does where sums are vectorised.  What does
not concern the points goes before or after the strips.

Before: a lowered function.  After: the same; loops over points that only do arithmetic are written with vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import rows_of
from fsmooth.loops.arithmetic import ZERO, integer, is_integer, positive, same, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.pruning import pruned
from fsmooth.loops.passes.strips.bodies import StripBody, written_in
from fsmooth.loops.passes.strips.strip import WIDTH, NotInStrips, Strip
from fsmooth.loops.passes.strips.tables import Gathered, Tables, TablesOfStripsFirst
from fsmooth.loops.passes.strips.widths import is_over_strips
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed, declared, occurrences, walk


def in_strips(function: t.Function, names: Names) -> t.Function:
    """Run the loops of a function in strips where this helps."""
    cutting = _Function(names, function)
    return with_body(function, cutting.with_allocations(cutting.body(function.body)))


class _Function:
    """What is known of a whole function."""

    def __init__(self, names: Names, function: t.Function) -> None:
        self.names = names
        self.allocated = {s.buffer: s for s in walk(function.body) if isinstance(s, t.Allocate)}
        self.counts: dict[str, t.Expression] = {}
        self.on_stack: set[str] = set()
        self.uses = occurrences(function.body)
        self.changed = changed(function.body)

    def body(self, statements: t.Body) -> t.Body:
        """Look at each statement, the outermost loops first."""
        found: list[t.Statement] = []
        gathered: list[Gathered] = []
        for s in statements:
            instead = self.try_loop(s, gathered) if isinstance(s, t.For) and not s.simd else None
            found.extend([with_bodies(s, self.body)] if instead is None else instead)
        return same_or(statements, found)

    def with_allocations(self, statements: t.Body) -> t.Body:
        """Memory of strips instead of memory of all points."""
        if not self.counts:
            return statements
        found: list[t.Statement] = []
        for s in statements:
            if not isinstance(s, t.Allocate) or s.buffer not in self.counts:
                found.append(with_bodies(s, self.with_allocations))
            elif s.buffer not in self.on_stack:
                found.append(replace(s, count=self.counts[s.buffer]))
        return same_or(statements, found)

    def try_loop(self, loop: t.For, gathered: list[Gathered]) -> list[t.Statement] | None:
        """The loop with its body run in strips, and the memory to set up before; None if that is not possible.

        `gathered` is what loops before it made, and gets what this one makes.
        """
        sizes = _dimensions(loop.body)
        uses = occurrences(loop.body) if sizes else Counter()
        for size in sizes:
            rows: dict[str, t.Expression] = {}
            for buffer, allocation in self.allocated.items():
                if uses.get(buffer, 0) and uses[buffer] == self.uses[buffer] - 1 and isinstance(allocation.type, Float):
                    count = rows_of(allocation.count, size)
                    if count is not None:
                        rows[buffer] = count
            if not all([is_integer(count, 1) for count in rows.values()]):
                instead = self.cut(loop, size, rows, gathered)
                if instead is not None:
                    return instead
        return None

    def strips(self, loop: t.For, strip: Strip, usable: list[Gathered]) -> tuple[t.For, Tables] | None:
        """The loop in strips, which come first if they can, and the arrays that it needs; None if that is not possible."""
        written = written_in(loop.body)
        tables: Tables = TablesOfStripsFirst(self.names, loop, strip.size, written, list(usable))
        try:
            body = StripBody(strip, written, tables).whole(loop.body)
            first = _strips_first(loop, body, strip.own)
            if first is not None:
                return first, tables
            if tables.has_dear_numbers:
                tables = Tables(self.names, loop, strip.size, written, list(usable))
                body = StripBody(strip, written, tables).whole(loop.body)
        except NotInStrips:
            return None
        return t.For(
            loop.index, loop.size, body, loop.kind, loop.site, loop.reduced, loop.extrema, own=loop.own
        ), tables

    def cut(
        self, loop: t.For, size: t.Expression, rows: dict[str, t.Expression], gathered: list[Gathered]
    ) -> list[t.Statement] | None:
        """`try_loop` for points of this number, of which the loop computes these rows for itself."""
        usable = [g for g in gathered if same(g.size, size) and same(g.loop.size, loop.size)]
        strip = Strip(size, self.names.fresh(f"{loop.index}_start"), self.names.fresh(f"{loop.index}_count"), rows)
        found = self.strips(loop, strip, usable)
        if found is None:
            return None
        new, tables = found
        gathered.extend([g for g in tables.gathered[len(usable) :] if self.changed.isdisjoint(g.names())])
        memory = tables.places
        before = tables.before()
        for buffer, count in rows.items():
            total, type_ = times(count, integer(WIDTH)), self.allocated[buffer].type
            self.counts[buffer] = total
            if isinstance(count, t.Literal) and int(count.value) <= thresholds.STRIP_ROWS_ON_STACK:
                self.on_stack.add(buffer)
                memory.append(t.LocalArray(buffer, type_, int(count.value) * WIDTH))
            before.append(t.Fill(buffer, ZERO, total, type_))
        cut: list[t.Statement] = [*before, new]
        none = _of_no_points(loop, size, rows)
        if isinstance(size, t.Literal) or not none:
            return [*memory, *cut]
        return [*memory, t.If(t.Operation(p.less, (size, integer(1)), BOOL), none, tuple(cut), rare=True)]


def _strips_first(loop: t.For, body: t.Body, rows: Collection[str]) -> t.For | None:
    """A loop in the loop over the strips of its body, if these share nothing: then what is read of a strip's points stays in the
    fastest cache, and each thread has points of its own.
    """
    *before, last = body
    if not isinstance(last, t.For) or not is_over_strips(last) or loop.reduced or loop.extrema:
        return None
    if not all([isinstance(s, t.Declare) and not s.mutable and s.value is not None for s in before]):
        return None
    start, count, *inside = last.body
    inner = t.For(loop.index, loop.size, (*before, *inside), loop.kind, loop.site, own=loop.own)
    return replace(last, body=(start, count, inner), own=tuple(dict.fromkeys([*loop.own, *rows])))


def _of_no_points(loop: t.For, size: t.Expression, rows: Collection[str]) -> t.Body:
    """What a loop does where this size, of the points of which it has rows, is 0: sums over nothing, say."""

    def of(body: t.Body) -> t.Body:
        found: list[t.Statement] = []
        for s in body:
            match s:
                case t.For() if same(s.size, size):
                    pass
                case t.If() if same(s.condition, positive(size)):
                    found.extend(of(s.otherwise))
                case _:
                    found.append(with_bodies(s, of))
        return tuple(found)

    body = of((loop,))
    own = {name for s in walk(body) for name in declared(s)}
    return pruned(body, changed(body) - own - {*rows})


def _dimensions(body: t.Body) -> list[t.Expression]:
    """The sizes of the innermost loops inside other loops of the body: numbers that do not change and are not small."""
    found: list[t.Expression] = []
    for s in body:
        for inner in walk(s.body) if isinstance(s, t.For) else ():
            if isinstance(inner, t.For) and not any([isinstance(x, t.For) for x in inner.body]):
                size = inner.size
                large = int(size.value) >= 4 * WIDTH if isinstance(size, t.Literal) else isinstance(size, t.Name)
                if large and not any([same(size, x) for x in found]):
                    found.append(size)
    return found
