"""Sequential folds (design §6): scalar states in locals, array states in place or in two buffers.

The next state is computed whole from the old one, then the old one is replaced: scalars by assignment, small arrays
by copying, large ones by exchanging the two buffers.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import IFold, Let, MakeTuple, Proj, Term, Var
from fsmooth.core.types import BOOL, INT, Tuple
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, integer, same
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Local, Mode, Scalar, Value, View, leaves, readable
from fsmooth.lower.loop import Loop
from fsmooth.lower.storage import array, storage_for


def fold(ctx: Context, term: IFold) -> Value:
    """The final state, in storage of its own."""
    size = ctx.named(ctx.scalar(term.size), "n")
    state = storage_for(ctx, term.init, term.state.name)
    ctx.into(term.init, state, Mode.ASSIGN)
    saved = ctx.environment.get(term.state)
    _spare: dict[int, View] = {}
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL):
        ctx.environment[term.state] = readable(state)
        replaced: list[tuple[Destination, Value]] = []
        _advance(ctx, term.body, state, replaced)
        for place, new in replaced:
            copy_into(ctx, new, place, Mode.ASSIGN)
    if saved is None:
        ctx.environment.pop(term.state, None)
    else:
        ctx.environment[term.state] = saved
    return readable(state)


def fold_into(ctx: Context, term: IFold, dest: Destination, mode: Mode) -> None:
    """The final state to a destination."""
    copy_into(ctx, fold(ctx, term), dest, mode)


def _advance(ctx: Context, body: Term, state: Destination, replaced: list[tuple[Destination, Value]]) -> None:
    """Compute the next value of every component, to be copied over the old ones afterwards."""
    saved: list[tuple[Var, Value | None]] = []
    while isinstance(body, Let):
        for var, value in body.bindings:
            saved.append((var, ctx.environment.get(var)))
            ctx.bind(var, value)
        body = body.body
    if isinstance(body, MakeTuple):
        assert isinstance(state, Group)
        for item, place in zip(body.items, state.items, strict=True):
            _advance(ctx, item, place, replaced)  # type: ignore[arg-type]
    elif isinstance(state, Local):
        new = ctx.scalar(body)
        if not (isinstance(new, t.Name) and new.name == state.name):
            replaced.append((state, Scalar(ctx.named(new, f"{state.name}_next"))))
    else:
        next_ = storage_for(ctx, body, "next")
        ctx.into(body, next_, Mode.ASSIGN)
        replaced.append((state, readable(next_)))
    for var, old in reversed(saved):
        if old is None:
            ctx.environment.pop(var, None)
        else:
            ctx.environment[var] = old
