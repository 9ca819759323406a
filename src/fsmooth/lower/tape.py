"""The tape (paper 003, §8.3): entries in the order in which they are computed, sums as one entry, one statement back."""

from __future__ import annotations

from fsmooth.core.term import Pulled, Record, RecordSum, Retained, Swept, Taped, Var
from fsmooth.core.types import INT, Tuple
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, integer, plus, times, zero_of
from fsmooth.loops.usage import walk
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Local, Mode, Scalar, Value, View, leaves, load, value_at
from fsmooth.lower.expressions import as_expression
from fsmooth.lower.loop import Loop
from fsmooth.lower.storage import array
from fsmooth.lower.tape_regions import swept_with_regions

_LOOKED_AFTER = (t.OpenTape, t.Entry, t.SaveRegion, t.Sweep, t.CloseTape, t.Invoke)
"""What may not stand between an entry and its operands."""


def record(ctx: Context, term: Record) -> t.Expression:
    """An entry."""
    pairs = [
        (ctx.light(ctx.scalar(id_)), ctx.light(ctx.scalar(slope)))
        for id_, slope in zip(term.ids, term.slopes, strict=True)
    ]
    entry = _entry(ctx, integer(len(pairs)))
    ctx.emit(entry)
    for k, (id_, slope) in enumerate(pairs):
        ctx.emit(t.Operand(entry, integer(k), id_, slope))
    return t.Name(entry.name, INT)


def record_sum(ctx: Context, term: RecordSum) -> Value:
    """A sum, and one entry with all operands; where more is entered meanwhile, an entry for each sum so far."""
    size = ctx.extent(ctx.scalar(term.size))
    type_ = term.type
    assert isinstance(type_, Tuple)
    total = ctx.local("sum", type_.items[0], zero_of(type_.items[0]))
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL) as loop:
        summand, pairs = _summand(ctx, term)
        if any([isinstance(s, _LOOKED_AFTER) for s in walk(ctx.block)]):
            id_: t.Expression = _chained(ctx, loop, pairs)
        else:
            id_ = _whole(ctx, loop, pairs, size)
        ctx.emit(t.Assign(total.name, summand, accumulate=True))
    return Group((Scalar(t.Name(total.name, total.type)), Scalar(id_)))


def _summand(ctx: Context, term: RecordSum) -> tuple[t.Expression, list[tuple[t.Expression, t.Expression]]]:
    found: list[t.Expression] = []
    for leaf in leaves(ctx.value(term.body)):
        if isinstance(leaf, Scalar):
            found.append(ctx.light(leaf.expression))
        else:
            assert isinstance(leaf, View)
            found.append(load(leaf))
    return found[0], list(zip(found[1::2], found[2::2], strict=True))


def _whole(
    ctx: Context, loop: Loop, pairs: list[tuple[t.Expression, t.Expression]], size: t.Expression
) -> t.Expression:
    if not pairs:
        return ZERO
    each = integer(len(pairs))
    entry = _entry(ctx, times(size, each))
    loop.outer.append(entry)
    for k, (id_, slope) in enumerate(pairs):
        ctx.emit(t.Operand(entry, plus(times(loop.index, each), integer(k)), id_, slope))
    return t.Name(entry.name, INT)


def _chained(ctx: Context, loop: Loop, pairs: list[tuple[t.Expression, t.Expression]]) -> t.Expression:
    so_far = t.Name(ctx.fresh("sum_id"), INT)
    loop.outer.append(t.Declare(so_far.name, INT, ZERO, mutable=True))
    if pairs:
        entry = _entry(ctx, integer(len(pairs) + 1))
        ctx.emit(entry)
        one = t.Literal(1.0, pairs[0][1].type)
        for k, (id_, slope) in enumerate([(so_far, one), *pairs]):
            ctx.emit(t.Operand(entry, integer(k), id_, slope))
        ctx.emit(t.Assign(so_far.name, t.Name(entry.name, INT)))
    return so_far


def _entry(ctx: Context, count: t.Expression) -> t.Entry:
    name = ctx.fresh("entry")
    return t.Entry(name, ctx.beside(name, "slopes"), ctx.beside(name, "operands"), count)


def taped_into(ctx: Context, term: Taped, dest: Destination, mode: Mode) -> None:
    """What is computed with a tape, which ends with it."""
    size = ctx.extent(ctx.scalar(term.size))
    start = ctx.fresh(term.start.name)
    ctx.emit(t.OpenTape(start, size))
    saved = ctx.environment.get(term.start)
    ctx.environment[term.start] = Scalar(t.Name(start, INT))
    ctx.into(term.body, dest, mode)
    ctx.restore([(term.start, saved)])
    ctx.emit(t.CloseTape(start))


def retained_into(ctx: Context, term: Retained, dest: Destination) -> None:
    """What is computed with a tape that is kept, and the tape."""
    assert isinstance(dest, Group)
    size = ctx.extent(ctx.scalar(term.size))
    (var,) = term.parameters
    start, tape = ctx.fresh(var.name), ctx.fresh("tape")
    ctx.emit(t.OpenTape(start, size))
    saved = ctx.environment.get(var)
    ctx.environment[var] = Scalar(t.Name(start, INT))
    ctx.into(term.body, dest.items[0], Mode.ASSIGN)  # type: ignore[arg-type]
    ctx.restore([(var, saved)])
    ctx.emit(t.KeepTape(tape))
    place = dest.items[1]
    assert isinstance(place, View | Local)
    ctx.store(place, t.Name(tape, INT), Mode.ASSIGN)


def pulled_into(ctx: Context, term: Pulled, dest: Destination, mode: Mode) -> None:
    """Cotangents of the results, put where they belong, and the way back from there."""
    size, tape = [ctx.light(ctx.scalar(part)) for part in (term.size, term.tape)]
    bars = ctx.fresh("bars")
    ctx.emit(t.OpenBars(bars, tape))
    for id_, cotangent in zip(term.ids, term.cotangents, strict=True):
        _seed(ctx, bars, ctx.value(id_), ctx.value(cotangent))
    assert isinstance(dest, View)
    is_there = mode is Mode.ASSIGN and dest.dense and not dest.added
    place = dest if is_there else array(ctx, (ctx.extent(size),), dest.leaf, "slopes")
    ctx.emit(t.SweepBars(place.buffer, place.offset, size, tape, bars))
    if not is_there:
        copy_into(ctx, place, dest, mode)


def _seed(ctx: Context, bars: str, id_: Value, cotangent: Value) -> None:
    if isinstance(id_, View) and id_.sizes:
        with Loop(ctx, Var("i", INT), id_.sizes[0], t.Kind.SEQUENTIAL) as loop:
            _seed(ctx, bars, value_at(id_, loop.index), value_at(cotangent, loop.index))
        return
    ctx.emit(t.Store(bars, as_expression(id_), as_expression(cotangent), accumulate=True))


def swept_into(ctx: Context, term: Swept, dest: Destination, mode: Mode) -> None:
    """Slopes of a number by all inputs, to where they are to be if there are no gaps in that."""
    assert isinstance(dest, View)
    is_there = mode is Mode.ASSIGN and dest.dense and not dest.added
    place = dest if is_there else array(ctx, (ctx.extent(ctx.scalar(term.size)),), dest.leaf, "slopes")
    if term.back:
        swept_with_regions(ctx, term, place)
    else:
        size, start, root = [ctx.light(ctx.scalar(part)) for part in (term.size, term.start, term.id)]
        ctx.emit(t.Sweep(place.buffer, place.offset, size, start, root))
    if not is_there:
        copy_into(ctx, place, dest, mode)
