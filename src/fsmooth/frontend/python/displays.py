"""Lists, tuples and constants: what is known while compiling as a run-time value."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import numpy as np

from fsmooth.core.build import build, plus, project
from fsmooth.core.lists import is_list
from fsmooth.core.term import Const, Get, MakeTuple, Term, Vector
from fsmooth.core.trees import holds_nodes, is_constant, part
from fsmooth.core.types import Array, Float, Int, Tuple, Type, leaf_of
from fsmooth.errors import TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.complex_numbers import is_complex
from fsmooth.frontend.python.conversion import assembled, convert, join
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.function_values import function_term
from fsmooth.frontend.python.instead import INSTEAD_OF_COMPLEX
from fsmooth.frontend.python.kinds import join_types, type_of_object
from fsmooth.frontend.python.sizes import alike, length_of, required_size
from fsmooth.frontend.python.unreturned import Unreturned
from fsmooth.frontend.python.values import (
    FUNCTIONS,
    Growing,
    Keyed,
    Listed,
    Missing,
    NodeList,
    Static,
    Tail,
    Text,
    Uneven,
    Unfilled,
    Unrolled,
    Value,
)


def display(frame: Frame, items: list[Term], node: ast.AST) -> Term:
    """[a, b, …]: an array, if the elements have one type."""
    if not items:
        frame.unsupported(node, "an empty list", "write a comprehension, or fs.zeros(n) and x[i] = …")
    wanted = items[0].type
    for item in items[1:]:
        wanted = join(frame, wanted, item.type, node, "the elements of an array")
    made = [convert(frame, item, wanted, node) for item in items]
    if isinstance(wanted, Array):
        made = [frame.bind(item, "row") for item in made]
        for axis in range(wanted.rank):
            size = length_of(frame, made[0], node, axis)
            rows = [required_size(frame, row, axis, size, node, "rows of an array") for row in made[1:]]
            made = [made[0], *rows]
    if isinstance(leaf_of(wanted), Tuple):
        made = [made[0], *[alike(frame, item, made[0], node, "elements of an array") for item in made[1:]]]
    return Vector(tuple(made))


def list_of(frame: Frame, items: tuple[Value, ...], source: Value, node: ast.AST) -> Value:
    """A list of these elements, that of `source` each: an array if they are alike and `source` is not a list of unlike ones."""
    if isinstance(source, Uneven):
        return Uneven(items)
    terms = [x for x in items if isinstance(x, Term)]
    if not terms or len(terms) < len(items) or not is_array(items) or are_ragged(frame, terms, node):
        return Listed(items)
    return frame.as_list(display(frame, terms, node))


def are_ragged(frame: Frame, items: list[Term], node: ast.AST) -> bool:
    """Are they lists whose lengths are known to differ?"""
    if not all([is_list(item.type) for item in items]):
        return False
    sizes = {size.value for item in items if isinstance(size := length_of(frame, item, node), Const)}
    return len(sizes) > 1


def display_element(frame: Frame, node: ast.expr) -> Value:
    """An element of a display: a run-time value where it can be one, else what it is at compile time."""
    value = frame.expression(node)
    match value:
        case Static(inner) if is_number_like(frame, inner):
            return frame.as_term(value, node)
        case Missing():
            return frame.as_term(value, node)
        case _:
            return value


def tuple_display(frame: Frame, items: list[Value]) -> Value:
    """(a, b, …): a tuple; with strings, functions or the like in it, it exists at compile time only."""
    terms = [x for x in items if isinstance(x, Term)]
    return MakeTuple(tuple(terms)) if len(terms) == len(items) else Unrolled(tuple(items))


def constant(frame: Frame, value: object) -> Value:
    """A literal."""
    if isinstance(value, bool | int | float):
        return number_of(value)
    return Static(value)


def number_of(value: bool | int | float | np.generic) -> Const:
    """A number known at compile time; Python's own floats are weak."""
    plain = value.item() if isinstance(value, np.generic) else value
    wanted = type_of_object(value)
    return Const(float(plain), wanted) if isinstance(wanted, Float) else Const(plain)


