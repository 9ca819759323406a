"""Reductions (design §6): sums accumulate into their destination, scalars into a local."""

from __future__ import annotations

import math

from fsmooth.core import primitives as p
from fsmooth.core.term import Reduce, Reduction
from fsmooth.core.types import BOOL, INT, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, zero_of
from fsmooth.lower.arrays import fill_zero
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Mode
from fsmooth.lower.loop import Loop

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
    """An array-valued (or tuple-valued) sum: zero the destination, then accumulate every element into it."""
    if mode is Mode.ASSIGN:
        fill_zero(ctx, dest)
    size = ctx.named(ctx.scalar(term.size), "n")
    with Loop(ctx, term.index, size, t.Kind.REDUCTION):
        ctx.into(term.body, dest, Mode.ACCUMULATE)


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
    size = ctx.named(ctx.scalar(term.size), "n")
    total = ctx.local(_HINTS[term.reduction], term.type, zero_of(term.type))
    with Loop(ctx, term.index, size, t.Kind.REDUCTION, (total.name,)):
        ctx.into(term.body, total, Mode.ACCUMULATE)
    return t.Name(total.name, total.type)


def _product(ctx: Context, term: Reduce) -> t.Expression:
    size = ctx.named(ctx.scalar(term.size), "n")
    one = t.Literal(1.0 if isinstance(term.type, Float) else 1, term.type)
    total = ctx.local(_HINTS[term.reduction], term.type, one)
    name = t.Name(total.name, total.type)
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL):
        ctx.emit(t.Assign(total.name, t.Operation(p.multiply, (name, ctx.scalar(term.body)), term.type)))
    return name


def _worst(type_: Type, largest: bool) -> t.Literal:
    """What every element beats or equals."""
    if isinstance(type_, Float):
        return t.Literal(-math.inf if largest else math.inf, type_)
    return t.Literal(-(2**63) if largest else 2**63 - 1, type_)


def _extremum(ctx: Context, term: Reduce) -> t.Expression:
    """The first extremum, a NaN winning: `x > best || (x is NaN and best is not)`."""
    largest = term.reduction in (Reduction.MAX, Reduction.ARGMAX)
    wants_index = term.reduction in (Reduction.ARGMAX, Reduction.ARGMIN)
    element = term.body.type
    size = ctx.named(ctx.scalar(term.size), "n")
    best = ctx.local("best" if wants_index else _HINTS[term.reduction], element, _worst(element, largest))
    where = ctx.local(_HINTS[term.reduction], INT, ZERO) if wants_index else None
    name = t.Name(best.name, element)
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL) as loop:
        x = ctx.named(ctx.scalar(term.body), "x")
        beats: t.Expression = t.Operation(p.greater if largest else p.less, (x, name), BOOL)
        if isinstance(element, Float):
            isnan = t.Operation(p.is_nan, (x,), BOOL)
            fresh = t.Operation(p.logical_not, (t.Operation(p.is_nan, (name,), BOOL),), BOOL)
            new = t.Conditional(isnan, fresh, t.Literal(False, BOOL)) if wants_index else isnan
            beats = t.Conditional(beats, t.Literal(True, BOOL), new)
        if where is None:
            ctx.emit(t.Assign(best.name, t.Conditional(beats, x, name)))
        else:
            ctx.emit(t.If(beats, [t.Assign(best.name, x), t.Assign(where.name, loop.index)]))
    return t.Name(where.name, INT) if where is not None else name


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


