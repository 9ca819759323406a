"""Regions of a tape: what they save, and the way back from one to the next, with the loops of each where the sweep is.

What is saved lies as `SaveRegion` says: of each value its integers and sizes, its real numbers, then its arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core import primitives as p
from fsmooth.core.term import Lam, Proj, RecordRegion, Swept, Term, Var
from fsmooth.core.types import BOOL, F64, INT, Array, Float, Tuple, Type, leaf_of, rank_of
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, integer, minus, plus
from fsmooth.lower.cardinality import length
from fsmooth.lower.context import Context
from fsmooth.lower.destination import (
    Destination,
    Group,
    Local,
    Mode,
    Scalar,
    Value,
    View,
    added,
    dense_view,
    load,
    value_at,
)
from fsmooth.lower.expressions import as_expression
from fsmooth.lower.loop import Loop
from fsmooth.lower.storage import array


def record_region(ctx: Context, term: RecordRegion) -> t.Expression:
    """The id of the first number of a region."""
    integers: list[t.Expression] = []
    reals: list[t.Expression] = []
    arrays: list[View] = []
    for part in (*term.places, *term.saved):
        value = ctx.value(part)
        if isinstance(value, View) and value.sizes:
            view = value if value.dense and value.leaf == F64 else _copied(ctx, value)
            integers.extend(view.sizes)
            arrays.append(view)
            continue
        number = ctx.light(load(value) if isinstance(value, View) else as_expression(value))
        (reals if isinstance(number.type, Float) else integers).append(number)
    size = ctx.light(ctx.scalar(term.size))
    name = ctx.fresh("region")
    places = tuple([t.Place(x.buffer, x.offset, x.leaf) for x in arrays])
    counts = tuple([ctx.light(x.count()) for x in arrays])
    ctx.emit(t.SaveRegion(name, term.number, size, tuple(integers), tuple(reals), places, counts))
    return t.Name(name, INT)


def _copied(ctx: Context, view: View) -> View:
    """Without gaps; integers, which may lie in memory with fewer bits, as they are in the memory of a call."""
    place = dense_view(ctx.fresh("saved"), view.sizes, view.leaf)
    ctx.emit(t.Allocate(place.buffer, view.leaf, view.count()))
    _copy(ctx, view, place)
    return place


def _copy(ctx: Context, view: View, place: View) -> None:
    """Copy number by number."""
    if not view.sizes:
        ctx.store(place, load(view), Mode.ASSIGN)
        return
    with Loop(ctx, Var("i", INT), view.sizes[0], t.Kind.PARALLEL) as loop:
        _copy(ctx, view.at(loop.index), place.at(loop.index))


def swept_with_regions(ctx: Context, term: Swept, place: View) -> None:
    """The way back through entries and regions.

    What regions give to the inputs goes to the result itself, and what entries give to them is added in the end: so nothing in
    the sweep reads what it adds up, and it can be added in any order (loops/passes/gathered_updates.py).
    """
    size, start, root = [ctx.light(ctx.scalar(part)) for part in (term.size, term.start, term.id)]
    back_from = ctx.light(minus(place.offset, start))
    where = [[plus(back_from, at) for at in _numbers(ctx, x)] for x in term.where]
    ctx.emit(t.Fill(place.buffer, place.offset, size, F64))
    bars = ctx.fresh("bars")
    ctx.emit(t.OpenSweep(bars, size, start, root))
    names = [ctx.fresh(hint) for hint in ("number", "first", "count", "integers", "reals")]
    step = t.NextRegion(names[0], names[1], names[2], names[3], names[4], bars, plus(start, size))
    number = t.Name(step.number, INT)
    outer = ctx.open_block()
    for k, back in enumerate(term.back):
        around = ctx.open_block()
        assert isinstance(back, Lam)
        _one(ctx, step, back, where[k], place.buffer)
        body = ctx.close_block(around)
        ctx.emit(t.If(t.Operation(p.equal, (number, integer(k)), BOOL), tuple(body), ()))
    ways = ctx.close_block(outer)
    ctx.emit(t.While((step,), t.Operation(p.less_equal, (ZERO, number), BOOL), tuple(ways)))
    with Loop(ctx, Var("i", INT), size, t.Kind.PARALLEL) as loop:
        bar = t.Load(bars, plus(start, loop.index), F64)
        ctx.emit(t.Store(place.buffer, plus(place.offset, loop.index), bar, accumulate=True))


def _numbers(ctx: Context, places: Term) -> list[t.Expression]:
    value = ctx.value(places)
    assert isinstance(value, Group)
    return [ctx.named(as_expression(x), "at") for x in value.items if isinstance(x, View | Scalar)]


def _one(ctx: Context, step: t.NextRegion, back: Lam, where: Sequence[t.Expression], inputs: str) -> None:
    """What one region adds to cotangents; of inputs, to an array of them, where it says."""
    *given, row = back.parameters
    values = _read(ctx, step, given)
    count = t.Name(step.size, INT)
    ctx.nonnegative.add(step.size)
    own = array(ctx, (count,), F64, "row")
    ctx.emit(t.Copy(own.buffer, own.offset, step.bars, t.Name(step.first, INT), count, F64))
    saved = [(x, ctx.environment.get(x)) for x in back.parameters]
    ctx.environment.update({**values, row: own})
    assert isinstance(back.body.type, Tuple)
    dynamic = len(back.body.type.items) - len(where)
    places = [*[(step.bars, values[x]) for x in given[:dynamic]], *[(inputs, Scalar(e)) for e in where]]
    dests: list[Destination] = []
    scattered: list[tuple[str, Value, View | Local]] = []
    for k, ((buffer, place), type_) in enumerate(zip(places, back.body.type.items, strict=True)):
        sizes = tuple([length(ctx, Proj(back.body, k), axis) for axis in range(rank_of(type_))])
        if not sizes:
            local = ctx.local("cotangent", F64)
            dests.append(local)
            scattered.append((buffer, place, local))
        elif isinstance(place, Scalar):
            view = dense_view(buffer, sizes, F64)
            dests.append(added(View(view.buffer, place.expression, view.strides, view.sizes, F64)))
        else:
            view = array(ctx, sizes, F64, "cotangents")
            dests.append(view)
            scattered.append((buffer, place, view))
    ctx.into(back.body, Group(tuple(dests)), Mode.ASSIGN)
    for buffer, place, found in scattered:
        _scatter(ctx, buffer, place, found)
    ctx.restore(saved)


def _scatter(ctx: Context, bars: str, place: Value, found: View | Local) -> None:
    if isinstance(place, View) and place.sizes:
        assert isinstance(found, View)
        with Loop(ctx, Var("i", INT), place.sizes[0], t.Kind.SEQUENTIAL) as loop:
            _scatter(ctx, bars, value_at(place, loop.index), found.at(loop.index))
        return
    number = t.Name(found.name, F64) if isinstance(found, Local) else load(found)
    ctx.emit(t.Store(bars, as_expression(place), number, accumulate=True))


def _read(ctx: Context, step: t.NextRegion, given: Sequence[Var]) -> dict[Var, Value]:
    """What was saved of each value."""
    values: dict[Var, Value] = {}
    integers = reals = 0
    arrays: list[tuple[Var, tuple[t.Expression, ...]]] = []

    def next_integer(hint: str) -> t.Expression:
        nonlocal integers
        integers += 1
        return ctx.named(t.Load(step.integers, integer(integers - 1), INT), hint)

    for x in given:
        if isinstance(x.type, Array):
            sizes = tuple([next_integer("n") for _ in range(rank_of(x.type))])
            ctx.nonnegative |= {size.name for size in sizes if isinstance(size, t.Name)}
            arrays.append((x, sizes))
        elif isinstance(x.type, Float):
            values[x] = Scalar(ctx.named(t.Load(step.reals, integer(reals), F64), x.name))
            reals += 1
        else:
            values[x] = Scalar(next_integer(x.name))
    at: dict[Type, tuple[str, t.Expression]] = {
        INT: (step.integers, integer(integers)),
        F64: (step.reals, integer(reals)),
    }
    for x, sizes in arrays:
        buffer, offset = at[leaf_of(x.type)]
        view = dense_view(buffer, sizes, leaf_of(x.type))
        values[x] = View(buffer, ctx.named(offset, "from"), view.strides, sizes, view.leaf)
        at[view.leaf] = (buffer, plus(offset, view.count()))
    return values
