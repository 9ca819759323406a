"""Parts of loops that are the same in every iteration, or are parts of one whole.

for i: a[i][…] = 0; a[i][k] = v    zeroes once, before the loop
for i: … argmax of all of b …      one search, before the loop
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of
from fsmooth.loops.arithmetic import same, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.memory_operations import if_any
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import changed, declared, names_of, walk


def whole_arrays(function: t.Function, _: Names) -> t.Function:
    """Set to zero, and search, arrays as wholes before loops that do it piece by piece, or again and again."""

    def moved(loop: t.For) -> Sequence[t.Statement]:
        if not any([isinstance(s, t.Fill | t.Declare) for s in loop.body]):
            return (loop,)
        rest, before = _without_searches(loop)
        rest, zeroes = _without_zeroes(rest, function.facts)
        if rest is loop:
            return (loop,)
        return [*before, *zeroes, rest] if rest.body else [*before, *zeroes]

    return each_loop(function, moved)


def _without_searches(loop: t.For) -> tuple[t.For, list[t.Statement]]:
    """The loop without searches that are the same in every iteration, and these."""
    found = [s for s in loop.body if isinstance(s, t.Declare) and not s.mutable and isinstance(s.value, t.Search)]
    if not found:
        return loop, []
    inner = {name for s in walk(loop.body) for name in declared(s)} | {loop.index} | changed(loop.body)
    moved: list[t.Statement] = []
    for s in found:
        assert s.value is not None
        names = names_of(s.value)
        if not names & inner:
            moved.append(s)
    if not moved:
        return loop, []
    return replace(loop, body=tuple([s for s in loop.body if s not in moved])), moved


def _without_zeroes(loop: t.For, facts: t.Facts) -> tuple[t.For, list[t.Statement]]:
    """The loop without zeroes of neighbouring pieces, and zeroes of all of them, if little else is done to the pieces."""
    if loop.kind is not t.Kind.PARALLEL or any([not isinstance(s, t.Fill | t.Store | t.Declare) for s in loop.body]):
        return loop, []
    inner = {name for s in loop.body for name in declared(s)}
    before: list[t.Statement] = []
    seen: set[str] = set()
    kept: list[t.Statement] = []
    for s in loop.body:
        if isinstance(s, t.Fill) and s.buffer not in seen and not isinstance(s.count, t.Literal):
            place = stride_of(s.offset, loop.index)
            names = names_of(s.count)
            if place is not None and same(place[1], s.count) and not names & (inner | {loop.index}):
                whole = t.Fill(s.buffer, place[0], times(loop.size, s.count), s.type)
                before.append(if_any(loop.size, whole, facts))
                seen.add(s.buffer)
                continue
        if isinstance(s, t.Fill | t.Store):
            seen.add(s.buffer)
        kept.append(s)
    return (replace(loop, body=tuple(kept)), before) if before else (loop, [])
