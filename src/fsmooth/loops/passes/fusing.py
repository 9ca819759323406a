"""Loops over the same range that follow each other become one, so that what both read is read once.

Only loops whose iterations are independent, without loops or branches inside, and only if no iteration of the second needs,
or changes, what another iteration of the first wrote or read.  Their iterations are then independent too, which the
C compiler is told: it cannot see it for as many arrays as one loop then works on.
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import is_next
from fsmooth.loops.arithmetic import replace, same
from fsmooth.loops.names import Names
from fsmooth.loops.passes.accesses import Accesses
from fsmooth.loops.passes.columns import Sizes, in_own_column, sizes_in
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import loads, names_of


def fuse_loops(function: t.Function, _: Names) -> t.Function:
    """Fuse the loops of a function, in each of its blocks."""
    places, sizes = Places.of(function.body), sizes_in(function)

    def fused(body: t.Body) -> t.Body:
        kept: list[t.Statement] = []
        for s in body:
            both = _fused(kept[-1], s, places, sizes) if kept else None
            if both is None:
                kept.append(s)
            else:
                kept[-1] = both
        return same_or(body, [with_bodies(s, fused) for s in kept])

    return with_body(function, fused(function.body))


def _is_plain(accesses: Accesses, index: str) -> bool:
    """Does a loop walk along what it reads and writes, so that it vectorises with or without another one?"""
    found = [at for by in (accesses.reads, accesses.writes) for indices in by.values() for at in indices]
    return all(
        [names_of(at).isdisjoint(accesses.locals) and (index not in names_of(at) or is_next(at, index)) for at in found]
    )


def _fused(first: t.Statement, second: t.Statement, places: Places, sizes: Sizes) -> t.For | None:
    if not isinstance(first, t.For) or not isinstance(second, t.For) or not same(first.size, second.size):
        return None
    if t.Kind.PARALLEL is not first.kind or t.Kind.PARALLEL is not second.kind or loads(first.size):
        return None
    following = _renamed(second, first.index)
    if following is None:
        return None
    a, b = Accesses.of(first.body), Accesses.of(following.body)
    if a is None or b is None or not a.locals.isdisjoint(b.locals):
        return None
    if a.reads.keys().isdisjoint(b.buffers()) and a.writes.keys().isdisjoint(b.buffers()):
        return None  # nothing would be read once instead of twice
    if len(a.buffers() | b.buffers()) > thresholds.STREAMS or not (
        _is_plain(a, first.index) and _is_plain(b, first.index)
    ):
        return None
    for one, other in ((a, b), (b, a), (a, a), (b, b)):
        for written, indices in one.writes.items():
            for buffer in other.buffers():
                if buffer != written and not places.apart(buffer, written):
                    return None
            touched = other.reads.get(written, []) + other.writes.get(written, [])
            at = [*indices, *touched]
            if touched and not (
                _one_element(at, first.index, a.locals | b.locals)
                or in_own_column(at, first, sizes, a.locals | b.locals)
            ):
                return None
    return t.For(first.index, first.size, (*first.body, *following.body), first.kind, first.site, simd=True)


def _one_element(indices: list[t.Expression], index: str, locals_: set[str]) -> bool:
    """Is it the same element, and another one in each iteration?"""
    names = names_of(indices[0])
    return names.isdisjoint(locals_) and is_next(indices[0], index) and all([same(x, indices[0]) for x in indices[1:]])


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
