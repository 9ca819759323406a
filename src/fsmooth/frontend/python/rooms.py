"""Rooms for lists that grow: what is known of their elements before the loop that appends them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.build import build, minus, number, plus
from fsmooth.core.shape import size_of
from fsmooth.core.signs import at_least_zero
from fsmooth.core.subst import substitute
from fsmooth.core.term import Const, Get, If, Length, MakeTuple, Prim, Term, Var
from fsmooth.core.traverse import transform
from fsmooth.core.types import Array, Bool, Tuple, Type, rank_of
from fsmooth.errors import RaggedError
from fsmooth.frontend.agreement import component
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import length_of


class Space(Struct):
    """A list before the loop: its elements, which are `count`, and one like those to come."""

    elements: Term | None
    count: Term
    model: Term


def space_for(frame: Frame, elements: Term, node: ast.AST) -> Space:
    """A list that is not empty before the loop."""
    elements = frame.bind(elements, "elements")
    first = Get(elements, Const(0))
    return Space(elements, at_least_zero(length_of(frame, elements, node)), zero_like(first, lambda size: size))


def zero_like(value: Term, size: Callable[[Term], Term]) -> Term:
    """A value of the same shape, whose sizes are said by `size`."""
    match value.type:
        case Array():
            sizes = [size(size_of(value, axis)) for axis in range(rank_of(value.type))]
            first = value
            for _ in sizes:
                first = Get(first, Const(0))
            result = zero_like(first, size)
            for one in reversed(sizes):
                element = result
                result = build(one, lambda _, element=element: element)  # type: ignore[misc]
            return result
        case Tuple(items):
            return MakeTuple(tuple([zero_like(component(value, k), size) for k in range(len(items))]), value.type)
        case Bool():
            return Const(False)
        case _:
            return number(0, value.type)


def known_before(frame: Frame, term: Term, mark: int, index: Var | None = None) -> Term | None:
    """`term` without what is named in the loop, whose variables are younger than `mark`; None if that is not possible."""
    while True:
        term = transform(term, lambda t: measured(frame, t, mark))
        inner = [v for v in term.free if v.id > mark and v is not index]
        if not inner:
            return term
        definitions = {v: frame.shared.definitions.get(v) for v in inner}
        if any([d is None for d in definitions.values()]):
            return None
        term = substitute(term, {v: d for v, d in definitions.items() if d is not None})


def measured(frame: Frame, term: Term, mark: int) -> Term:
    """A length as what it is, if it is that of an array that is written out, or that the state of a loop keeps."""
    if not isinstance(term, Length):
        return term
    models = {v: frame.shared.models[v] for v in term.array.free if v.id > mark and v in frame.shared.models}
    return size_of(substitute(term.array, models), term.axis)


def before_loop(frame: Frame, size: Term, mark: int, node: ast.AST) -> Term:
    """The size of an element that a loop appends."""
    known = known_before(frame, size, mark)
    if known is None:
        what = "the elements that this loop appends to a list may differ in size"
        frame.fail(RaggedError, node, what, "append rows of one size, which is known before the loop")
    return known


def room_of(frame: Frame, space: Space, wanted: Type, more: Term, node: ast.AST) -> Term:
    """Space for the elements of a list and for `more`."""
    assert isinstance(wanted, Array)
    model = convert(frame, space.model, wanted.element, node)
    size = frame.bind(plus(space.count, more), "space")
    if space.elements is None:
        return build(size, lambda _: model)
    elements = frame.bind(convert(frame, space.elements, wanted, node), "elements")
    return build(size, lambda i: If(Prim(p.less, (i, space.count)), Get(elements, i), model))


def last_of(frame: Frame, space: Space, wanted: Type, node: ast.AST) -> Term:
    """Space for the last element of a list."""
    assert isinstance(wanted, Array)
    model = convert(frame, space.model, wanted.element, node)
    if space.elements is None:
        return build(Const(1), lambda _: model)
    elements = frame.bind(convert(frame, space.elements, wanted, node), "elements")
    last = Get(elements, minus(space.count, Const(1)))
    return build(Const(1), lambda _: If(Prim(p.less, (Const(0), space.count)), last, model))