def as_term(frame: Frame, value: Value, node: ast.AST) -> Term:
    match value:
        case Static(None):
            return MakeTuple((), part(None))
        case Static(inner):
            if is_complex(inner):
                is_one = not isinstance(inner, np.ndarray)
                what = f"{inner!r} is a complex number" if is_one else "this array is of complex numbers"
                frame.fail(TypeMismatchError, node, what, INSTEAD_OF_COMPLEX)
            if isinstance(inner, bool | int | float | np.integer | np.floating | np.bool_):
                return number_of(inner)
            if isinstance(inner, tuple) and all([is_number_like(frame, x) for x in inner]):
                return MakeTuple(tuple([frame.as_term(Static(x), node) for x in inner]))
            if isinstance(inner, list) and inner and all([is_number_like(frame, x) for x in inner]):
                return display(frame, [frame.as_term(Static(x), node) for x in inner], node)
            if isinstance(inner, np.ndarray) and inner.size and inner.size <= 256:
                return array_of_numbers(frame, inner, node)
            named = f"this {type(inner).__name__}" if type(inner).__repr__ is object.__repr__ else repr(inner)
            what = getattr(inner, "__name__", None) or named
            hint = "call it, or pass its result in" if callable(inner) else "use numbers, arrays and tuples of them"
            frame.fail(TypeMismatchError, node, f"{what} is not a real number or an array", hint)
        case Listed(items) if not isinstance(value, Uneven) and (not items or is_array(items)):
            return display(frame, [frame.term(x, node) for x in items], node)
        case Unfilled():
            frame.shared.read_empty.add(value)
            raise Unreturned(node)
        case Tail():
            hint = "read its last element [-1], or write fs.zeros(n) with an n that suffices, and count"
            frame.unsupported(node, "all of a list that grows in a while loop, inside the loop,", hint)
        case Growing(room, start, added):
            return frame.bind(build(plus(start, added), lambda i: Get(room, i)), "a")
        case Keyed(entries):
            return keyed_term(frame, entries, node)
        case Unrolled(items):
            parts = tuple([part_term(frame, x, node) for x in items])
            record = list if isinstance(value, Listed) else None
            return assembled(parts, Tuple(tuple([q.type for q in parts]), None, record))
        case Missing(why, hint):
            frame.fail(UndefinedNameError, node, why, hint)
        case Text():
            hint = "compare it with == or in; a function may take it"
            frame.fail(TypeMismatchError, node, "expected a number or an array, found a text", hint)
        case NodeList():
            hint = "loop over it, or take one of them by its index"
            frame.fail(TypeMismatchError, node, "expected a number or an array, found a list of nodes", hint)
        case _:
            frame.fail(
                TypeMismatchError,
                node,
                "expected a number or an array, found a function or an iterator",
                "call the function, or write the iterator into a list",
            )


def keyed_term(frame: Frame, entries: Mapping[object, Value], node: ast.AST) -> Term:
    """A dictionary as a run-time value: a record of the class dict."""
    names = tuple([key for key in entries if isinstance(key, str) or type(key) is int])
    if len(names) < len(entries):
        what = "this dictionary is known while compiling only"
        frame.fail(TypeMismatchError, node, what, "use texts or integers as keys")
    items = tuple([part_term(frame, value, node) for value in entries.values()])
    return assembled(items, Tuple(tuple([item.type for item in items]), names, dict))


def part_term(frame: Frame, value: Value, node: ast.AST) -> Term:
    """A part of a structure as a run-time value; a text, None or a function is known by its type."""
    if isinstance(value, Static) and is_constant(value.value):
        return MakeTuple((), part(value.value, value.fetch))
    if isinstance(value, FUNCTIONS):
        return function_term(frame, value, node)
    return frame.term(value, node)


def is_array(items: tuple[Value, ...]) -> bool:
    """Can these be the elements of an array?"""
    wanted: Type | None = None
    for k, item in enumerate(items):
        if not isinstance(item, Term) or holds_nodes(item.type):  # else each would be a copy of all columns
            return False
        wanted = item.type if k == 0 else None if wanted is None else join_types(wanted, item.type)
    return wanted is not None


def array_of_parts(frame: Frame, value: Term, node: ast.AST) -> Term:
    """A tuple or a list of unlike parts as an array, as NumPy makes one of what is alike; others as they are."""
    leaf = leaf_of(value.type)
    if not isinstance(leaf, Tuple) or leaf.record not in (None, list) or not leaf.items:
        return value
    whole = frame.bind(frame.as_array(value), "a")
    if isinstance(whole.type, Array):
        size = length_of(frame, whole, node)
        return frame.bind(build(size, lambda i: frame.inside(lambda: array_of_parts(frame, Get(whole, i), node))), "a")
    parts = [array_of_parts(frame, project(whole, k), node) for k in range(len(leaf.items))]
    return frame.bind(display(frame, parts, node), "a")


def array_of_numbers(frame: Frame, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], node: ast.AST) -> Term:
    """An array of NumPy's known at compile time."""
    if array.ndim == 0:
        return number_of(array.dtype.type(array))
    return display(frame, [array_of_numbers(frame, np.asarray(row), node) for row in array], node)


def is_number_like(frame: Frame, value: object) -> bool:
    """A number, or a list, tuple or array of such."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all([is_number_like(frame, v) for v in value])
    return type_of_object(value) is not None


def known(value: object) -> Value:
    """A part of a container known at compile time."""
    return number_of(value) if isinstance(value, bool | int | float) else Static(value)


def repeated_list(frame: Frame, left: ast.expr, op: ast.operator, right: ast.expr, node: ast.AST) -> Term | None:
    """`[e] * n` as Python means it, where the list is written out; None for anything else."""
    lists = [isinstance(side, ast.List | ast.ListComp) for side in (left, right)]
    if not isinstance(op, ast.Mult) or not any(lists):
        return None
    items, times_ = (left, right) if lists[0] else (right, left)
    count = frame.value(times_)
    if not isinstance(count.type, Int):
        return None
    if isinstance(items, ast.List) and len(items.elts) == 1:
        element = frame.bind(frame.value(items.elts[0]), "e")
        return frame.as_list(build(count, lambda _: element, "i", frame.site(node)))
    if isinstance(items, ast.List) and isinstance(count, Const):
        return frame.as_list(display(frame, [frame.value(e) for e in items.elts] * max(int(count.value), 0), node))
    frame.unsupported(node, "a list repeated", "write a comprehension; to scale an array, give it a name first")
