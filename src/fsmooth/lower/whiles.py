"""`while` loops: steps as long as a condition on the state holds, which is kept like that of a fold (`lower.folds`).

What the condition needs is computed before it is tested, in each iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fsmooth.core.term import While
from fsmooth.loops import tree as t
from fsmooth.lower.context import Context


@contextmanager
def as_long_as(ctx: Context, term: While) -> Iterator[None]:
    """The loop, whose step is what is emitted inside; its state variable stands for the state already."""
    outer = ctx.open_block()
    condition = ctx.scalar(term.condition)
    test = ctx.close_block(outer)
    outer = ctx.open_block()
    yield
    body = ctx.close_block(outer)
    ctx.emit(t.While(tuple(test), condition, tuple(body), term.state.site))
