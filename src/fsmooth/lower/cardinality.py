"""Sizes of what a term gives, as index expressions (the cardinality pass of paper 000, §5.2).

Sizes never evaluate an element: variables know theirs from the environment, the rest is `core.shape`.
"""

from __future__ import annotations

from fsmooth.core.shape import size_of
from fsmooth.core.term import Build, Const, Get, Length, MakeTuple, Proj, Require, Term, Var, Vector
from fsmooth.core.types import Array, Tuple, Type, leaf_of, rank_of
from fsmooth.loops.arithmetic import integer
from fsmooth.loops.tree import Expression
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Group, Value, View


def is_path(term: Term) -> bool:
    """A variable, or an element or a component of a path."""
    while not isinstance(term, Var):
        if isinstance(term, Get):
            term = term.array
        elif isinstance(term, Proj):
            term = term.tuple
        else:
            return False
    return True


def sizes_of_value(value: Value) -> tuple[Expression, ...]:
    """The sizes of an array value along its own axes."""
    return value.sizes if isinstance(value, View | Group) else ()


def length(ctx: Context, array: Term, axis: int) -> Expression:
    """The length of `array` along an axis."""
    skip = 0
    while True:
        match array:
            case Get(inner, _):
                array, skip = inner, skip + 1
            case Var():
                return sizes_of_value(ctx.environment[array])[axis + skip]
            case Proj() if is_path(array):
                return _of_projection(ctx, array)[axis + skip]
            case Build(size, _, _) if axis + skip == 0:
                return ctx.extent(ctx.scalar(size))
            case Vector(items) if axis + skip == 0:
                return integer(len(items))
            case _:
                break
    size = size_of(array, axis + skip)
    if isinstance(size, Length) and not is_path(size.array):
        value = ctx.value(size.array)
        return sizes_of_value(value)[size.axis]
    return ctx.extent(ctx.scalar(size))


def _of_projection(ctx: Context, path: Term) -> tuple[Expression, ...]:
    """Sizes of a path that contains projections: the indices on the way only drop axes."""
    steps: list[int | None] = []
    while not isinstance(path, Var):
        if isinstance(path, Get):
            steps.append(None)
            path = path.array
        else:
            assert isinstance(path, Proj)
            steps.append(path.position)
            path = path.tuple
    value: Value = ctx.environment[path]
    dropped = 0
    for step in reversed(steps):
        if step is None:
            dropped += 1
        else:
            assert isinstance(value, Group)
            value = value.items[step]  # type: ignore[assignment]
    return sizes_of_value(value)[dropped:]


def leaf_shapes(term: Term) -> list[tuple[Type, tuple[Term, ...]]]:
    """The scalar type and the size terms of each leaf of the unzipped value of `term`."""
    return _shapes(term, term.type, ())


def _shapes(term: Term, type_: Type, outer: tuple[Term, ...]) -> list[tuple[Type, tuple[Term, ...]]]:
    while isinstance(term, Require):
        term = term.body
    match type_:
        case Tuple(items):
            parts = term.items if isinstance(term, MakeTuple) else [Proj(term, k) for k in range(len(items))]
            found = []
            for part, item in zip(parts, items, strict=True):
                found.extend(_shapes(part, item, outer))
            return found
        case Array():
            rank = rank_of(type_)
            sizes = tuple([size_of(term, axis) for axis in range(rank)])
            leaf = leaf_of(type_)
            if not isinstance(leaf, Tuple):
                return [(leaf, outer + sizes)]
            element = term
            for _ in range(rank):
                element = Get(element, Const(0))
            return _shapes(element, leaf, outer + sizes)
        case _:
            return [(type_, outer)]


__all__ = ["is_path", "leaf_shapes", "length", "sizes_of_value"]
