"""The place of the smallest or largest of numbers that are not in memory: a strip is computed at once, then searched.

No processor foresees where the next record falls, and to select in each step takes longer than to compute most numbers; those
of a strip are computed in vectors, and where it has none that is better, it is left again.  So it is for numbers that are not
NaN, as loops look for them, and are computed without loops; not inside loops, where searches are often too short.
"""

from __future__ import annotations

import math

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, If, Let, Prim, Reduce, Reduction, Term
from fsmooth.core.traverse import is_loop_free
from fsmooth.core.types import BOOL, INT, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, integer, minus, plus, times
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Scalar

_WIDTH = 64


def may_be_in_strips(term: Reduce) -> bool:
    """Is it such a search?"""
    is_place = term.reduction in (Reduction.ARGMAX, Reduction.ARGMIN)
    return is_place and is_number(term.body) and is_loop_free(term.body)


def is_number(element: Term) -> bool:
    """Is it not NaN, because something else is taken where it is?"""
    element = element.body if isinstance(element, Let) else element
    match element:
        case If(Prim(p.is_nan, (x,)), Const(instead), otherwise):
            return otherwise is x and not math.isnan(instead)
        case _:
            return False


def place_by_strips(ctx: Context, term: Reduce, size: t.Expression, hint: str) -> t.Name:
    """The first index of the extremum."""
    largest, type_ = term.reduction is Reduction.ARGMAX, term.body.type
    where = t.Name(ctx.fresh(hint), INT)
    ctx.emit(t.Declare(where.name, INT, ZERO, mutable=True))
    best = t.Name(ctx.fresh("best"), type_)
    ctx.emit(t.Declare(best.name, type_, worst(type_, largest), mutable=True))
    strip = ctx.fresh("strip")
    ctx.emit(t.LocalArray(strip, type_, _WIDTH))
    block = ctx.names.open_index(f"{term.index.name}_block")
    around = ctx.open_block()
    start = ctx.named(times(block, integer(_WIDTH)), f"{term.index.name}_start")
    count = ctx.named(t.Operation(p.minimum, (minus(size, start), integer(_WIDTH)), INT), f"{term.index.name}_count")
    _compute(ctx, term, start, count, strip)
    top = _extremum_of(ctx, strip, count, type_, largest)
    beats = t.Operation(p.greater if largest else p.less, (top, best), BOOL)
    ctx.emit(t.If(beats, (t.Assign(best.name, top), _first(ctx, strip, start, count, top, where)), ()))
    body = ctx.close_block(around)
    ctx.names.close_index(block)
    blocks = t.Operation(p.floor_divide, (plus(size, integer(_WIDTH - 1)), integer(_WIDTH)), INT)
    ctx.emit(t.For(block.name, blocks, tuple(body), t.Kind.SEQUENTIAL, term.index.site))
    return where


def worst(type_: Type, largest: bool) -> t.Literal:
    """What every element beats or equals."""
    if isinstance(type_, Float):
        return t.Literal(-math.inf if largest else math.inf, type_)
    return t.Literal(-(2**63) if largest else 2**63 - 1, type_)


def _extremum_of(ctx: Context, strip: str, count: t.Expression, type_: Type, largest: bool) -> t.Name:
    """The largest or smallest number of a strip."""
    top, lane = t.Name(ctx.fresh("top"), type_), ctx.names.open_index("lane")
    ctx.emit(t.Declare(top.name, type_, worst(type_, largest), mutable=True))
    x = t.Load(strip, lane, type_)
    step = t.Assign(top.name, t.Conditional(t.Operation(p.greater if largest else p.less, (x, top), BOOL), x, top))
    extremum = t.Extremum.MAX if largest else t.Extremum.MIN
    ctx.emit(t.For(lane.name, count, (step,), t.Kind.REDUCTION, extrema=((top.name, extremum),)))
    ctx.names.close_index(lane)
    return top


def _first(ctx: Context, strip: str, start: t.Expression, count: t.Expression, top: t.Name, where: t.Name) -> t.For:
    """Where it is first: from the end of the strip to its start, since few strips are searched."""
    down = ctx.names.open_index("down")
    lane = minus(minus(count, integer(1)), down)
    is_there = t.Operation(p.equal, (t.Load(strip, lane, top.type), top), BOOL)
    step = t.Assign(where.name, t.Conditional(is_there, plus(start, lane), where))
    ctx.names.close_index(down)
    return t.For(down.name, count, (step,), t.Kind.SEQUENTIAL)


def _compute(ctx: Context, term: Reduce, start: t.Expression, count: t.Expression, strip: str) -> None:
    """The numbers of a strip, each in its place there."""
    lane = ctx.names.open_index(f"{term.index.name}_lane")
    saved = ctx.environment.get(term.index)
    ctx.environment[term.index] = Scalar(plus(start, lane))
    around = ctx.open_block()
    ctx.emit(t.Store(strip, lane, ctx.scalar(term.body)))
    body = ctx.close_block(around)
    ctx.restore([(term.index, saved)])
    ctx.names.close_index(lane)
    ctx.emit(t.For(lane.name, count, tuple(body), t.Kind.PARALLEL, term.index.site))
