"""Storage for values that cannot go straight to their destination (design §6, "Storage").

Scalars are C locals, static arrays of at most 64 scalars C arrays, everything else is taken from the arena of the
call.  An allocation in a loop moves before it if its size does not change (`loops.passes.motion`); otherwise it gets a room
there in the end (`loops.passes.rooms`).
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.hints import Hint
from fsmooth.core.term import Const, Get, MakeTuple, Proj, Term
from fsmooth.core.types import Array, Tuple, Type, leaf_of, rank_of
from fsmooth.loops import tree as t
from fsmooth.lower.cardinality import length
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Mode, Value, View, dense_view, readable


def storage_for(ctx: Context, term: Term, hint: str | Hint) -> Destination:
    """Uninitialised storage of the type and the sizes of `term`."""
    return _storage(ctx, term, term.type, Hint(hint) if isinstance(hint, str) else hint)


def stored(ctx: Context, term: Term, hint: str | Hint) -> Value:
    """The value of `term` in storage of its own."""
    own = storage_for(ctx, term, hint)
    ctx.into(term, own, Mode.ASSIGN)
    return readable(own)


def _storage(ctx: Context, term: Term, type_: Type, hint: Hint) -> Destination:
    match type_:
        case Tuple(items):
            parts = term.items if isinstance(term, MakeTuple) else [Proj(term, k) for k in range(len(items))]
            names = type_.names or tuple([str(k) for k in range(len(items))])
            return Group(
                tuple(
                    [
                        _storage(ctx, part, item, hint.part(k, name))
                        for k, (part, item, name) in enumerate(zip(parts, items, names, strict=True))
                    ]
                )
            )
        case Array():
            return _array(ctx, term, type_, (), hint)
        case _:
            return ctx.local(hint, type_)


def _array(ctx: Context, term: Term, type_: Array, outer: tuple[t.Expression, ...], hint: Hint) -> Destination:
    rank = rank_of(type_)
    sizes = outer + tuple([length(ctx, term, axis) for axis in range(rank)])
    leaf = leaf_of(type_)
    if not isinstance(leaf, Tuple):
        return array(ctx, sizes, leaf, hint)
    element = term
    for _ in range(rank):
        element = Get(element, Const(0))
    names = leaf.names or tuple([str(k) for k in range(len(leaf.items))])
    items: list[Destination] = []
    for k, (item, name) in enumerate(zip(leaf.items, names, strict=True)):
        part = Proj(element, k)
        items.append(_component(ctx, part, item, sizes, hint.part(k, name)))
    return Group(tuple(items), sizes)


def _component(ctx: Context, part: Term, type_: Type, sizes: tuple[t.Expression, ...], hint: Hint) -> Destination:
    if isinstance(type_, Array):
        return _array(ctx, part, type_, sizes, hint)
    if isinstance(type_, Tuple):
        names = type_.names or tuple([str(k) for k in range(len(type_.items))])
        inner = [
            _component(ctx, Proj(part, k), item, sizes, hint.part(k, name))
            for k, (item, name) in enumerate(zip(type_.items, names, strict=True))
        ]
        return Group(tuple(inner), sizes)
    return array(ctx, sizes, type_, hint)


def array(ctx: Context, sizes: tuple[t.Expression, ...], leaf: Type, hint: str | Hint) -> View:
    """A dense array of scalars: a C array if it is small and static, else arena storage."""
    view = dense_view(ctx.fresh(hint), sizes, leaf)
    ctx.note_rows(view.buffer, sizes)
    count = view.count()
    if isinstance(count, t.Literal) and int(count.value) <= thresholds.ON_STACK:
        ctx.emit(t.LocalArray(view.buffer, leaf, max(1, int(count.value))))
        return view
    ctx.emit(t.Allocate(view.buffer, leaf, count))
    return view
