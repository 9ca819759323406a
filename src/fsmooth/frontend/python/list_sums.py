"""`xs + ys`, `[*xs, e]`, `t + (e,)`, `xs * 2`: lists and tuples one after the other, as Python means `+` and `*` of them."""

from __future__ import annotations

import ast
from typing import NoReturn

from fsmooth.core import primitives as p
from fsmooth.core.build import build, times
from fsmooth.core.lists import ListOrArray
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Const, Get, Prim, Term
from fsmooth.core.types import Array, Int, Tuple
from fsmooth.frontend.python.conversion import convert, join
from fsmooth.frontend.python.displays import display, display_element, is_array, tuple_display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.growing import is_list_value, written_out
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.names import item_of
from fsmooth.frontend.python.parts import parts_seen
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.spreading import items_of
from fsmooth.frontend.python.values import Listed, Static, Unrolled, Value


def added(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value | None:
    """The sum of two lists or two tuples; None for anything else."""
    may_be_lists = [is_list_value(v) or is_unclear(v) for v in (left, right)]
    if all(may_be_lists):
        if is_unclear(left) or is_unclear(right):
            refuse_unclear(frame, node)
        return one_after_the_other(frame, [left, right], node)
    first, second = tuple_items(frame, left, node), tuple_items(frame, right, node)
    return None if first is None or second is None else tuple_display(frame, [*first, *second])


def repeated(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value | None:
    """A list of the program's times an integer, which Python repeats; None for anything else."""
    items, count = (left, right) if is_list_value(left) or is_unclear(left) else (right, left)
    if not isinstance(count, Term) or not isinstance(count.type, Int):
        return None
    if is_unclear(items):
        refuse_unclear(frame, node)
    if not is_list_value(items):
        return None
    if isinstance(items, Listed) and isinstance(count, Const):
        return Listed(items.items * max(int(count.value), 0))
    array = frame.bind(frame.term(items, node), "a")
    size = length_of(frame, array, node)
    times_ = at_least_zero(count)
    return frame.as_list(
        build(times(size, times_), lambda i: Get(array, Prim(p.modulo, (i, size))), "i", frame.site(node))
    )


def is_unclear(value: Value) -> bool:
    """Is a value a list in some cases, and an array in others?"""
    return isinstance(value, Term) and isinstance(value.type, ListOrArray)


def refuse_unclear(frame: Frame, node: ast.AST) -> NoReturn:
    """Report such a value where it makes a difference."""
    what = "what is a list in some cases and an array in others"
    frame.unsupported(node, what, "make it an array in all of them: np.array(…)")


def tuple_items(frame: Frame, value: Value, node: ast.AST) -> list[Value] | None:
    """The elements of a tuple; None for anything else."""
    match value:
        case Listed():
            return None
        case Unrolled(items):
            return list(items)
        case Static(tuple() as items):
            return [item_of(frame, value, k, node) for k in range(len(items))]
        case Term(type=Tuple(_, None, None)):
            return parts_seen(value)
        case _:
            return None


def list_display(frame: Frame, elements: list[ast.expr], node: ast.AST) -> Value:
    """[a, *xs, b]."""
    parts: list[Value] = []
    for element in elements:
        if not isinstance(element, ast.Starred):
            parts.append(Listed((display_element(frame, element),)))
            continue
        value = frame.expression(element.value)
        items = items_of(frame, value, element)
        parts.append(value if items is None else Listed(tuple(items)))
    return one_after_the_other(frame, parts, node)


def one_after_the_other(frame: Frame, parts: list[Value], node: ast.AST) -> Value:
    """Lists joined to one: known one by one if all of them are, else an array."""
    known = [elements_of(frame, part) for part in parts]
    given = [items for items in known if items is not None]
    if len(given) == len(parts):
        items = tuple([item for items in given for item in items])
        terms = [item for item in items if isinstance(item, Term)]
        together = bool(items) and len(terms) == len(items) and is_array(items)
        return frame.as_list(display(frame, terms, node)) if together else Listed(items)
    arrays = [frame.term(part, node) for part, items in zip(parts, known, strict=True) if items is None or items]
    wanted = arrays[0].type
    for array in arrays[1:]:
        wanted = join(frame, wanted, array.type, node, "the elements of the lists")
    made = [convert(frame, array, wanted, node) for array in arrays]
    return frame.as_list(library(frame, "concatenate", made, node))


def elements_of(frame: Frame, value: Value) -> tuple[Value, ...] | None:
    """The elements of a list that are known one by one."""
    if isinstance(value, Listed):
        return value.items
    return written_out(frame, value) if isinstance(value, Term) and isinstance(value.type, Array) else None
