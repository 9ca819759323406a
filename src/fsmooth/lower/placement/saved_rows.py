"""Arrays that a step computes and keeps: computed in the row of the state where they are kept (design §6).

    ifold (fun (s, a) i -> let k = build n (fun j -> e s j) in (f s k, update a i k)) …

Reverse mode saves what a step computes so.  Where nothing else reads a after k is computed, k is computed in a[i].

What the rows contain at first does not matter if each step writes one.  There may be more rows than steps (blocks of
steps, of which the last is shorter): then only the rows that no step writes are set to zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsmooth.core.term import Build, Const, Length, MakeTuple, Plus, Prim, Proj, Reduce, Term, Update, Var, Zero
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Array
from fsmooth.core.vectors import is_zero
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import minus, times
from fsmooth.lower.aliases import alias
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, View, destination_at
from fsmooth.lower.placement.extents import has_room, is_same_size
from fsmooth.lower.placement.fold_roles import Path, Role
from fsmooth.lower.placement.places import Part, reads


def saved_row(ctx: Context, var: Var, value: Term, parts: Sequence[Part], later: Sequence[Term]) -> Destination | None:
    """The row in which the last of `later` keeps the array `value` that is bound to `var`."""
    if not isinstance(value, Build | Plus | Reduce) or not isinstance(value.type, Array):
        return None
    ends = _ends(later[-1])
    for end in ends:
        match end:
            case Update(array, Var() | Const() as index, kept) if kept is var:
                pass
            case _:
                continue
        for part in parts:
            if not part.is_held(array) or (isinstance(index, Var) and index not in ctx.environment):
                continue
            if any([reads(x, part) for x in (value, *later[:-1], *[x for x in ends if x is not end])]):
                continue
            if isinstance(value, Build) and alias(ctx, value) is not None:
                return None
            return destination_at(part.place, ctx.scalar(index))
    return None


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


def _ends(body: Term) -> list[Term]:
    """The next values of the parts, as far as they are written out."""
    if isinstance(body, MakeTuple):
        return [x for item in body.items for x in _ends(item)]
    return [body]
