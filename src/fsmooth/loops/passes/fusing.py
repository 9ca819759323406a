"""Loops over the same range that follow each other become one, so that what both read is read once .

Only loops whose iterations are independent, without loops or branches inside, and only if no iteration of the second needs,
or changes, what another iteration of the first wrote or read.  Their iterations are then independent too, which the
C compiler is told: it cannot see it for as many arrays as one loop then works on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsmooth import thresholds
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import is_next
from fsmooth.loops.arithmetic import parts, replace, same
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.vectorise import stays_scalar
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import expressions_of, names_of


def fuse_loops(function: t.Function, _: Names) -> t.Function:
    """Fuse the loops of a function, in each of its blocks."""
    places = Places.of(function.body)

    def fused(body: t.Body) -> t.Body:
        kept: list[t.Statement] = []
        for s in body:
            both = _fused(kept[-1], s, places) if kept else None
            if both is None:
                kept.append(s)
            else:
                kept[-1] = both
        return same_or(body, [with_bodies(s, fused) for s in kept])

    return with_body(function, fused(function.body))


@dataclass
class _Accesses:
    """The indices at which a straight-line loop reads and writes each buffer."""

    reads: dict[str, list[t.Expression]] = field(default_factory=dict)
    writes: dict[str, list[t.Expression]] = field(default_factory=dict)
    locals: set[str] = field(default_factory=set)

    def buffers(self) -> set[str]:
        return self.reads.keys() | self.writes.keys()

    def is_plain(self, index: str) -> bool:
        """Does it walk along what it reads and writes, so that it vectorises with or without the other?"""
        return all(
            [self._is_walked(at, index) for by in (self.reads, self.writes) for found in by.values() for at in found]
        )

    def _is_walked(self, at: t.Expression, index: str) -> bool:
        names = names_of(at)
        return names.isdisjoint(self.locals) and (index not in names or is_next(at, index))


def _accesses(loop: t.For) -> _Accesses | None:
    """None if the loop is not straight-line code that vectorises."""
    found = _Accesses()
    for s in loop.body:
        match s:
            case t.Declare(mutable=False) if s.value is not None:
                found.locals.add(s.name)
            case t.Store():
                found.writes.setdefault(s.buffer, []).append(s.index)
                if s.accumulate:
                    found.reads.setdefault(s.buffer, []).append(s.index)
            case _:
                return None
        stack = list(expressions_of(s))
        while stack:
            e = stack.pop()
            if isinstance(e, t.Load):
                found.reads.setdefault(e.buffer, []).append(e.index)
            elif isinstance(e, t.Search) or stays_scalar(e):
                return None
            stack.extend(parts(e))
    return found


def _fused(first: t.Statement, second: t.Statement, places: Places) -> t.For | None:
    if not isinstance(first, t.For) or not isinstance(second, t.For) or not same(first.size, second.size):
        return None
    if t.Kind.PARALLEL is not first.kind or t.Kind.PARALLEL is not second.kind or _loads(first.size):
        return None
    following = _renamed(second, first.index)
    if following is None:
        return None
    a, b = _accesses(first), _accesses(following)
    if a is None or b is None or not a.locals.isdisjoint(b.locals):
        return None
    if a.reads.keys().isdisjoint(b.buffers()) and a.writes.keys().isdisjoint(b.buffers()):
        return None  # nothing would be read once instead of twice
    if len(a.buffers() | b.buffers()) > thresholds.STREAMS or not (a.is_plain(first.index) and b.is_plain(first.index)):
        return None
    for one, other in ((a, b), (b, a), (a, a), (b, b)):
        for written, indices in one.writes.items():
            for buffer in other.buffers():
                if buffer != written and not places.apart(buffer, written):
                    return None
            touched = other.reads.get(written, []) + other.writes.get(written, [])
            if touched and not _one_element([*indices, *touched], first.index, a.locals | b.locals):
                return None
    return t.For(first.index, first.size, (*first.body, *following.body), first.kind, first.site, simd=True)


def _one_element(indices: list[t.Expression], index: str, locals_: set[str]) -> bool:
    """Is it the same element, and another one in each iteration?"""
    names = names_of(indices[0])
    return names.isdisjoint(locals_) and is_next(indices[0], index) and all([same(x, indices[0]) for x in indices[1:]])


def _loads(e: t.Expression) -> bool:
    return isinstance(e, t.Load) or any([_loads(x) for x in parts(e)])


def _renamed(loop: t.For, index: str) -> t.For | None:
    """The loop with another name for its index; None if it is not straight-line code."""
    name = t.Name(index, INT)
    body: list[t.Statement] = []
    for s in loop.body:
        match s:
            case t.Declare(mutable=False) if s.value is not None:
                body.append(t.Declare(s.name, s.type, replace(s.value, loop.index, name)))
            case t.Store(buffer, at, value, accumulate):
                body.append(
                    t.Store(buffer, replace(at, loop.index, name), replace(value, loop.index, name), accumulate)
                )
            case _:
                return None
    return t.For(index, loop.size, tuple(body), loop.kind, loop.site, loop.reduced, loop.extrema, loop.simd)
