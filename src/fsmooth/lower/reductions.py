"""Reductions (design §6): sums accumulate into their destination, scalars into a local."""

from __future__ import annotations

import math

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Delta, Let, MakeTuple, Reduce, Reduction, Term
from fsmooth.core.types import BOOL, INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import start_of_next
from fsmooth.loops.arithmetic import ZERO, replace, zero_of
from fsmooth.lower.arrays import fill_zero
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Local, Mode, View, added, destination_at
from fsmooth.lower.loop import Loop
from fsmooth.lower.ranges import Span, range_of
from fsmooth.lower.searches import is_number, may_be_in_strips, place_by_strips, worst

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
            return _extremum(ctx, term)
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


_EXTREMA = {
    Reduction.MAX: t.Extremum.MAX,
    Reduction.MIN: t.Extremum.MIN,
    Reduction.ARGMAX: t.Extremum.ARGMAX,
    Reduction.ARGMIN: t.Extremum.ARGMIN,
}


def _extremum(ctx: Context, term: Reduce) -> t.Expression:
    """The first extremum, a NaN winning: a search of memory, or a loop that compares."""
    size = ctx.named(ctx.scalar(term.size), "n")
    if may_be_in_strips(term) and not ctx.names.in_loop:
        return place_by_strips(ctx, term, size, _HINTS[term.reduction])
    wants_index = term.reduction in (Reduction.ARGMAX, Reduction.ARGMIN)
    element = term.body.type
    result: t.Expression | None = None
    found = None
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL) as loop:
        x = ctx.scalar(term.body)
        if not (isinstance(size, t.Literal) and int(size.value) < thresholds.SEARCHED):
            found = contiguous(ctx.block, x, loop.index.name)
        if found is None and isinstance(element, Float) and not wants_index:
            result = _largest(ctx, term, x, loop)
        elif found is None:
            x = ctx.named(x, "x")
            best, beats = _compare(ctx, term, x, loop)
            result = _place(ctx, term, x, beats, loop) if wants_index else best
            ctx.emit(t.Assign(best.name, t.Conditional(beats, x, best)))
    if result is not None:
        return result
    assert found is not None
    buffer, offset = found
    search = t.Search(_EXTREMA[term.reduction], buffer, offset, size, element)
    return ctx.named(search, _HINTS[term.reduction])


def _largest(ctx: Context, term: Reduce, x: t.Expression, loop: Loop) -> t.Expression:
    """One step of a maximum or minimum of reals, which vectorises: NaNs are counted aside.  Gives the result."""
    x = ctx.named(x, "x")
    largest = term.reduction is Reduction.MAX
    best, nans = t.Name(ctx.fresh(_HINTS[term.reduction]), x.type), t.Name(ctx.fresh("nans"), x.type)
    loop.outer.append(t.Declare(best.name, x.type, worst(x.type, largest), mutable=True))
    loop.outer.append(t.Declare(nans.name, x.type, zero_of(x.type), mutable=True))
    beats = t.Operation(p.greater if largest else p.less, (x, best), BOOL)
    ctx.emit(t.Assign(best.name, t.Conditional(beats, x, best)))
    one = t.Literal(1.0, x.type)
    isnan = t.Operation(p.is_nan, (x,), BOOL)
    ctx.emit(t.Assign(nans.name, t.Conditional(isnan, one, zero_of(x.type)), accumulate=True))
    loop.kind = t.Kind.REDUCTION
    loop.reduced = (nans.name,)
    loop.extrema = ((best.name, t.Extremum.MAX if largest else t.Extremum.MIN),)
    return t.Conditional(t.Operation(p.greater, (nans, zero_of(x.type)), BOOL), t.Literal(math.nan, x.type), best)


def _compare(ctx: Context, term: Reduce, x: t.Expression, loop: Loop) -> tuple[t.Name, t.Expression]:
    """The best element so far, and whether `x` beats it."""
    largest = term.reduction in (Reduction.MAX, Reduction.ARGMAX)
    wants_index = term.reduction in (Reduction.ARGMAX, Reduction.ARGMIN)
    best = t.Name(ctx.fresh("best" if wants_index else _HINTS[term.reduction]), x.type)
    loop.outer.append(t.Declare(best.name, x.type, worst(x.type, largest), mutable=True))
    return best, t.Operation(p.greater if largest else p.less, (x, best), BOOL)


def _place(ctx: Context, term: Reduce, x: t.Expression, beats: t.Expression, loop: Loop) -> t.Expression:
    """One step of the place of an extremum.

    By selection, since no processor foresees where the next record falls; C compilers select if this is next to the
    selection of the best itself.  A NaN beats nothing: the place of the first one is kept aside.
    """
    where = t.Name(ctx.fresh(_HINTS[term.reduction]), INT)
    loop.outer.append(t.Declare(where.name, INT, ZERO, mutable=True))
    result: t.Expression = where
    if isinstance(x.type, Float) and not is_number(term.body):
        nan = t.Name(ctx.fresh("first_nan"), INT)
        loop.outer.append(t.Declare(nan.name, INT, t.Literal(-1, INT), mutable=True))
        none = t.Operation(p.less, (nan, ZERO), BOOL)
        first = t.Conditional(t.Operation(p.is_nan, (x,), BOOL), none, t.Literal(False, BOOL))
        ctx.emit(t.Assign(nan.name, t.Conditional(first, loop.index, nan)))
        result = t.Conditional(none, where, nan)
    ctx.emit(t.Assign(where.name, t.Conditional(beats, loop.index, where)))
    return result


def contiguous(block: list[t.Statement], x: t.Expression, index: str) -> tuple[str, t.Expression] | None:
    """Buffer and offset if the loop whose body is `block` only reads x = buffer[offset + index], and tests."""
    definitions: dict[str, t.Expression] = {}
    for s in block:
        if isinstance(s, t.Declare) and s.value is not None and not s.mutable:
            value = s.value
            for name in reversed(definitions):
                value = replace(value, name, definitions[name])
            definitions[s.name] = value
        elif not isinstance(s, t.Check | t.Demand):
            return None
    while isinstance(x, t.Name) and x.name in definitions:
        x = definitions[x.name]
    if not isinstance(x, t.Load):
        return None
    at = x.index
    for name in reversed(definitions):
        at = replace(at, name, definitions[name])
    offset = start_of_next(at, index)
    return None if offset is None else (x.buffer, offset)


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
