"""The next state of a fold beside the old one: what each part becomes, and where that is kept until it may."""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.term import Build, Delta, MakeTuple, Plus, Term, Vector, Zero
from fsmooth.core.types import Tuple, is_scalar
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import map_loads, same
from fsmooth.lower.arrays import copy_into
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
    leaves,
    load,
)
from fsmooth.lower.placement.places import Part, reads, stays
from fsmooth.lower.storage import array

New = Term | Value


def components_of(ctx: Context, term: Term, parts: list[Part]) -> list[tuple[Part, New]]:
    """The next value of each part: a term where there is one, else a value in storage of its own."""
    if len(parts) == 1 and not isinstance(term.type, Tuple):
        return [(parts[0], term)]
    assert isinstance(term.type, Tuple)
    found: list[tuple[Part, New]] = []
    position = 0
    whole: Value | None = None
    for k, item in enumerate(term.type.items):
        count = _count(item)
        mine = parts[position : position + count]
        position += count
        if isinstance(term, MakeTuple):
            found.extend(components_of(ctx, term.items[k], mine))
            continue
        if whole is None:
            whole = ctx.value(term)
        assert isinstance(whole, Group)
        found.extend(_values(whole.items[k], mine))  # type: ignore[arg-type]
    return found


def _values(value: Value, parts: list[Part]) -> list[tuple[Part, New]]:
    if len(parts) == 1 and not (isinstance(value, Group) and not value.sizes):
        return [(parts[0], value)]
    assert isinstance(value, Group)
    found: list[tuple[Part, New]] = []
    position = 0
    for item in value.items:
        count = len(leaves(item))
        found.extend(_values(item, parts[position : position + count]))  # type: ignore[arg-type]
        position += count
    return found


def _count(type_: object) -> int:
    if not isinstance(type_, Tuple):
        return 1
    return sum([_count(item) for item in type_.items])


def renamed(e: t.Expression, place: Destination, named: Destination) -> t.Expression:
    """The expression with loads from one place written as loads from another, which is the same by another name."""
    if not isinstance(place, View) or not isinstance(named, View):
        return e
    return map_loads(e, lambda x: load(named) if x.buffer == place.buffer and same(x.index, place.offset) else x)


def is_place(value: Value, place: Destination) -> bool:
    """Is the value what the place contains?"""
    for v, d in zip(leaves(value), leaves(place), strict=True):
        if not (isinstance(v, View) and isinstance(d, View) and v.buffer == d.buffer and same(v.offset, d.offset)):
            return False
    return True


def is_same_view(value: View, place: Destination) -> bool:
    """Is each element of the value what the place contains there?"""
    if not is_place(value, place) or not isinstance(place, View):
        return False
    return all([same(a, b) for a, b in zip(value.strides, place.strides, strict=True)])


def apart(ctx: Context, value: Value, buffers: set[str]) -> Value:
    """The value, copied if it is in memory that is about to change."""
    if isinstance(value, Group):
        return Group(tuple([apart(ctx, item, buffers) for item in value.items]), value.sizes)  # type: ignore[arg-type]
    if not isinstance(value, View) or value.buffer not in buffers:
        return value
    if not value.sizes:
        return Scalar(ctx.named(load(value), "held"))
    held = array(ctx, value.sizes, value.leaf, "held")
    copy_into(ctx, value, held, Mode.ASSIGN)
    return held


def fixed(ctx: Context, e: t.Expression, place: Local, locals_: set[str]) -> t.Expression:
    """The expression, in a constant unless it needs none; other parts of the state may be assigned before it is."""
    if isinstance(e, t.Literal) or (isinstance(e, t.Name) and e.name not in locals_ - {place.name}):
        return e
    name = ctx.beside(place.name, "next")
    ctx.emit(t.Declare(name, e.type, e))
    return t.Name(name, e.type)


def spare_place(ctx: Context, place: Destination, spares: dict[str, str]) -> Destination:
    """The place that the next contents go to; `spares` gets its pointers."""
    if isinstance(place, Group):
        return Group(tuple([spare_place(ctx, item, spares) for item in place.items]), place.sizes)  # type: ignore[arg-type]
    assert isinstance(place, View)
    pointer = spares[place.buffer] = ctx.beside(place.buffer, "next")
    return View(pointer, place.offset, place.strides, place.sizes, place.leaf)


def exchangeable(place: View | Scalar | Local) -> bool:
    """Is it one large array?  (Small static ones are better copied: then they live in registers.)"""
    if not isinstance(place, View) or not place.dense:
        return False
    count = place.count()
    return not (isinstance(count, t.Literal) and int(count.value) <= thresholds.ON_STACK)


def in_place_order(components: list[tuple[Part, New]]) -> list[Part]:
    """The parts to change in place, in an order in which none reads one that was changed before."""
    pending = [
        (q, new)
        for q, new in components
        if isinstance(new, Term) and not is_scalar(q.type) and q.following is None
        if stays(new, q) or is_made_anew(new, q)
    ]
    ordered: list[Part] = []
    while pending:
        for k, (q, _) in enumerate(pending):
            if not any([reads(new, q) for other, new in pending if other is not q]):
                ordered.append(q)
                del pending[k]
                break
        else:
            del pending[0]
    return ordered


def is_made_anew(term: Term, part: Part) -> bool:
    """Is it an array that is written from nothing, whatever the part contains?"""
    return isinstance(term, Build | Delta | Plus | Vector | Zero) and not part.spares and not reads(term, part)


def few_numbers(ctx: Context, term: Term, place: Destination) -> list[tuple[View | Local, t.Expression]]:
    """The numbers in an array of zeros that is to be added to `place`, computed now, and where they go."""
    if isinstance(term, Delta):
        return few_numbers(ctx, term.value, destination_at(place, ctx.named(ctx.scalar(term.index), "k")))
    if isinstance(term, Plus) and not is_scalar(term.type):
        return [found for item in term.items for found in few_numbers(ctx, item, place)]
    if isinstance(term, MakeTuple):
        assert isinstance(place, Group)
        pairs = zip(term.items, place.items, strict=True)
        return [found for item, part in pairs for found in few_numbers(ctx, item, part)]  # type: ignore[arg-type]
    assert not isinstance(place, Group)
    return [(place, ctx.named(ctx.scalar(term), "summand"))]


def in_spare(ctx: Context, new: Term, part: Part) -> Value | None:
    """The next value of the part, if it was computed already where the next value goes."""
    there = set(part.spares.values())
    if part.following is not None:
        there |= {view.buffer for view in leaves(part.following) if isinstance(view, View)}
    if not there or not is_path(new):
        return None
    value = ctx.value(new)
    inside = all([isinstance(x, View) and x.buffer in there for x in leaves(value)])
    return value if inside else None
