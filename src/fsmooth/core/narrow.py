"""Integers that lie in memory with 32 bits: the elements of arrays that a program is given so, as SciPy's indices are.

A narrow integer is an Int in every respect, and equal to that as a type: what is read from memory is a number of 64 bits.
Only the type of a parameter of compiled code is narrow, and only of an array, where it says what the pointer points to; types
of terms never are.

>>> NARROW == INT, is_narrow(Array(NARROW)), is_narrow(Array(INT))
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.core.types import INT, Array, Int, Tuple, Type, leaf_of

Arrays = frozenset[tuple[int, int]]
"""Arrays among the arguments: the position of a parameter, and which of the arrays in it."""


class Narrow(Int):
    """An integer of 64 bits, whose place in memory has 32."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Int)

    __hash__ = Int.__hash__


NARROW = Narrow()


def is_narrow(type_: Type) -> bool:
    """Is it an array of narrow integers?"""
    return isinstance(leaf_of(type_), Narrow)


def integer_arrays(type_: Type) -> list[int]:
    """Which of the arrays in a type, counted when it is unzipped, are of integers."""
    return [k for k, leaf in enumerate(_leaves_of_arrays(type_, inside=False)) if leaf == INT]


def count_of_arrays(type_: Type) -> int:
    """How many arrays there are in a type when it is unzipped."""
    return len(list(_leaves_of_arrays(type_, inside=False)))


def _leaves_of_arrays(type_: Type, *, inside: bool) -> Iterator[Type]:
    match type_:
        case Array(element):
            yield from _leaves_of_arrays(element, inside=True)
        case Tuple(items):
            for item in items:
                yield from _leaves_of_arrays(item, inside=inside)
        case _ if inside:
            yield type_
        case _:
            return


def stored_narrow(type_: Type, arrays: frozenset[int]) -> Type:
    """The type in which these arrays of integers, counted when it is unzipped, are narrow."""
    return _stored(type_, iter(range(count_of_arrays(type_))), arrays, inside=False)


def _stored(type_: Type, places: Iterator[int], arrays: frozenset[int], *, inside: bool) -> Type:
    match type_:
        case Array(element):
            return Array(_stored(element, places, arrays, inside=True))
        case Tuple(items, names, record):
            return Tuple(tuple([_stored(item, places, arrays, inside=inside) for item in items]), names, record)
        case _ if inside and next(places) in arrays:
            return NARROW
        case _:
            return type_
