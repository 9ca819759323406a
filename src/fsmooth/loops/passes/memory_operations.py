"""Loops that are one operation on memory.

for i: a[i] = b[i]      a copy
for i: a[i] = 0         zeroes
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.loops import tree as t
from fsmooth.loops.affine import start_of_next
from fsmooth.loops.arithmetic import positive
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import each_loop


def operations_on_memory(function: t.Function, _: Names) -> t.Function:
    """Copy, or set to zero, what loops would copy or set to zero element by element."""

    def changed(loop: t.For) -> Sequence[t.Statement]:
        operation = _operation(loop)
        return (loop,) if operation is None else (if_any(loop.size, operation, function.facts),)

    return each_loop(function, changed)


def _operation(loop: t.For) -> t.Statement | None:
    """The loop as a copy or as zeroes, if that is all it does."""
    if loop.kind is not t.Kind.PARALLEL or isinstance(loop.size, t.Literal):
        return None
    match loop.body:
        case [t.Store(buffer, index, value, False)]:
            pass
        case _:
            return None
    target = start_of_next(index, loop.index)
    if target is None:
        return None
    match value:
        case t.Literal(zero) if not zero and not (isinstance(zero, float) and str(zero) == "-0.0"):
            return t.Fill(buffer, target, loop.size, value.type)
        case t.Load(source, at) if source != buffer:
            origin = start_of_next(at, loop.index)
            return None if origin is None else t.Copy(buffer, target, source, origin, loop.size, value.type)
        case _:
            return None


def if_any(size: t.Expression, operation: t.Statement, facts: t.Facts) -> t.Statement:
    """The operation, unless the size is negative."""
    if isinstance(size, t.Name) and size.name in facts.nonnegative:
        return operation
    condition = positive(size)
    if isinstance(condition, t.Literal) and condition.value:
        return operation
    return t.If(condition, (operation,))
