"""Reductions over all axes: sum, max, argmax, mean, norm, and their kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from fsmooth.core import primitives as p
from fsmooth.core.build import get, times
from fsmooth.core.term import Const, Reduce, Reduction, Term, Var, let
from fsmooth.core.types import INT, Array, rank_of
from fsmooth.library.elementwise import elementwise
from fsmooth.library.inlining import LibraryElaborator
from fsmooth.library.joining import ravel
from fsmooth.library.pieces import Expansion, index_along, inlined, shape_of, shared, unravelled


def over_all(reduction: Reduction) -> Expansion:
    """A reduction of all elements, row by row; the extremum of nothing is an error."""

    def expand(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
        array = arguments[0]
        if not isinstance(array.type, Array):
            return array
        rank = rank_of(array.type)
        bound, array = shared(array, "a")
        sizes = shape_of(array)
        indices = [index_along(axis) for axis in range(rank)]
        result = get(array, *indices)
        for size, index in zip(reversed(sizes), reversed(indices), strict=True):
            result = Reduce(reduction, size, index, result)
        if reduction in (Reduction.MAX, Reduction.MIN):
            for size in reversed(sizes):
                result = _not_empty(elaborator, size, result)
        return let(bound, result)

    return expand


def _not_empty(elaborator: LibraryElaborator, size: Term, result: Term) -> Term:
    return elaborator.require(p.greater, size, Const(0), lambda: result)


def extremum(reduction: Reduction) -> Expansion:
    """The place of the extremum, in the array read row by row."""

    def expand(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
        array = arguments[0]
        rank = rank_of(array.type)
        if rank == 0:
            return Const(0)
        bound, array = shared(array, "a")
        sizes = shape_of(array)
        index = Var("k", INT)
        element = get(array, *unravelled(index, sizes))
        result: Term = Reduce(reduction, reduce(times, sizes), index, element)
        for size in reversed(sizes):
            result = _not_empty(elaborator, size, result)
        return let(bound, result)

    return expand


def mean(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """The sum divided by the number of elements."""
    bound, array = shared(arguments[0], "a")
    total = _sum(elaborator, (array,))
    one: Term = Const(1)
    count = reduce(times, shape_of(array), one)
    return let(bound, elementwise(elaborator, "divide", (total, count)))


def flat(chosen: str) -> Expansion:
    """The definition `chosen` for vectors, on the elements row by row."""

    def expand(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
        array = ravel(elaborator, (arguments[0],))
        return inlined(elaborator, chosen, array)

    return expand


def vdot(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """The sum of the products of elements."""
    return _sum(elaborator, (elementwise(elaborator, "multiply", arguments),))


def norm(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """The root of the sum of squares; the absolute value of a number."""
    array = arguments[0]
    if rank_of(array.type) == 0:
        return elementwise(elaborator, "abs", (array,))
    return inlined(elaborator, "vectorNormStable", ravel(elaborator, (array,)))


_sum = over_all(Reduction.SUM)
