"""Data as frames: numbers, other frames, and where arrays are with their sizes, side by side in memory of the call."""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.core.term import Field, Inject, Tag, Term
from fsmooth.core.types import INT, Array, Data, Tuple, Type, array_of, is_scalar, leaf_of, rank_of, unzipped
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.cardinality import is_path
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Group, Mode, Scalar, Value, View, dense_view, leaves, load


def layout_of(ctx: Context, data: Data, constructor: int) -> t.Layout:
    """What is in the frames of a constructor: its number if there are others, then its fields."""
    slots = [t.Slot(INT)] if len(data.constructors) > 1 else []
    for k in ctx.fields.stored(data, constructor):
        slots.extend(_slots(data.constructors[constructor][k]))
    return t.Layout(data, constructor, tuple(slots))


def _slots(field: Type) -> Iterator[t.Slot]:
    match unzipped(field):
        case Tuple(items):
            for item in items:
                yield from _slots(item)
        case Array() as type_:
            yield t.Slot(leaf_of(type_), pointer=True)
            for _ in range(rank_of(type_)):
                yield t.Slot(INT)
        case type_:
            yield t.Slot(type_)


def pack(ctx: Context, term: Inject) -> Value:
    """A new frame."""
    layout = layout_of(ctx, term.data, term.constructor)
    values: list[t.Expression | t.Place] = [integer(term.constructor)] if len(term.data.constructors) > 1 else []
    for k in ctx.fields.stored(term.data, term.constructor):
        item = term.items[k]
        if is_scalar(item.type):
            values.append(ctx.light(ctx.scalar(item)))
        else:
            values.extend(_kept(ctx, item))
    name = ctx.fresh(term.data.name)
    ctx.emit(t.Pack(name, layout, tuple(values)))
    return Scalar(t.Name(name, term.data))


def _kept(ctx: Context, item: Term) -> list[t.Expression | t.Place]:
    """The numbers in a field; its arrays where they stay, with their sizes."""
    values: list[t.Expression | t.Place] = []
    for leaf in leaves(ctx.value(item)):
        if isinstance(leaf, Scalar):
            values.append(leaf.expression)
            continue
        assert isinstance(leaf, View)
        if not leaf.sizes:
            values.append(load(leaf))
            continue
        place = dense_view(ctx.fresh("kept"), leaf.sizes, leaf.leaf)
        ctx.emit(t.Keep(place.buffer, leaf.leaf, leaf.count()))
        copy_into(ctx, leaf, place, Mode.ASSIGN)
        values.extend([t.Place(place.buffer, place.offset, leaf.leaf), *leaf.sizes])
    return values


def field(ctx: Context, term: Field) -> Value:
    """A field of a frame."""
    data = term.operand.type
    assert isinstance(data, Data)
    layout = layout_of(ctx, data, term.constructor)
    place = ctx.fields.place(data, term.constructor, term.position)
    before = [k for k in ctx.fields.stored(data, term.constructor) if k < place]
    types = data.constructors[term.constructor]
    first = (len(data.constructors) > 1) + sum([len(list(_slots(types[k]))) for k in before])
    frame = ctx.light(ctx.scalar(term.operand))
    hint = term.operand.name if is_path(term.operand) and hasattr(term.operand, "name") else data.name
    return _Reading(ctx, layout, frame, hint, first).value(term.type)


def tag(ctx: Context, term: Tag) -> t.Expression:
    """Which constructor made it."""
    data = term.operand.type
    assert isinstance(data, Data)
    if len(data.constructors) == 1:
        return integer(0)
    return _Reading(ctx, layout_of(ctx, data, 0), ctx.light(ctx.scalar(term.operand)), data.name, 0).number()


class _Reading:
    """Reads the slots of a frame one after the other."""

    def __init__(self, ctx: Context, layout: t.Layout, frame: t.Expression, hint: str, slot: int) -> None:
        self.ctx = ctx
        self.layout = layout
        self.frame = frame
        self.hint = hint
        self.slot = slot

    def number(self) -> t.Expression:
        name = self.next()
        return t.Name(name, self.layout.slots[self.slot - 1].type)

    def next(self) -> str:
        name = self.ctx.fresh(f"{self.hint}_{self.slot}")
        self.ctx.emit(t.Unpack(name, self.layout, self.slot, self.frame))
        self.slot += 1
        return name

    def value(self, type_: Type) -> Value:
        """What is of this type in the slots from here on; arrays of tuples are tuples of arrays."""
        if isinstance(type_, Tuple):
            return Group(tuple([self.value(item) for item in type_.items]))
        if not isinstance(type_, Array):
            return Scalar(self.number())
        leaf, rank = leaf_of(type_), rank_of(type_)
        if isinstance(leaf, Tuple):
            parts = [self.value(array_of(item, rank)) for item in leaf.items]
            sizes = [part.sizes[:rank] for part in parts if isinstance(part, View | Group)]
            return Group(tuple(parts), sizes[0] if sizes else ())
        buffer = self.next()
        own = tuple([self.number() for _ in range(rank)])
        self.ctx.nonnegative |= {size.name for size in own if isinstance(size, t.Name)}
        return dense_view(buffer, own, leaf)
