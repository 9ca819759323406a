"""Reductions (design §6): sums accumulate into their destination, scalars into a local."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Delta, Let, MakeTuple, Reduce, Reduction, Term
from fsmooth.core.types import BOOL, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import zero_of
from fsmooth.lower.arrays import fill_zero
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Local, Mode, View, added, destination_at
from fsmooth.lower.extrema import extremum
from fsmooth.lower.loop import Loop
from fsmooth.lower.ranges import Span, range_of

_HINTS = {
    Reduction.SUM: "sum",
    Reduction.PRODUCT: "product",
    Reduction.MAX: "largest",
    Reduction.MIN: "smallest",
    Reduction.ARGMAX: "where",
    Reduction.ARGMIN: "where",
    Reduction.ALL: "all",
    Reduction.ANY: "any",
}


def sum_into(ctx: Context, term: Reduce, dest: Destination, mode: Mode) -> None:
    """An array-valued (or tuple-valued) sum: zero the destination, then accumulate every element into it.

    Scalar parts accumulate in locals and are stored once.
    """
    part = range_of(term.index, term.body)
    span = Span(ctx, part, ctx.named(ctx.scalar(term.size), "n"))
    sums: list[tuple[View | Local, Local]] = []
    filled = _filled(term) if mode is Mode.ASSIGN else frozenset()
    inner = _with_locals(ctx, dest, mode, sums, filled)
    with span.loop(term.index, t.Kind.REDUCTION, tuple([local.name for _, local in sums])):
        if filled:
            _fill_and_add(ctx, term, inner, filled)
        else:
            ctx.into(part.element, inner, Mode.ACCUMULATE)
    for place, local in sums:
        ctx.store(place, t.Name(local.name, local.type), mode)


def _filled(term: Reduce) -> frozenset[int]:
    """The components that are `delta n i e` in a loop over i < n: each element is written exactly once."""
    body = term.body
    while isinstance(body, Let):
        if term.index in [var for var, _ in body.bindings]:
            return frozenset()
        body = body.body
    if not isinstance(body, MakeTuple):
        return frozenset()
    return frozenset(
        [
            k
            for k, item in enumerate(body.items)
            if isinstance(item, Delta) and item.index is term.index and alpha_equal(item.size, term.size)
        ]
    )


def _fill_and_add(ctx: Context, term: Reduce, dest: Destination, filled: frozenset[int]) -> None:
    """One step: the components that are filled are assigned, the others added."""
    assert isinstance(dest, Group)
    at = ctx.scalar(term.index)
    places = [
        destination_at(place, at) if k in filled else added(place)  # type: ignore[arg-type]
        for k, place in enumerate(dest.items)
    ]
    ctx.into(_elements(term.body, filled), Group(tuple(places)), Mode.ASSIGN)


def _elements(body: Term, filled: frozenset[int]) -> Term:
    if isinstance(body, Let):
        return Let(body.bindings, _elements(body.body, filled))
    assert isinstance(body, MakeTuple)
    items = [item.value if k in filled else item for k, item in enumerate(body.items)]  # type: ignore[attr-defined]
    return MakeTuple(tuple(items))


def _with_locals(
    ctx: Context, dest: Destination, mode: Mode, sums: list[tuple[View | Local, Local]], filled: frozenset[int]
) -> Destination:
    """`dest` with a local for each scalar, and its arrays zeroed if they are not to be added to, nor to be filled."""
    if isinstance(dest, Group):
        items = [
            item if k in filled else _with_locals(ctx, item, mode, sums, frozenset())  # type: ignore[arg-type]
            for k, item in enumerate(dest.items)
        ]
        return Group(tuple(items), dest.sizes)
    if isinstance(dest, View) and dest.sizes:
        if mode is Mode.ASSIGN and not dest.added:
            fill_zero(ctx, dest)
        return dest
    type_ = dest.leaf if isinstance(dest, View) else dest.type
    local = ctx.local(_HINTS[Reduction.SUM], type_, zero_of(type_))
    sums.append((dest, local))
    return local


def reduce_scalar(ctx: Context, term: Reduce) -> t.Expression:
    """A scalar reduction in a local."""
    match term.reduction:
        case Reduction.SUM:
            return _sum(ctx, term)
        case Reduction.PRODUCT:
            return _product(ctx, term)
        case Reduction.MAX | Reduction.MIN | Reduction.ARGMAX | Reduction.ARGMIN:
            return extremum(ctx, term, _HINTS[term.reduction])
        case Reduction.ALL | Reduction.ANY:
            return _search(ctx, term)


def _sum(ctx: Context, term: Reduce) -> t.Expression:
    part = range_of(term.index, term.body)
    span = Span(ctx, part, ctx.named(ctx.scalar(term.size), "n"))
    total = ctx.local(_HINTS[term.reduction], term.type, zero_of(term.type))
    with span.loop(term.index, t.Kind.REDUCTION, (total.name,)):
        ctx.into(part.element, total, Mode.ACCUMULATE)
    return t.Name(total.name, total.type)


def _product(ctx: Context, term: Reduce) -> t.Expression:
    size = ctx.named(ctx.scalar(term.size), "n")
    one = t.Literal(1.0 if isinstance(term.type, Float) else 1, term.type)
    total = ctx.local(_HINTS[term.reduction], term.type, one)
    name = t.Name(total.name, total.type)
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL):
        ctx.emit(t.Assign(total.name, t.Operation(p.multiply, (name, ctx.scalar(term.body)), term.type)))
    return name


def _search(ctx: Context, term: Reduce) -> t.Expression:
    """ALL and ANY stop at the first element that decides."""
    every = term.reduction is Reduction.ALL
    size = ctx.named(ctx.scalar(term.size), "n")
    answer = ctx.local(_HINTS[term.reduction], BOOL, t.Literal(every, BOOL))
    name = t.Name(answer.name, BOOL)
    with Loop(ctx, term.index, size, t.Kind.SEARCH):
        ctx.emit(t.Assign(answer.name, ctx.scalar(term.body)))
        ctx.emit(t.Break(t.Operation(p.logical_not, (name,), BOOL) if every else name))
    return name
