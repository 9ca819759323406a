"""Array terms into destinations (paper 000, §5.2; design §6: assign and accumulate)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Collect, Delta, Get, If, Let, Plus, Reduce, Term, Update, Var, Vector
from fsmooth.core.traverse import subterms
from fsmooth.core.types import BOOL, INT, Array, is_scalar
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, integer, same, zero_of
from fsmooth.loops.usage import mentioned_reads, names_of
from fsmooth.lower.cardinality import is_path
from fsmooth.lower.context import Context
from fsmooth.lower.destination import (
    Destination,
    Group,
    Local,
    Mode,
    Scalar,
    Value,
    View,
    destination_at,
    is_partly_added,
    leaves,
    load,
    readable,
    value_at,
)
from fsmooth.lower.interchange import interchangeable, under_epilogue
from fsmooth.lower.loop import Loop
from fsmooth.lower.matrix_products import product_into
from fsmooth.lower.ranges import Range, Span, can_be_set_to_zero, range_of
from fsmooth.lower.storage import storage_for


def build_into(ctx: Context, term: Build, dest: Destination, mode: Mode) -> None:
    """One loop, whatever the element is: a tuple writes to several places.  A product of matrices is computed as a whole."""
    if product_into(ctx, term, dest, mode):
        return
    if isinstance(term.body, Let) and all([_is_part_outside(value, term.index) for _, value in term.body.bindings]):
        saved = [(var, ctx.environment.get(var)) for var, _ in term.body.bindings]
        for var, value in term.body.bindings:
            ctx.bind(var, value)
        build_into(ctx, Build(term.size, term.index, term.body.body), dest, mode)
        ctx.restore(saved)
        return
    size = ctx.named(ctx.scalar(term.size), "n")
    part = range_of(term.index, term.body)
    if mode is Mode.ASSIGN and not part.is_whole and not can_be_set_to_zero(dest):
        part = Range(term.body)
    inner = interchangeable(term.index, part.element)
    short = isinstance(size, t.Literal) and int(size.value) < thresholds.EXCHANGED_LOOP
    if inner is not None and isinstance(dest, View) and not short:
        _sum_of_rows(ctx, term.index, Span(ctx, part, size), inner, dest, mode)
        return
    if mode is Mode.ASSIGN and part.is_whole and isinstance(dest, View) and not short:
        below = under_epilogue(term.index, part.element)
        if below is not None and dest.leaf == below[0].type and not (dest.added or _may_read(ctx, part.element, dest)):
            _made_of_sums(ctx, term.index, Span(ctx, part, size), below, dest)
            return
    span = Span(ctx, part, size)
    zeros = span.zeros_around(dest) if mode is Mode.ASSIGN and not part.is_whole else []
    start = len(ctx.block)
    with span.loop(term.index, t.Kind.PARALLEL) as at:
        ctx.into(part.element, destination_at(dest, at), mode)
    is_read = not mentioned_reads(ctx.block[start:]).isdisjoint({s.buffer for s in zeros})
    place = len(ctx.block) if is_read else start  # what the loop reads is set to zero after it
    ctx.block[place:place] = zeros


def _is_part_outside(value: Term, index: Var) -> bool:
    """Is it a part of an array that is the same in each iteration, and which nothing reads to say where it is?"""
    is_read = any([isinstance(x, Get) and is_scalar(x.type) for x in subterms(value)])
    return isinstance(value.type, Array) and is_path(value) and index not in value.free and not is_read


def _sum_of_rows(ctx: Context, index: Var, span: Span, inner: Reduce, dest: View, mode: Mode) -> None:
    """`build n (j. sum m (k. e))` as `sum m (k. build n (j. e))`, which accumulates row by row."""
    if mode is Mode.ASSIGN:
        fill_zero(ctx, dest)
    part = range_of(inner.index, inner.body)
    if part.mentions(index):
        part = Range(inner.body)
    rows = Span(ctx, part, ctx.named(ctx.scalar(inner.size), "n"))
    with rows.loop(inner.index, t.Kind.REDUCTION), span.loop(index, t.Kind.PARALLEL) as at:
        ctx.into(part.element, dest.at(at), Mode.ACCUMULATE)


def _made_of_sums(ctx: Context, index: Var, span: Span, below: tuple[Reduce, Var, Term], dest: View) -> None:
    """`build n (j. f (sum m (k. e)))`: the sums row by row, each of which f then takes from where it puts its result."""
    inner, var, element = below
    _sum_of_rows(ctx, index, span, inner, dest, Mode.ASSIGN)
    with span.loop(index, t.Kind.PARALLEL) as at:
        place = dest.at(at)
        ctx.environment[var] = Scalar(ctx.named(load(place), "sum"))
        ctx.into(element, place, Mode.ASSIGN)
        del ctx.environment[var]


def _may_read(ctx: Context, element: Term, dest: View) -> bool:
    """Is something that the element reads where it is put?"""
    values = [ctx.environment[var] for var in element.free if var in ctx.environment]
    return any([isinstance(leaf, View) and leaf.buffer == dest.buffer for value in values for leaf in leaves(value)])


def vector_into(ctx: Context, term: Vector, dest: Destination, mode: Mode) -> None:
    """Element by element, without a loop."""
    for k, item in enumerate(term.items):
        ctx.into(item, destination_at(dest, integer(k)), mode)


def delta_into(ctx: Context, term: Delta, dest: Destination, mode: Mode) -> None:
    """Zeroes and one store; accumulating, one addition."""
    index = ctx.named(ctx.scalar(term.index), "k")
    if mode is Mode.ASSIGN:
        fill_zero(ctx, dest)
    ctx.into(term.value, destination_at(dest, index), mode)


def plus_into(ctx: Context, term: Plus, dest: Destination, mode: Mode) -> None:
    """The first summand to the destination, the others added to it; arrays that are in memory already in one loop."""
    items = list(term.items)
    present = list(takewhile(is_path, items))
    if len(present) > 1 and isinstance(dest, View):
        values = [ctx.value(item) for item in present]
        if all([isinstance(value, View) for value in values]):
            _sum_into(ctx, values, dest, mode)
            mode, items = Mode.ACCUMULATE, items[len(present) :]
    for item in items:
        ctx.into(item, dest, mode)
        mode = Mode.ACCUMULATE


def _sum_into(ctx: Context, values: list[Value], dest: View, mode: Mode) -> None:
    """`dest := a + b + …`, element by element."""
    first = values[0]
    assert isinstance(first, View)
    if not first.sizes:
        total: t.Expression = load(first)
        for value in values[1:]:
            assert isinstance(value, View)
            total = t.Operation(p.add, (total, load(value)), first.leaf)
        ctx.store(dest, total, mode)
        return
    with Loop(ctx, Var("i", INT), first.sizes[0], t.Kind.PARALLEL) as loop:
        _sum_into(ctx, [value_at(value, loop.index) for value in values], dest.at(loop.index), mode)


def update_into(ctx: Context, term: Update, dest: Destination, mode: Mode) -> None:
    """A copy and one store (folds do it in place where the old array is dead).

    Where it is added, if only to one of the arrays of an array of tuples, what was there is not to be added: it is made apart.
    """
    if mode is Mode.ACCUMULATE or is_partly_added(dest):
        place = storage_for(ctx, term.array, "updated")
        update_into(ctx, term, place, Mode.ASSIGN)
        copy_into(ctx, readable(place), dest, mode)
        return
    ctx.into(term.array, dest, mode)
    index = ctx.named(ctx.scalar(term.index), "k")
    ctx.into(term.value, destination_at(dest, index), mode)


def if_into(ctx: Context, term: If, dest: Destination, mode: Mode) -> None:
    """An if statement with the destination passed to both branches."""
    condition = ctx.light(ctx.scalar(term.condition), "condition")
    if isinstance(condition, t.Literal):
        ctx.into(term.then if condition.value else term.otherwise, dest, mode)
        return
    outer = ctx.open_block()
    ctx.into(term.then, dest, mode)
    then = ctx.close_block(outer)
    outer = ctx.open_block()
    ctx.into(term.otherwise, dest, mode)
    otherwise = ctx.close_block(outer)
    if not then:
        if not otherwise:
            return
        condition = t.Operation(p.logical_not, (condition,), BOOL)
        then, otherwise = otherwise, then
    one = _as_one_store(condition, then, otherwise)
    if one is None and is_scalar(term.type) and not otherwise:
        one = _as_one_addition(ctx, condition, then)
    ctx.emit(one or t.If(condition, tuple(then), tuple(otherwise)))


def _as_one_store(condition: t.Expression, then: list[t.Statement], otherwise: list[t.Statement]) -> t.Statement | None:
    """`x = c ? a : b` for an if whose branches both just set x."""
    match then, otherwise:
        case [t.Assign() as a], [t.Assign() as b] if a.name == b.name:
            return t.Assign(a.name, t.Conditional(condition, a.value, b.value), a.accumulate)
        case [t.Store() as a], [t.Store() as b] if a.buffer == b.buffer and same(a.index, b.index):
            return t.Store(a.buffer, a.index, t.Conditional(condition, a.value, b.value), a.accumulate)
        case _:
            return None


def _as_one_addition(ctx: Context, condition: t.Expression, then: list[t.Statement]) -> t.Statement | None:
    """`x += c ? 1 : 0` for `if (c) x += 1`, where x is there in any case: loops of it are vectors, which need no masked stores.

    Only where indices of loops say which element x is: another may be far away, and is not fetched for nothing.
    """
    match then:
        case [t.Assign(accumulate=True, value=t.Literal()) as a]:
            return t.Assign(a.name, t.Conditional(condition, a.value, zero_of(a.value.type)), True)
        case [t.Store(accumulate=True, value=t.Literal()) as a] if _is_by_loops(ctx, a.index):
            return t.Store(a.buffer, a.index, t.Conditional(condition, a.value, zero_of(a.value.type)), True)
        case _:
            return None


def _is_by_loops(ctx: Context, index: t.Expression) -> bool:
    """Is it made of indices of loops and of arguments?"""
    names = names_of(index)
    return ctx.integers.keys().isdisjoint(names)


def collect_into(ctx: Context, term: Collect, dest: Destination, mode: Mode) -> None:
    """Loops that append what the guard lets through."""
    count = ctx.local("count", INT, ZERO)
    loops = []
    for size, index in term.generators:
        loops.append(Loop(ctx, index, ctx.named(ctx.scalar(size), "n"), t.Kind.SEQUENTIAL).__enter__())
    condition = ctx.scalar(term.guard)
    outer = ctx.open_block()
    place = ctx.named(t.Name(count.name, INT), "place")
    ctx.into(term.body, destination_at(dest, place), mode)
    ctx.emit(t.Assign(count.name, ONE, accumulate=True))
    inner = ctx.close_block(outer)
    ctx.emit(t.If(condition, tuple(inner)))
    for loop in reversed(loops):
        loop.close()


def fill_zero(ctx: Context, dest: Destination) -> None:
    """`dest := 0`, but for what is only added to."""
    for leaf in leaves(dest):
        if isinstance(leaf, Local | View) and leaf.added:
            continue
        if isinstance(leaf, Local):
            ctx.emit(t.Assign(leaf.name, zero_of(leaf.type)))
            continue
        assert isinstance(leaf, View)
        if not leaf.sizes:
            ctx.emit(t.Store(leaf.buffer, leaf.offset, zero_of(leaf.leaf)))
        elif leaf.dense:
            ctx.emit(t.Fill(leaf.buffer, leaf.offset, leaf.count(), leaf.leaf))
        else:
            _each(ctx, leaf, lambda place: ctx.store(place, zero_of(place.leaf), Mode.ASSIGN))


def _each(ctx: Context, view: View, act: Callable[[View], None]) -> None:
    """A loop nest over all scalars of a view."""
    if not view.sizes:
        act(view)
        return
    with Loop(ctx, Var("i", INT), view.sizes[0], t.Kind.PARALLEL) as loop:
        _each(ctx, view.at(loop.index), act)


def copy_into(ctx: Context, value: Value, dest: Destination, mode: Mode) -> None:
    """`dest := value` or `dest += value`, part by part."""
    if isinstance(value, Group):
        assert isinstance(dest, Group)
        for part, place in zip(value.items, dest.items, strict=True):
            copy_into(ctx, part, place, mode)  # type: ignore[arg-type]
        return
    assert not isinstance(dest, Group)
    if isinstance(value, Scalar):
        ctx.store(dest, value.expression, mode)
        return
    if isinstance(dest, Local) or not value.sizes:
        ctx.store(dest, load(value), mode)
        return
    if mode is Mode.ASSIGN and value.dense and dest.dense and not dest.added:
        ctx.emit(t.Copy(dest.buffer, dest.offset, value.buffer, value.offset, value.count(), value.leaf))
        return
    with Loop(ctx, Var("i", INT), value.sizes[0], t.Kind.PARALLEL) as loop:
        copy_into(ctx, value_at(value, loop.index), destination_at(dest, loop.index), mode)
