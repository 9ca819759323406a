"""Opening and closing a loop: its index and its block."""

from __future__ import annotations

from types import TracebackType

from fsmooth.core.term import Var
from fsmooth.loops import tree as t
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Scalar


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
        self.index = ctx.names.open_index(self.var.name)
        self.saved = ctx.environment.get(self.var)
        ctx.environment[self.var] = Scalar(self.index)
        self.outer = ctx.open_block()
        self.runs = {self.size.name} - ctx.positive if isinstance(self.size, t.Name) else set[str]()
        ctx.positive |= self.runs  # in the body
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
        ctx.positive -= self.runs
        ctx.names.close_index(self.index)
        ctx.restore([(self.var, self.saved)])
        if body:
            site = self.var.site
            ctx.emit(t.For(self.index.name, self.size, tuple(body), self.kind, site, self.reduced, self.extrema))
