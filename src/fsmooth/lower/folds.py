"""Sequential folds (design §6): scalar states in locals, array states in place or in two buffers.

The next state is computed from the old one, then replaces it: scalars by assignment, small arrays by copying, large
ones by exchanging two buffers, whose parity is chosen so that the last step lands in the destination.  An array
whose next value is made by updates of the old one, which nothing else reads afterwards, is changed in place
(`lower.updates`).  One that every step records lives where it is recorded (`lower.placement.recorded_states`).
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.hints import Hint
from fsmooth.core.term import Carrying, IFold, MakeTuple, Term, While
from fsmooth.core.types import Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Mode, Value, View, added, leaves, readable
from fsmooth.lower.loop import Loop
from fsmooth.lower.placement.cleared_rows import clear_other_rows
from fsmooth.lower.placement.continuing import as_display
from fsmooth.lower.placement.fold_roles import Role, roles_of
from fsmooth.lower.placement.places import Path, parts_of
from fsmooth.lower.placement.recorded_states import holding, moved, open_step, recorded_in, settle
from fsmooth.lower.storage import storage_for
from fsmooth.lower.updates import advance
from fsmooth.lower.whiles import as_long_as


def fold(ctx: Context, term: Carrying) -> Value:
    """The final state, in storage of its own."""
    return _run(ctx, term, None)


def fold_into(ctx: Context, term: Carrying, dest: Destination, mode: Mode) -> None:
    """The final state to a destination, which serves as one of the buffers."""
    if mode is Mode.ACCUMULATE:
        dest = added(dest)
    result = _run(ctx, term, dest)
    for value, place in _leaf_pairs(result, dest):
        if not (isinstance(value, View) and isinstance(place, View) and _within(ctx, value, place)):
            copy_into(ctx, value, place, Mode.ASSIGN)


def _run(ctx: Context, term: Carrying, dest: Destination | None) -> Value:
    size = ctx.named(ctx.scalar(term.size), "n") if isinstance(term, IFold) else None
    roles = roles_of(term) if isinstance(term, IFold) else {}
    own = storage_for(ctx, term.init, Hint.of(term.state))
    unset: set[Path] = {path for path, role in roles.items() if role is Role.RECORD}
    state = own if dest is None else _borrowed(ctx, own, dest, roles, (), unset)
    recorded = recorded_in(ctx, term, state, roles, size) if isinstance(term, IFold) and size is not None else []
    unset |= clear_other_rows(ctx, term.init, state, roles, size) if size is not None else set()
    start = moved(state, {x.path: x.first for x in recorded})
    first, others = holding(term.init, recorded)
    _start(ctx, term.init, start, (), unset | first)
    if first:  # after the rows, which may be set to zero
        _start(ctx, term.init, start, (), unset | others)
    inside = moved(state, {x.path: x.current for x in recorded})
    parts = parts_of(term.state.type, inside, term.state)
    settle(parts, recorded)
    for part in parts:
        is_sum = part.path in unset and roles.get(part.path) is Role.SUM
        part.settled = is_sum or any([isinstance(x, View) and x.started for x in leaves(part.place)])
    saved = ctx.environment.get(term.state)
    before = ctx.block
    if isinstance(term, While):
        ctx.environment[term.state] = readable(state)
        with as_long_as(ctx, term):
            advance(ctx, term.body, parts, None)
    else:
        assert size is not None
        assert isinstance(term, IFold)
        with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL) as loop:
            open_step(ctx, recorded, loop.index, size)
            ctx.environment[term.state] = readable(inside)
            advance(ctx, term.body, parts, ctx.block)
        for part in parts:
            for view in leaves(part.place):
                if isinstance(view, View) and view.buffer in part.spares:
                    _two_buffers(ctx, before, view, part.spares[view.buffer], size)
    ctx.restore([(term.state, saved)])
    return readable(state)


def _start(ctx: Context, init: Term, state: Destination, path: Path, unset: set[Path]) -> None:
    """The initial state, but for the parts that need none."""
    if path in unset:
        return
    init = as_display(init) if unset else init
    if isinstance(init, MakeTuple) and isinstance(state, Group):
        for k, (item, place) in enumerate(zip(init.items, state.items, strict=True)):
            _start(ctx, item, place, (*path, k), unset)  # type: ignore[arg-type]
        return
    ctx.into(init, state, Mode.ASSIGN)


def _borrowed(
    ctx: Context, own: Destination, dest: Destination, roles: Mapping[Path, Role], path: Path, unset: set[Path]
) -> Destination:
    """`own`, with arena arrays replaced by aliases of the arrays of `dest`.

    What is to be added to serves if the fold only adds to it, from zero; then it is not set to zero first.  What
    contains the initial state already is the place itself.
    """
    if isinstance(own, Group) and isinstance(dest, Group):
        if own.sizes and not _alike(ctx, own, dest):
            return own
        return Group(
            tuple(
                [
                    _borrowed(ctx, o, d, roles, path if own.sizes else (*path, k), unset)  # type: ignore[arg-type]
                    for k, (o, d) in enumerate(zip(own.items, dest.items, strict=True))
                ]
            ),
            own.sizes,
        )
    if isinstance(own, View) and isinstance(dest, View) and dest.started:
        ctx.block[:] = [s for s in ctx.block if not (isinstance(s, t.Allocate) and s.buffer == own.buffer)]
        unset.add(path)
        return dest
    if isinstance(own, View) and isinstance(dest, View) and dest.dense and own.sizes:
        if dest.added and roles.get(path) is not Role.SUM:
            return own
        for position in range(len(ctx.block) - 1, -1, -1):
            s = ctx.block[position]
            if isinstance(s, t.Allocate) and s.buffer == own.buffer:
                ctx.block[position] = t.Choose(own.buffer, own.leaf, dest.buffer, dest.offset, None, None, None)
                ctx.aliases[own.buffer] = dest.buffer
                if dest.added:
                    unset.add(path)
                break
    return own


def _alike(ctx: Context, own: Group, dest: Group) -> bool:
    """Can the arrays that make up an array of tuples all be treated as one?"""
    places = leaves(dest)
    if not any([isinstance(d, View) and d.added for d in places]):
        return True
    taken = {s.buffer for s in ctx.block if isinstance(s, t.Allocate)}
    mine = {o.buffer for o in leaves(own) if isinstance(o, View)}
    return mine <= taken and all([isinstance(d, View) and d.added and d.dense for d in places])


def _within(ctx: Context, value: View, place: View) -> bool:
    """Was the value computed in its place already?"""
    return place.started or ctx.aliases.get(value.buffer) == place.buffer


def _two_buffers(ctx: Context, block: list[t.Statement], view: View, other: str, size: t.Expression) -> None:
    """Make the pointer of a part point to one of two buffers, to be exchanged in every step."""
    spare = ctx.beside(view.buffer, "spare")
    for position in range(len(block) - 1, -1, -1):
        s = block[position]
        if isinstance(s, t.Allocate) and s.buffer == view.buffer:
            store = ctx.beside(view.buffer, "store")
            block[position : position + 1] = [
                t.Allocate(store, s.type, s.count),
                t.Allocate(spare, s.type, s.count),
                t.Choose(view.buffer, s.type, store, ZERO, None, None, None, exchanged=True),
                t.Choose(other, s.type, spare, ZERO, None, None, None, exchanged=True),
            ]
            return
        if isinstance(s, t.Choose) and s.pointer == view.buffer:
            first, second = (s.then, s.then_offset), (spare, ZERO)
            steps: t.Expression | None = size
            if isinstance(size, t.Literal):
                steps = None
                if int(size.value) > 0 and int(size.value) % 2:
                    first, second = second, first
            block[position : position + 1] = [
                t.Allocate(spare, s.type, view.count()),
                _pointer(view.buffer, s.type, first, second, steps),
                _pointer(other, s.type, second, first, steps),
            ]
            return
    raise AssertionError(f"{view.buffer} was not declared")


def _pointer(
    name: str, type_: Type, even: tuple[str, t.Expression], odd: tuple[str, t.Expression], steps: t.Expression | None
) -> t.Choose:
    """A pointer to the first place, or to the second if the number of steps is odd."""
    if steps is None:
        return t.Choose(name, type_, *even, None, None, None, exchanged=True)
    return t.Choose(name, type_, *even, steps, *odd, exchanged=True)


def _leaf_pairs(value: Value, dest: Destination) -> list[tuple[Value, Destination]]:
    if isinstance(value, Group):
        assert isinstance(dest, Group)
        found = []
        for v, d in zip(value.items, dest.items, strict=True):
            found.extend(_leaf_pairs(v, d))  # type: ignore[arg-type]
        return found
    return [(value, dest)]
