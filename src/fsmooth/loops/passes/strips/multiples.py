"""Multiples of a sum over the points are added once it is whole, after all strips, not for each strip.

    for each strip: for r: { s = sum over its points of …;    for c: a[c] += f[r][c] * s }
    ~>  for each strip: for r: { s = …;  sums[r] += s };    for r: for c: a[c] += f[r][c] * sums[r]

What is added stays what it was: a is only added to in the strips, and read after them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.passes.strips.tables import Tables
from fsmooth.loops.usage import declared, expressions_of, mentioned, names_of, targets, walk


class Multiples(Struct, frozen=True):
    """What is known of the strips: the arrays made for them, their sums over points, and what else differs between them."""

    tables: Tables
    sums: frozenset[str]
    changing: frozenset[str]

    def added_later(self, inside: Sequence[t.Statement]) -> tuple[t.Body, list[t.Statement]]:
        """What is done for each strip without such additions, and what is to be done after all strips."""
        after: list[t.Statement] = []
        rest: list[t.Statement] = []
        for s in inside:
            if isinstance(s, t.For) and self.tables.steady(s.size):
                rest.append(self.of_loop(s, after))
            else:
                rest.append(s)
        return tuple(rest), after

    def of_loop(self, outer: t.For, after: list[t.Statement]) -> t.For:
        """A loop without the additions in loops inside of it, which go to `after`."""
        body: list[t.Statement] = []
        for position, s in enumerate(outer.body):
            if not isinstance(s, t.For):
                body.append(s)
                continue
            rest, found = self.of_inner(outer, position, s)
            body.extend([x for x in found if isinstance(x, t.Store)])
            after.extend([x for x in found if isinstance(x, t.For)])
            if any([not isinstance(x, t.Declare) for x in rest.body]):
                body.append(rest)
        return replace(outer, body=_used(body))

    def of_inner(self, outer: t.For, position: int, inner: t.For) -> tuple[t.For, list[t.Statement]]:
        """What is left of the inner loop, and for each addition how the sum is kept before it, and the loops after the strips."""
        later = {name for s in walk(outer.body[position:]) for name in targets(s)}
        finished = {s.name for s in outer.body[:position] if isinstance(s, t.Declare)} & self.sums - later
        found: list[t.Statement] = []
        kept: list[t.Statement] = []
        for place, s in enumerate(inner.body):
            used = self.sums & names_of(s.value) if isinstance(s, t.Store) and s.accumulate else frozenset()
            copied = self.copied(outer, position, inner, place) if len(used) == 1 and used <= finished else None
            if copied is None or not isinstance(s, t.Store):
                kept.append(s)
                continue
            (name,) = used
            row = t.Name(outer.index, INT)
            sums = self.tables.sums(name, outer.size, s.value.type)
            added = t.Store(
                s.buffer, s.index, replaced(s.value, name, t.Load(sums, row, s.value.type)), accumulate=True
            )
            again = t.For(inner.index, inner.size, (*copied[1], added), t.Kind.SEQUENTIAL, inner.site)
            found.append(t.Store(sums, row, t.Name(name, s.value.type), accumulate=True))
            found.append(t.For(outer.index, outer.size, (*copied[0], again), t.Kind.SEQUENTIAL, outer.site))
        return replace(inner, body=_used(kept)), found

    def copied(
        self, outer: t.For, position: int, inner: t.For, place: int
    ) -> tuple[list[t.Statement], list[t.Statement]] | None:
        """The declarations that an addition needs in the two loops; None if it needs what differs from strip to strip."""
        needed = {name for e in expressions_of(inner.body[place]) for name in names_of(e)} - self.sums
        here = _declarations(inner.body[:place], needed)
        needed |= names_of(inner.size)
        there = _declarations(outer.body[:position], needed)
        own = {outer.index, inner.index, *[name for s in (*here, *there) for name in declared(s)]}
        changing = self.changing | self.sums | {name for s in walk([outer]) for name in declared(s)}
        return (there, here) if needed.isdisjoint(changing - own) else None


def _declarations(body: t.Body, needed: set[str]) -> list[t.Statement]:
    """The declarations of the names, and of those that they need, which are added to `needed`."""
    found: list[t.Statement] = []
    for s in reversed(body):
        if isinstance(s, t.Declare) and s.name in needed and s.value is not None and not s.mutable:
            needed |= names_of(s.value)
            found.append(s)
    return found[::-1]


def _used(body: list[t.Statement]) -> t.Body:
    """The statements without declarations that nothing needs any more."""
    found: list[t.Statement] = []
    wanted: set[str] = set()
    for s in reversed(body):
        if not isinstance(s, t.Declare) or s.mutable or s.name in wanted:
            found.append(s)
            wanted |= mentioned([s])
    return tuple(found[::-1])
