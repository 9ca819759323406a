"""Opening and closing a loop: its index, its block, and what is moved before it."""

from __future__ import annotations

from types import TracebackType

from fsmooth.core.term import Var
from fsmooth.loops import tree as t
from fsmooth.lower.blocking import blocked
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Scalar
from fsmooth.lower.invariant import guarded, hoist_loops
from fsmooth.lower.memory import as_memory_operation, hoist_invariant
from fsmooth.lower.motion import before_loop
from fsmooth.lower.split_math import split_math
from fsmooth.lower.vectorise import vectorise


class Loop:
    """`with Loop(ctx, var, size, kind) as loop:` lowers the body of a loop over `loop.index`."""

    def __init__(self, ctx: Context, var: Var, size: t.Expression, kind: t.Kind, reduced: tuple[str, ...] = ()) -> None:
        self.ctx = ctx
        self.var = var
        self.size = size
        self.kind = kind
        self.reduced = reduced
        self.extrema: tuple[tuple[str, t.Extremum], ...] = ()

    def __enter__(self) -> Loop:
        ctx = self.ctx
        self.index = ctx.open_index(self.var.name)
        self.saved = ctx.environment.get(self.var)
        ctx.environment[self.var] = Scalar(self.index)
        self.outer = ctx.open_block()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()

    def close(self) -> None:
        """End the loop and emit it."""
        ctx = self.ctx
        body = ctx.close_block(self.outer)
        ctx.close_index(self.index)
        ctx.restore([(self.var, self.saved)])
        if not body:
            return
        loop = t.For(self.index.name, self.size, body, self.kind, self.var.site, self.reduced, self.extrema)
        before = before_loop(ctx, loop)
        for statement in before:
            ctx.emit(statement)
        for statement in hoist_invariant(ctx, loop):
            ctx.emit(statement)
        moved = hoist_loops(loop, {s.buffer for s in before if isinstance(s, t.Allocate)})
        if moved:
            vectorise(loop)
        if loop.body:
            after = split_math(loop)
            rest = as_memory_operation(ctx, loop) or blocked(ctx, loop) or loop
            for statement in guarded(loop, moved, rest):
                ctx.emit(statement)
            if after is not None:
                ctx.emit(after)
