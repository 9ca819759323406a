"""Rows that no step of a fold writes are set to zero, and no others.

    ifold (fun (s, a) i -> (f s, update a i e)) (z, zero n) n

Reverse mode saves what a step computes so.  What the rows contain at first does not matter if each step writes one.  There
may be more rows than steps (blocks of steps, of which the last is shorter): then only these are set to zero.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.term import Build, Const, Length, MakeTuple, Prim, Proj, Term, Var, Zero
from fsmooth.core.traverse import subterms
from fsmooth.core.vectors import is_zero
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import minus, times
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, View
from fsmooth.lower.placement.extents import has_room, is_same_size
from fsmooth.lower.placement.fold_roles import Path, Role


def clear_other_rows(
    ctx: Context, init: Term, state: Destination, roles: Mapping[Path, Role], steps: t.Expression, path: Path = ()
) -> set[Path]:
    """Set the rows that no step writes to zero, in parts of which the steps write the first rows, or all.

    Gives the parts that need no other initial value.
    """
    if isinstance(init, MakeTuple) and isinstance(state, Group):
        found: set[Path] = set()
        for k, (item, place) in enumerate(zip(init.items, state.items, strict=True)):
            found |= clear_other_rows(ctx, item, place, roles, steps, (*path, k))  # type: ignore[arg-type]
        return found
    if roles.get(path) is not Role.FILLED or not isinstance(state, View) or not state.dense:
        return set()
    if is_same_size(ctx, state.sizes[0], steps):
        return {path} if is_zero(init) or _cannot_fail(init) else set()
    if not is_zero(init) or not has_room(ctx, state.sizes[0], steps):
        return set()
    written = ctx.extent(steps)
    rest = state.at(written)
    count = times(minus(state.sizes[0], written), rest.count())
    ctx.emit(t.Fill(rest.buffer, rest.offset, count, rest.leaf))
    return {path}


def _cannot_fail(term: Term) -> bool:
    """Is it made without looking at anything that may not be there?"""
    return all([isinstance(x, Build | Const | Length | MakeTuple | Prim | Proj | Var | Zero) for x in subterms(term)])
