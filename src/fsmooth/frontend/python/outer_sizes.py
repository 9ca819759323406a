"""The size of an array that a loop or a branch makes, outside of it: there what the loop or branch names is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from fsmooth.core import primitives as p
from fsmooth.core.build import project, whole_of
from fsmooth.core.shape import size_of
from fsmooth.core.term import If, Length, Let, Prim, Require, Term, Var
from fsmooth.core.types import Tuple
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.narrowing import definition_of

Outside = Callable[[Term], Term | None]
"""What a term is outside, if that is known."""

_OF_SIZES = (p.add, p.subtract, p.multiply, p.minimum, p.maximum)
"""What never fails, of sizes."""


def outer_size(frame: Frame, array: Term, axis: int, outside: Outside) -> Term | None:
    """The size of an array along an axis, by what is known outside; where a condition chooses, that of one that may be."""
    array = definition_of(frame, array)
    known = outside(array)
    if known is not None:
        return size_of(known, axis)
    size = size_of(array, axis)
    if not (isinstance(size, Length) and size.array is array):
        return _outer(frame, size, outside)
    for part, inside in ways_to(frame, array):
        found = outer_size(frame, part, axis, _without(inside, outside))
        if found is not None:
            return found
    return None


def _without(inside: set[Var], outside: Outside) -> Outside:
    """Of what is named in a branch nothing is known outside."""
    return lambda term: outside(term) if term.free.isdisjoint(inside) else None


def _outer(frame: Frame, size: Term, outside: Outside) -> Term | None:
    size = definition_of(frame, size)
    known = outside(size)
    if known is not None:
        return known
    match size:
        case Length(array, axis):
            return outer_size(frame, array, axis, outside)
        case Require(_, body):  # what is required is required where the array is made
            return _outer(frame, body, outside)
        case Prim(primitive, arguments) if primitive in _OF_SIZES:
            parts = [_outer(frame, a, outside) for a in arguments]
            return None if None in parts else Prim(primitive, tuple([q for q in parts if q is not None]))
        case _:
            return None


def ways_to(frame: Frame, term: Term) -> Iterator[tuple[Term, set[Var]]]:
    """What a component of a choice is in each of its branches, and what is named in it."""
    root, path = whole_of(term)
    made = definition_of(frame, root)
    if isinstance(made, If):
        for way in (made.then, made.otherwise):
            body, inside = (way.body, {v for v, _ in way.bindings}) if isinstance(way, Let) else (way, set())
            part = inside_of(body, path)
            if part is not None:
                yield part, inside


def inside_of(value: Term, path: Iterable[int]) -> Term | None:
    """A component of a component of a value; None where it has none."""
    for k in path:
        if not isinstance(value.type, Tuple) or k >= len(value.type.items):
            return None
        value = project(value, k)
    return value
