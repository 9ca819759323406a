"""Arrays that are lists of the program's: where `+` puts one after the other and `*` repeats.

Such a type is an Array in every respect, and equal to that as a type, so that no stage after elaboration sees a difference.

>>> from fsmooth.core.types import F64
>>> ListOf(F64) == Array(F64), is_list(ListOf(F64)), is_list(Array(F64))
(True, True, False)
"""

from __future__ import annotations

from copy import copy

from fsmooth.core.term import Term
from fsmooth.core.types import Array, Tuple, Type


class ListOf(Array):
    """An array that is a list."""

    __match_args__ = ("element",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and other.element == self.element

    __hash__ = Array.__hash__


class ListOrArray(ListOf):
    """An array that is a list only if a branch was taken, or a loop has steps."""


def is_list(type_: Type) -> bool:
    """Is it a list whatever happens?"""
    return isinstance(type_, ListOf) and not isinstance(type_, ListOrArray)


def lists_in(type_: Type) -> tuple[object, ...]:
    """Which of the arrays in a type are lists: what the equality of types leaves out."""
    match type_:
        case Array(element):
            return (type(type_), *lists_in(element))
        case Tuple(items):
            return tuple(map(lists_in, items))
        case _:
            return ()


def no_list(type_: Type) -> Type:
    """The type with an array for each list.

    >>> from fsmooth.core.types import F64
    >>> lists_in(no_list(ListOf(ListOf(F64)))) == lists_in(Array(Array(F64)))
    True
    """
    match type_:
        case Array(element):
            return Array(no_list(element))
        case Tuple(items, names, record):
            return Tuple(tuple(map(no_list, items)), names, record)
        case _:
            return type_


def either_array(a: Array, b: Array, element: Type) -> Array:
    """The type of what is one of two arrays: a list if both are."""
    if type(a) is type(b):
        return type(a)(element)
    return ListOrArray(element)


def all_lists(type_: Type) -> Type:
    """The type with a list for each array.

    >>> from fsmooth.core.types import F64
    >>> lists_in(all_lists(Array(Array(F64)))) == lists_in(ListOf(ListOf(F64)))
    True
    """
    return ListOf(all_lists(type_.element)) if isinstance(type_, Array) else type_


def with_lists(type_: Type, model: Type) -> Type:
    """The type with lists where the model, of the same structure, has them.

    >>> from fsmooth.core.types import F32, F64
    >>> is_list(with_lists(Array(F32), ListOf(F64)))
    True
    """
    match type_, model:
        case Array(element), Array(like):
            return type(model)(with_lists(element, like))
        case Tuple(items, names, record), Tuple(others) if len(items) == len(others):
            return Tuple(tuple([with_lists(a, b) for a, b in zip(items, others, strict=True)]), names, record)
        case _:
            return type_


def of_type(term: Term, type_: Type) -> Term:
    """The same term with an equal type, of which other arrays are lists."""
    made = copy(term)
    made.type = type_
    return made
