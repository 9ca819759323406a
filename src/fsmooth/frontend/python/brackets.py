"""What stands between the brackets of `x[…]`: numbers, slices, arrays, `None` and `…`."""

from __future__ import annotations

import ast
from enum import Enum

from fsmooth.core.build import build, project
from fsmooth.core.term import Const, Term
from fsmooth.core.types import Array, Bool, Float, Int, Tuple, leaf_of
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.alternatives import operand
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.values import NodeList, Sequence, Slice, Static, Unrolled, Value


class Mark(Enum):
    """What takes no axis of the array, or those that are left."""

    NEW_AXIS = "None"
    ELLIPSIS = "…"


Index = Term | Slice | Mark
"""One of the indices: a number, an array of integers, a mask, a slice, or a mark."""

WHOLE = Slice()
"""All of an axis."""


def indices_in(frame: Frame, node: ast.expr) -> list[Index]:
    """The indices in brackets."""
    if isinstance(node, ast.Tuple):
        return [index for part in node.elts for index in one_index(frame, part)]
    if isinstance(node, ast.Slice):
        return one_index(frame, node)
    value = frame.expression(node)
    match value:
        case Unrolled(items):
            return [index for item in items for index in index_of(frame, item, node)]
        case Static(tuple() as items):
            return [index for item in items for index in index_of(frame, Static(item), node)]
        case Term(type=Tuple(items)):
            bound = frame.bind(value, "indices")
            return [index for k in range(len(items)) for index in index_of(frame, project(bound, k), node)]
        case _:
            return index_of(frame, value, node)


def one_index(frame: Frame, node: ast.expr) -> list[Index]:
    """What is between two commas."""
    if isinstance(node, ast.Slice):
        return [slice_of(frame, node.lower, node.upper, node.step)]
    return index_of(frame, frame.expression(node), node)


def index_of(frame: Frame, value: Value, node: ast.expr) -> list[Index]:
    """An index that has been evaluated."""
    match value:
        case Slice():
            return [value]
        case Static(None):
            return [Mark.NEW_AXIS]
        case Static(inner) if inner is Ellipsis:
            return [Mark.ELLIPSIS]
        case Static(slice() as given):
            bounds = [None if b is None else frame.term(Static(b), node) for b in (given.start, given.stop, given.step)]
            return [Slice(*[bound(frame, b, node) for b in bounds])]
        case Sequence(size, element) if not isinstance(value, NodeList):
            value = frame.bind(build(size, lambda i: frame.term(element(i), node), "i", frame.site(node)), "indices")
    index = frame.term(operand(frame, value, node), node)
    leaf = leaf_of(index.type)
    if isinstance(leaf, Int) or (isinstance(leaf, Bool) and isinstance(index.type, Array)):
        return [index]
    hint = "use int(…)"
    if isinstance(leaf, Float) and isinstance(index.type, Array):
        hint = "index with an array of integers, dtype=int, or with a mask, such as x > 0"
    frame.fail(TypeMismatchError, node, f"an index is an integer, not {describe(index.type)}", hint)


def slice_of(frame: Frame, *parts: ast.expr | None) -> Slice:
    """start:stop:step; a bound may be a name for None."""
    return Slice(*[None if part is None else bound(frame, optional(frame, part), part) for part in parts])


def optional(frame: Frame, node: ast.expr) -> Term | None:
    """A number, or None if that is its value."""
    value = frame.expression(node)
    return None if isinstance(value, Static) and value.value is None else frame.term(value, node)


def bound(frame: Frame, number: Term | None, node: ast.AST) -> Term | None:
    """A bound of a slice, which is an integer."""
    if number is None or isinstance(number.type, Int):
        return number
    what = f"a slice bound is an integer, not {describe(number.type)}"
    frame.fail(TypeMismatchError, node, what, "use int(…)")


def is_whole(index: Index) -> bool:
    """Is it `:`?"""
    return isinstance(index, Slice) and all([b is None for b in (index.start, index.stop)]) and step_of(index) == 1


def step_of(index: Slice) -> int:
    """The step, 0 if that is computed."""
    return 1 if index.step is None else int(index.step.value) if isinstance(index.step, Const) else 0
