"""Loops that are one operation on memory, and parts of loops that are the same in every iteration.

for i: a[i] = b[i]                 a copy
for i: a[i] = 0                    zeroes
for i: a[i][…] = 0; a[i][k] = v    zeroes once, before the loop
for i: … argmax of all of b …      one search, before the loop
"""

from __future__ import annotations

from fsmooth.core.types import Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import positive, same, times
from fsmooth.loops.usage import changed, names_in, walk
from fsmooth.lower.checks import declared
from fsmooth.lower.context import Context
from fsmooth.lower.strides import stride_of


def as_memory_operation(ctx: Context, loop: t.For) -> t.Statement | None:
    """The loop as a copy or as zeroes, if that is all it does."""
    if loop.kind is not t.Kind.PARALLEL or isinstance(loop.size, t.Literal):
        return None
    match loop.body:
        case [t.Store(buffer, index, value, False)]:
            pass
        case _:
            return None
    target = stride_of(index, loop.index)
    if target is None or not _is_one(target[1]):
        return None
    operation: t.Statement
    match value:
        case t.Literal(zero) if not zero and not (isinstance(zero, float) and str(zero) == "-0.0"):
            operation = t.Fill(buffer, target[0], loop.size, value.type)
        case t.Load(source, at) if source != buffer:
            origin = stride_of(at, loop.index)
            if origin is None or not _is_one(origin[1]):
                return None
            operation = t.Copy(buffer, target[0], source, origin[0], loop.size, value.type)
        case _:
            return None
    return _guarded(ctx, loop.size, operation)


def hoist_invariant(ctx: Context, loop: t.For) -> list[t.Statement]:
    """Take zeroes and searches out of a loop in which they are the same, or are parts of one whole."""
    before: list[t.Statement] = []
    if any([isinstance(s, t.Fill | t.Declare) for s in loop.body]):
        searches = _searches(loop)
        before.extend(searches)
        before.extend(_fills(ctx, loop))
    return before


def _searches(loop: t.For) -> list[t.Statement]:
    found = [s for s in loop.body if isinstance(s, t.Declare) and not s.mutable and isinstance(s.value, t.Search)]
    if not found:
        return []
    inner = {name for s in walk(loop.body) for name in declared(s)} | {loop.index} | changed(loop.body)
    moved: list[t.Statement] = []
    for s in found:
        assert s.value is not None
        names: set[str] = set()
        names_in(s.value, names)
        if not names & inner:
            moved.append(s)
    loop.body[:] = [s for s in loop.body if s not in moved]
    return moved


def _fills(ctx: Context, loop: t.For) -> list[t.Statement]:
    """Zeroes of neighbouring pieces, if little else is done to the pieces."""
    if loop.kind is not t.Kind.PARALLEL or any([not isinstance(s, t.Fill | t.Store | t.Declare) for s in loop.body]):
        return []
    inner = {name for s in loop.body for name in declared(s)}
    before: list[t.Statement] = []
    seen: set[str] = set()
    kept: list[t.Statement] = []
    for s in loop.body:
        if isinstance(s, t.Fill) and s.buffer not in seen and not isinstance(s.count, t.Literal):
            place = stride_of(s.offset, loop.index)
            names: set[str] = set()
            names_in(s.count, names)
            if place is not None and same(place[1], s.count) and not names & (inner | {loop.index}):
                whole = t.Fill(s.buffer, place[0], times(loop.size, s.count), s.type)
                before.append(_guarded(ctx, loop.size, whole))
                seen.add(s.buffer)
                continue
        if isinstance(s, t.Fill | t.Store):
            seen.add(s.buffer)
        kept.append(s)
    loop.body[:] = kept
    return before


def _guarded(ctx: Context, size: t.Expression, operation: t.Statement) -> t.Statement:
    """The operation, unless the size is negative."""
    if isinstance(size, t.Name) and size.name in ctx.nonnegative:
        return operation
    condition = positive(size)
    if isinstance(condition, t.Literal) and condition.value:
        return operation
    return t.If(condition, [operation])


def _is_one(e: t.Expression) -> bool:
    return isinstance(e, t.Literal) and not isinstance(e.type, Float) and e.value == 1
