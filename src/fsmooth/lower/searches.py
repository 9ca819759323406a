"""The place of the smallest or largest of many numbers that are not in memory: a strip is computed at once, then searched.

No processor foresees where the next record falls, and to select in each step takes longer than to compute most numbers; those
of a strip are computed in vectors, and where it has none that is better, it is left again.  So it is for numbers that are not
NaN, as loops look for them, and are computed without loops.
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
    """Is it such a search, if the numbers are many?"""
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


def place_by_strips(ctx: Context, term: Reduce, size: t.Expression, where: t.Name) -> None:
    """Assign the first index of the extremum."""
    largest, type_ = term.reduction is Reduction.ARGMAX, term.body.type
    best = t.Name(ctx.fresh("best"), type_)
    ctx.emit(t.Declare(best.name, type_, worst(type_, largest), mutable=True))
    strip = ctx.fresh("strip")
    ctx.emit(t.LocalArray(strip, type_, _WIDTH))
    block = ctx.names.open_index(f"{term.index.name}_block")
    around = ctx.open_block()
    start = ctx.named(times(block, integer(_WIDTH)), f"{term.index.name}_start")
    count = ctx.named(t.Operation(p.minimum, (minus(size, start), integer(_WIDTH)), INT), f"{term.index.name}_count")
    _compute(ctx, term, start, count, strip)
    search = t.Search(t.Extremum.ARGMAX if largest else t.Extremum.ARGMIN, strip, ZERO, count, type_)
    found = ctx.named(search, "found")
    x = ctx.named(t.Load(strip, found, type_), "x")
    beats = t.Operation(p.greater if largest else p.less, (x, best), BOOL)
    ctx.emit(t.If(beats, (t.Assign(where.name, plus(start, found)), t.Assign(best.name, x)), ()))
    body = ctx.close_block(around)
    ctx.names.close_index(block)
    blocks = t.Operation(p.floor_divide, (plus(size, integer(_WIDTH - 1)), integer(_WIDTH)), INT)
    ctx.emit(t.For(block.name, blocks, tuple(body), t.Kind.SEQUENTIAL, term.index.site))


def worst(type_: Type, largest: bool) -> t.Literal:
    """What every element beats or equals."""
    if isinstance(type_, Float):
        return t.Literal(-math.inf if largest else math.inf, type_)
    return t.Literal(-(2**63) if largest else 2**63 - 1, type_)


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
