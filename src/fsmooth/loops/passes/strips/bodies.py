"""The body of a loop, made to run strip by strip (strips.py): what comes before the strips, what is done for each, what
comes after, and the proof that the strips are independent but for sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import rows_of, stride_of
from fsmooth.loops.arithmetic import ZERO, integer, is_integer, parts, plus, positive, same, times
from fsmooth.loops.passes.strips.multiples import Multiples
from fsmooth.loops.passes.strips.strip import WIDTH, NotInStrips, Strip
from fsmooth.loops.passes.strips.tables import Tables
from fsmooth.loops.passes.strips.widths import strip_by_strip
from fsmooth.loops.usage import declared, expressions_of, mentioned, mentioned_reads, names_of, own_names, targets, walk


def written_in(body: Sequence[t.Statement]) -> set[str]:
    """Buffers and locals that the body changes, the indices of its loops apart."""
    return {name for s in walk(body) for name in targets(s)}


class StripBody(Struct):
    """The body of a loop, made to run in strips.  `sums` are the locals that hold sums over the points of a strip, or
    numbers that are proportional to them.
    """

    strip: Strip
    written: set[str]
    tables: Tables
    around: list[t.For] = field(default_factory=list)
    sums: set[str] = field(default_factory=set)
    changes: Counter[str] = field(default_factory=Counter)
    loops: list[t.For] = field(default_factory=list)
    before: list[t.Statement] = field(default_factory=list)
    inside: list[t.Statement] = field(default_factory=list)
    after: list[t.Statement] = field(default_factory=list)

    def whole(self, body: t.Body) -> t.Body:
        """What comes before the strips, the loop over the strips, what comes after."""
        if not self.strip.size.weight == 1 or not names_of(self.strip.size).isdisjoint(self.written):
            raise NotInStrips
        self.changes = Counter([name for s in walk(body) for name in targets(s)])
        totals = {name for s in body if self.over_points(s) for name in s.reduced}  # type: ignore[union-attr]
        known: set[str] = set()
        read_after: set[str] = set()
        for s in body:
            is_setup = s.buffer not in known if isinstance(s, t.Fill) else isinstance(s, t.Declare) and not s.mutable
            known |= mentioned([s])
            if isinstance(s, t.Declare) and s.mutable and (s.name in totals or s.value is None):
                self.before.append(s)
            elif any([self.of_points(x) for x in walk([s])]):
                if not written_in([s]).isdisjoint(read_after):
                    raise NotInStrips
                if isinstance(s, t.For) and self.over_points(s):
                    self.inside.append(self.points(s))
                else:
                    self.inside.extend(self.nested([s]))
            elif is_setup and self.steady(s) and self.early(s):
                self.before.append(s)
            else:
                self.after.append(s)
                read_after |= mentioned_reads([s])
        self.check(totals)
        changing = frozenset([self.strip.start, self.strip.count, *self.written])
        inside, later = Multiples(self.tables, frozenset(self.sums), changing).added_later(self.inside)
        return (
            *self.before,
            *self.tables.every,
            *strip_by_strip(self.strip, inside, self.tables.names),
            *later,
            *self.after,
        )

    def early(self, s: t.Statement) -> bool:
        """Can it go before everything that came before it?"""
        later = {name for x in self.after for name in [*declared(x), *targets(x)]}
        return all([later.isdisjoint(names_of(e)) for e in expressions_of(s)])

    def of_points(self, s: t.Statement) -> bool:
        """Does the statement itself concern the points?"""
        if isinstance(s, t.Fill) and same(s.count, self.strip.size):
            return True
        return self.over_points(s) or not own_names(s).isdisjoint(self.strip.own)

    def over_points(self, s: t.Statement) -> bool:
        return isinstance(s, t.For) and same(s.size, self.strip.size)

    def steady(self, s: t.Statement) -> bool:
        """Does it read nothing that the body changes?"""
        return all([names_of(e).isdisjoint(self.written | self.sums) for e in expressions_of(s)])

    def points(self, loop: t.For) -> t.For:
        """A loop over the points of a strip."""
        self.loops.append(self.strip.loop(self.tables.points(loop, self.around)))
        return self.loops[-1]

    def nested(self, body: Sequence[t.Statement]) -> list[t.Statement]:
        """Statements that run once for each strip, which has points."""
        found: list[t.Statement] = []
        for s in body:
            if isinstance(s, t.If) and same(s.condition, positive(self.strip.size)):
                found.extend(self.nested(s.then))
            else:
                found.append(self.statement(s))
        return found

    def statement(self, s: t.Statement) -> t.Statement:
        match s:
            case t.For() if self.over_points(s):
                self.sums |= set(s.reduced)
                return self.points(s)
            case t.For() if self.steady(s) and not s.simd:
                self.around.append(s)
                body = tuple(self.nested(s.body))
                self.around.pop()
                return t.For(s.index, s.size, body, s.kind, s.site, s.reduced, s.extrema)
            case t.Fill(buffer, offset, count) if buffer in self.strip.own and self.steady(s):
                first, rows = rows_of(offset, self.strip.size), rows_of(count, self.strip.size)
                if first is None or rows is None:
                    raise NotInStrips
                width = integer(WIDTH)
                return t.Fill(buffer, times(first, width), times(rows, width), s.type)
            case t.Fill(buffer, offset, count) if self.steady(s) and same(count, self.strip.size):
                if rows_of(offset, self.strip.size) is None:
                    raise NotInStrips
                start = plus(offset, t.Name(self.strip.start, INT))
                return t.Fill(buffer, start, t.Name(self.strip.count, INT), s.type)
            case t.Declare(_, _, value) if s.mutable:
                if value is None or (isinstance(value, t.Literal) and value.value == 0.0):
                    return s
            case t.Declare(name, _, value) if value is not None:
                if self.steady(s):
                    return self.tables.number(s, self.around)
                if self.proportional(value):
                    self.sums.add(name)
                    return s
            case t.Assign(name, value, False) if self.proportional(value):
                self.sums.add(name)
                return s
            case t.Store(buffer, at, value, True):
                kept = buffer not in self.strip.own and names_of(at).isdisjoint(self.written | self.sums)
                if kept and self.proportional(value):
                    return s
            case t.Store(buffer, at, value, False):
                kept = buffer not in self.strip.own and names_of(at).isdisjoint(self.written | self.sums)
                if kept and self.proportional(value) and self.once(s):
                    first = t.Operation(p.equal, (t.Name(self.strip.start, INT), ZERO), BOOL)
                    return t.If(first, (s,), (t.Store(buffer, at, value, True),))
            case t.If(condition, then, otherwise) if names_of(condition).isdisjoint(self.written | self.sums):
                around, self.around = self.around, []  # what is done only if a condition holds is not tabulated
                branches = tuple(self.nested(then)), tuple(self.nested(otherwise))
                self.around = around
                return t.If(condition, *branches)
            case _:
                pass
        raise NotInStrips

    def once(self, s: t.Store) -> bool:
        """Is each element that it sets set once, and changed by nothing else here?  Then the strips after the first add."""
        if self.changes[s.buffer] > 1 or len(self.around) > 1:
            return False
        found = [stride_of(s.index, loop.index) for loop in self.around]
        return all([x is not None and not is_integer(x[1], 0) for x in found])

    def proportional(self, e: t.Expression) -> bool:
        """Is the number proportional to sums over the points?  Then those of the strips are added."""
        fixed = [names_of(a).isdisjoint(self.written | self.sums) for a in parts(e)]
        match e:
            case t.Name(name):
                return name in self.sums
            case t.Operation(p.negate, (a,)):
                return self.proportional(a)
            case t.Operation(p.add | p.subtract, (a, b)):
                return self.proportional(a) and self.proportional(b)
            case t.Operation(p.multiply, (a, b)):
                return (fixed[0] and self.proportional(b)) or (fixed[1] and self.proportional(a))
            case t.Operation(p.divide, (a, _)):
                return fixed[1] and self.proportional(a)
            case _:
                return False

    def check(self, totals: set[str]) -> None:
        """May what comes after run after all strips, and are the strips independent?"""
        own = set(self.strip.own)
        stored = {s.buffer for s in walk(self.inside) if isinstance(s, t.Store | t.Fill)} - own
        read = mentioned_reads(self.inside)
        if not stored.isdisjoint(read) or not totals.isdisjoint(read | self.sums):
            raise NotInStrips
        if not self.sums.isdisjoint(mentioned_reads([*self.loops])):
            raise NotInStrips
        if any([isinstance(s, t.Break | t.Check | t.Demand | t.CheckAll) for s in walk(self.after)]):
            raise NotInStrips
        if not own.isdisjoint(mentioned(self.after)):
            raise NotInStrips
        if not written_in(self.after).isdisjoint(read) or not self.sums.isdisjoint(mentioned_reads(self.after)):
            raise NotInStrips
        introduced = {name for s in self.after if not isinstance(s, t.For) for name in declared(s)}
        if not introduced.isdisjoint(mentioned(self.inside)):
            raise NotInStrips
        for s in walk(self.after):
            if isinstance(s, t.Store) and s.accumulate:
                continue
            if not targets(s).isdisjoint(stored):
                raise NotInStrips
