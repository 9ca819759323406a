"""What moves out of a loop once its body is known: allocations and checks."""

from __future__ import annotations

from fsmooth.loops import tree as t
from fsmooth.lower.context import Context


def before_loop(ctx: Context, loop: t.For) -> list[t.Statement]:
    """Take from the loop what can be done once before it."""
    return []
