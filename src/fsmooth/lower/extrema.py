"""The largest and the smallest of numbers, and where they are first; a NaN among them is the extremum (the first one).

What is in memory is searched there.  Other numbers are compared as they are computed; but to select the place in each step
takes longer than to compute most of them, and no processor foresees where the next record falls.  So outside loops, inside
which searches are often too short for that, and if they are computed without loops, a strip of them is computed at once, in
vectors, and searched only if its extremum is better than that of the strips before.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Get, If, Let, Prim, Reduce, Reduction, Term
from fsmooth.core.traverse import is_loop_free
from fsmooth.core.types import BOOL, INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import start_of_next
from fsmooth.loops.arithmetic import ZERO, integer, minus, plus, zero_of
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.passes.strips.strip import WIDTH
from fsmooth.loops.passes.strips.widths import independent_strips
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Scalar
from fsmooth.lower.loop import Loop

_KINDS = {
    Reduction.MAX: t.Extremum.MAX,
    Reduction.MIN: t.Extremum.MIN,
    Reduction.ARGMAX: t.Extremum.ARGMAX,
    Reduction.ARGMIN: t.Extremum.ARGMIN,
}


def extremum(ctx: Context, term: Reduce, hint: str) -> t.Expression:
    """The extremum, or its first place; `hint` is what it is called."""
    size = ctx.named(ctx.scalar(term.size), "n")
    is_short = isinstance(size, t.Literal) and int(size.value) < thresholds.SEARCHED
    of_places = term.reduction in (Reduction.ARGMAX, Reduction.ARGMIN)
    if of_places and not is_short and not ctx.names.in_loop and is_loop_free(term.body) and not _is_read(term):
        return _by_strips(_Search(ctx, term, hint), size)
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL) as loop:
        x = ctx.scalar(term.body)
        found = None if is_short else contiguous(ctx.block, x, loop.index.name)
        if found is None:
            x, search = ctx.named(x, "x"), _Search(ctx, term, hint, loop.outer)
            result = _place(search, x, loop.index) if of_places else _number(search, x, loop)
    if found is None:
        return result
    buffer, offset = found
    return ctx.named(t.Search(_KINDS[term.reduction], buffer, offset, size, term.body.type), hint)


def _is_read(term: Reduce) -> bool:
    """Are the numbers in memory, perhaps side by side?"""
    return isinstance(term.body, Get) and term.body.index is term.index and term.index not in term.body.array.free


class _Search:
    """What a search has found so far: locals that are declared in `block`, or else where the context is."""

    def __init__(self, ctx: Context, term: Reduce, hint: str, block: list[t.Statement] | None = None) -> None:
        self.ctx, self.term, self.hint, self.block = ctx, term, hint, block
        self.type = term.body.type
        self.largest = term.reduction in (Reduction.MAX, Reduction.ARGMAX)
        self.may_be_nan = not _is_number(term.body)

    def local(self, hint: str, first: t.Literal) -> t.Name:
        name = t.Name(self.ctx.fresh(hint), first.type)
        block = self.ctx.block if self.block is None else self.block
        block.append(t.Declare(name.name, first.type, first, mutable=True))
        return name

    def worst(self) -> t.Literal:
        """What every number beats or equals."""
        if isinstance(self.type, Float):
            return t.Literal(-math.inf if self.largest else math.inf, self.type)
        return t.Literal(-(2**63) if self.largest else 2**63 - 1, self.type)

    def beats(self, x: t.Expression, best: t.Expression) -> t.Expression:
        return t.Operation(p.greater if self.largest else p.less, (x, best), BOOL)

    def better(self, x: t.Expression, best: t.Name) -> t.Assign:
        return t.Assign(best.name, t.Conditional(self.beats(x, best), x, best))

    def counted(self, x: t.Expression, nans: t.Name) -> t.Assign:
        """NaNs beat nothing: they are counted aside."""
        one = t.Conditional(_is_nan(x), t.Literal(1.0, self.type), zero_of(self.type))
        return t.Assign(nans.name, one, accumulate=True)

    def in_vectors(self, best: t.Name) -> tuple[tuple[str, t.Extremum], ...]:
        """What a loop over vectors says of the best number so far."""
        return ((best.name, t.Extremum.MAX if self.largest else t.Extremum.MIN),)


def _is_number(element: Term) -> bool:
    """Is it never NaN: an integer, or something else is taken where it is?"""
    element = element.body if isinstance(element, Let) else element
    match element:
        case If(Prim(p.is_nan, (x,)), Const(instead), otherwise):
            return otherwise is x and not math.isnan(instead)
        case _:
            return not isinstance(element.type, Float)


def _is_nan(x: t.Expression) -> t.Expression:
    return t.Operation(p.is_nan, (x,), BOOL)


def _is_none(place: t.Name) -> t.Expression:
    return t.Operation(p.less, (place, ZERO), BOOL)


# -- as they are computed --------------------------------------------------------------------------------------------


def _number(search: _Search, x: t.Expression, loop: Loop) -> t.Expression:
    """One step of an extremum, which vectorises.  Gives the result."""
    best = search.local(search.hint, search.worst())
    search.ctx.emit(search.better(x, best))
    if not isinstance(search.type, Float):
        return best
    nans = search.local("nans", zero_of(search.type))
    search.ctx.emit(search.counted(x, nans))
    loop.kind, loop.reduced, loop.extrema = t.Kind.REDUCTION, (nans.name,), search.in_vectors(best)
    some = t.Operation(p.greater, (nans, zero_of(search.type)), BOOL)
    return t.Conditional(some, t.Literal(math.nan, search.type), best)


def _place(search: _Search, x: t.Expression, index: t.Name) -> t.Expression:
    """One step of the place of an extremum, by selection: C compilers select if this is next to that of the best itself."""
    best, where = search.local("best", search.worst()), search.local(search.hint, ZERO)
    result: t.Expression = where
    if search.may_be_nan:
        nan = search.local("first_nan", t.Literal(-1, INT))
        first = t.Conditional(_is_nan(x), _is_none(nan), t.Literal(False, BOOL))
        search.ctx.emit(t.Assign(nan.name, t.Conditional(first, index, nan)))
        result = t.Conditional(_is_none(nan), where, nan)
    search.ctx.emit(t.Assign(where.name, t.Conditional(search.beats(x, best), index, where)))
    search.ctx.emit(search.better(x, best))
    return result


# -- strip by strip --------------------------------------------------------------------------------------------------


def _by_strips(search: _Search, size: t.Expression) -> t.Expression:
    ctx, name = search.ctx, search.term.index.name
    best, where = search.local("best", search.worst()), search.local(search.hint, ZERO)
    nan = search.local("first_nan", t.Literal(-1, INT)) if search.may_be_nan else None
    strip = ctx.fresh("strip")
    ctx.emit(t.LocalArray(strip, search.type, WIDTH))
    start, count = t.Name(ctx.fresh(f"{name}_start"), INT), t.Name(ctx.fresh(f"{name}_count"), INT)
    around = ctx.open_block()
    _compute(search, start, count, strip)
    top = search.local("top", search.worst())
    nans = None if nan is None else search.local("nans", zero_of(search.type))
    lane = ctx.names.open_index("lane")
    x = t.Load(strip, lane, search.type)
    steps = (search.better(x, top), *(() if nans is None else (search.counted(x, nans),)))
    ctx.names.close_index(lane)
    reduced = () if nans is None else (nans.name,)
    ctx.emit(t.For(lane.name, count, steps, t.Kind.REDUCTION, reduced=reduced, extrema=search.in_vectors(top)))

    def first(of: Callable[[t.Expression], t.Expression], into: t.Name) -> t.For:
        """Its place, looked for from the end of the strip, as few strips are."""
        down = ctx.names.open_index("down")
        at = minus(minus(count, integer(1)), down)
        found = t.Conditional(of(t.Load(strip, at, search.type)), plus(start, at), into)
        ctx.names.close_index(down)
        return t.For(down.name, count, (t.Assign(into.name, found),), t.Kind.SEQUENTIAL)

    there = first(lambda x: t.Operation(p.equal, (x, top), BOOL), where)
    ctx.emit(t.If(search.beats(top, best), (t.Assign(best.name, top), there), ()))
    if nan is not None and nans is not None:
        some = t.Operation(p.greater, (nans, zero_of(search.type)), BOOL)
        ctx.emit(t.If(some, (t.If(_is_none(nan), (first(_is_nan, nan),), ()),), ()))
    strips = independent_strips(size, start.name, count.name, tuple(ctx.close_block(around)), ctx.names)
    ctx.emit(replace(strips, kind=t.Kind.SEQUENTIAL, site=search.term.index.site))
    return where if nan is None else t.Conditional(_is_none(nan), where, nan)


def _compute(search: _Search, start: t.Expression, count: t.Expression, strip: str) -> None:
    """The numbers of a strip, each in its place there."""
    ctx, index = search.ctx, search.term.index
    lane = ctx.names.open_index(f"{index.name}_lane")
    saved = ctx.environment.get(index)
    ctx.environment[index] = Scalar(plus(start, lane))
    around = ctx.open_block()
    ctx.emit(t.Store(strip, lane, ctx.scalar(search.term.body)))
    body = ctx.close_block(around)
    ctx.restore([(index, saved)])
    ctx.names.close_index(lane)
    ctx.emit(t.For(lane.name, count, tuple(body), t.Kind.PARALLEL, index.site))


# -- in memory -------------------------------------------------------------------------------------------------------


def contiguous(block: list[t.Statement], x: t.Expression, index: str) -> tuple[str, t.Expression] | None:
    """Buffer and offset if the loop whose body is `block` only reads x = buffer[offset + index], and tests."""
    definitions: dict[str, t.Expression] = {}
    for s in block:
        if isinstance(s, t.Declare) and s.value is not None and not s.mutable:
            value = s.value
            for name in reversed(definitions):
                value = replaced(value, name, definitions[name])
            definitions[s.name] = value
        elif not isinstance(s, t.Check | t.Demand):
            return None
    while isinstance(x, t.Name) and x.name in definitions:
        x = definitions[x.name]
    if not isinstance(x, t.Load):
        return None
    at = x.index
    for name in reversed(definitions):
        at = replaced(at, name, definitions[name])
    offset = start_of_next(at, index)
    return None if offset is None else (x.buffer, offset)
