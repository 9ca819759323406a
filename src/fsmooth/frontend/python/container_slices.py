"""`xs[a:b:c]` and `range(n)[i]`: parts of what is iterated over at compile time, and of ranges."""

from __future__ import annotations

import ast

from fsmooth.core.term import Const, Term
from fsmooth.core.types import Int, Tuple
from fsmooth.frontend.python.brackets import slice_of
from fsmooth.frontend.python.displays import tuple_display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.indexing import checked
from fsmooth.frontend.python.names import item_of
from fsmooth.frontend.python.parts import parts_seen
from fsmooth.frontend.python.slices import span
from fsmooth.frontend.python.values import Listed, Sequence, Static, Unrolled, Value


def constant_slice(frame: Frame, node: ast.Slice) -> slice | None:
    """A slice whose bounds are known at compile time; None for any other."""
    bounds: list[int | None] = []
    for part in (node.lower, node.upper, node.step):
        value = None if part is None else frame.expression(part)
        if isinstance(value, Static) and value.value is None:
            value = None
        if value is not None and not (isinstance(value, Const) and isinstance(value.type, Int)):
            return None
        bounds.append(None if value is None else int(value.value))
    return slice(*bounds)


def part_of_container(frame: Frame, owner: Value, node: ast.Subscript) -> Value | None:
    """A part of a list, tuple, text or range that is known at compile time; None for anything else."""
    if not isinstance(node.slice, ast.Slice):
        return None
    chosen = constant_slice(frame, node.slice)
    if chosen is None:
        return None
    match owner:
        case Static(list() | tuple() as inner):
            return in_kind(frame, inner, [item_of(frame, owner, k, node) for k in range(len(inner))][chosen])
        case Static(str() | range() as inner):
            return Static(inner[chosen])
        case Listed(items_of_list):
            return type(owner)(items_of_list[chosen])
        case Unrolled(items_of_tuple):
            return Unrolled(items_of_tuple[chosen])
        case Term(type=Tuple(_, _, None)):
            parts = parts_seen(owner)[chosen]
            return tuple_display(frame, parts) if parts else Unrolled(())
        case _:
            return None


def in_kind(frame: Frame, inner: list[object] | tuple[object, ...], items: list[Value]) -> Value:
    """Values as a list or a tuple."""
    if isinstance(inner, list):
        return Listed(tuple(items))
    return tuple_display(frame, items) if items else Unrolled(())


def part_of_sequence(frame: Frame, owner: Sequence, node: ast.Subscript) -> Value:
    """range(n)[i], range(n)[a:b:c]."""
    what = frame.source.segment(node.value)
    size = frame.bind(owner.size, "n")
    if not isinstance(node.slice, ast.Slice):
        return owner.element(checked(frame, frame.value(node.slice), size, node, what))
    along = span(frame, slice_of(frame, node.slice.lower, node.slice.upper, node.slice.step), size, node)
    return Sequence(along.count, lambda i: owner.element(along.at(i)))
