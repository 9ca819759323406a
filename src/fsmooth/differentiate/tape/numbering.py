"""Values whose numbers have ids one after the other: in the order of their parts and elements, from a first one on."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.build import plus, times
from fsmooth.core.shape import size_of
from fsmooth.core.term import Build, Const, Get, MakeTuple, Proj, Term, Var
from fsmooth.core.types import INT, Array, Float, Tuple, Type
from fsmooth.differentiate.encoding import item
from fsmooth.differentiate.leaves import in_width


def reals(place: Term) -> Term:
    """The number of real numbers in a value."""
    match place.type:
        case Float():
            return Const(1)
        case Array():
            return times(size_of(place), reals(Get(place, Const(0))))
        case Tuple(items):
            total: Term = Const(0)
            for k in range(len(items)):
                total = plus(total, reals(item(place, k)))
            return total
        case _:
            return Const(0)


def numbered(place: Term, first: Term) -> Term:
    """A value with ids, from `first` on."""
    match place.type:
        case Float():
            return MakeTuple((place, first))
        case Array():
            each = reals(Get(place, Const(0)))
            index = Var("i", INT)
            return Build(size_of(place), index, numbered(Get(place, index), plus(first, times(index, each))))
        case Tuple(items):
            parts = []
            for k in range(len(items)):
                parts.append(numbered(item(place, k), first))
                first = plus(first, reals(item(place, k)))
            return MakeTuple(tuple(parts), place.type)
        case _:
            return place


def shaped(place: Term, slopes: Var, first: Term) -> Term:
    """The cotangents from `first` on in the structure of a value."""
    match place.type:
        case Float() as number:
            return in_width(Get(slopes, first), number)
        case Array():
            each = reals(Get(place, Const(0)))
            index = Var("i", INT)
            return Build(size_of(place), index, shaped(Get(place, index), slopes, plus(first, times(index, each))))
        case Tuple(items):
            parts = []
            for k in range(len(items)):
                parts.append(shaped(item(place, k), slopes, first))
                first = plus(first, reals(item(place, k)))
            return MakeTuple(tuple(parts), place.type)
        case _:
            return MakeTuple(())


def place_of(place: Term, type_: Type, path: tuple[int, ...], indices: tuple[Term, ...], first: Term) -> Term:
    """Where the number at a leaf and at indices is among those from `first` on."""
    match type_:
        case Array(element):
            inner = Get(place, indices[0])
            each = reals(Get(place, Const(0)))
            return place_of(inner, element, path, indices[1:], plus(first, times(indices[0], each)))
        case Tuple(items):
            part = item(place, path[0])
            return place_of(part, items[path[0]], path[1:], indices, part_first(place, path[:1], first))
        case _:
            return first


def id_at(path: Term, first: Term, primal: Callable[[Term], Term]) -> Term:
    """The id of the first number of what a path is, if those of its variable begin with this one and follow each other.

    The path is taken as the program says it: what its variable stands for may be a path itself, whose steps `first` counts.
    """
    match path:
        case Proj(whole, position):
            return part_first(primal(whole), (position,), id_at(whole, first, primal))
        case Get(array, index):
            each = reals(Get(primal(array), Const(0)))
            return plus(id_at(array, first, primal), times(primal(index), each))
        case _:
            return first


def part_first(place: Term, positions: tuple[int, ...], first: Term) -> Term:
    """The id of the first number of a part of a value, whose own first number has this one."""
    for position in positions:
        for k in range(position):
            first = plus(first, reals(item(place, k)))
        place = item(place, position)
    return first
