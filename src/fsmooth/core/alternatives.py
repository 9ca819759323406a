"""Values that are one of several kinds, and functions: what `Tuple.record` says of them.

A value that is a number or None, a circle or a square, one function or another has a tag, which says of which kind it is,
and a part for each kind; those of the others are not read.  It costs no memory of its own, and an array of such values is a
tuple of arrays.  A function is what it captured; which one it is, is known while compiling (defunctionalisation: Reynolds,
*Definitional interpreters for higher-order programming languages*, 1972).
"""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from fsmooth.core.types import INT, Array, Tuple, Type


class OneOf(Struct, frozen=True):
    """The record of a value of one of several kinds: its parts are the tag, and what it is if it is of each kind."""

    def __call__(self, tag: int, *kinds: object) -> object:
        """The value of the kind that it is of."""
        return kinds[tag]


class Code(Struct, frozen=True):
    """The record of a function, whose parts are what it captured; `function` says which one it is."""

    function: Hashable

    def __call__(self, *captured: object) -> object:
        """A function is not handed to the caller."""
        raise TypeError("a function is no result of a compiled function")

    def __repr__(self) -> str:
        """What it is called."""
        return f"Code({self.function})"


def one_of(kinds: tuple[Type, ...]) -> Tuple:
    """The type of values of one of these kinds.

    >>> from fsmooth.core.types import F64
    >>> one_of((F64, INT))
    {tag: Int, kind_0: Float, kind_1: Int}
    """
    return Tuple((INT, *kinds), ("tag", *[f"kind_{k}" for k in range(len(kinds))]), OneOf())


def is_one_of(type_: Type) -> bool:
    """Is a value of one of several kinds?"""
    return isinstance(type_, Tuple) and isinstance(type_.record, OneOf)


def kinds_of(type_: Type) -> tuple[Type, ...]:
    """The kinds that a value may be of."""
    return type_.items[1:] if isinstance(type_, Tuple) and isinstance(type_.record, OneOf) else (type_,)


def holds_functions(type_: Type) -> bool:
    """Is it a function, or is one in it?"""
    return isinstance(type_, Tuple) and (
        isinstance(type_.record, Code) or any([holds_functions(item) for item in type_.items])
    )


def holds_alternatives(type_: Type) -> bool:
    """Is a value of one of several kinds, or is one in it?"""
    match type_:
        case Array(element):
            return holds_alternatives(element)
        case Tuple(items):
            return is_one_of(type_) or any([holds_alternatives(item) for item in items])
        case _:
            return False


def holds_many_alternatives(type_: Type) -> bool:
    """Are there arrays in it of which each element is of one of several kinds, or of which the tags are an array?"""
    match type_:
        case Array():
            return holds_alternatives(type_)
        case Tuple(items):
            is_many = is_one_of(type_) and isinstance(items[0], Array)
            return is_many or any([holds_many_alternatives(item) for item in items])
        case _:
            return False


def tagged(type_: Type) -> Type:
    """A type of tangents in which values of one of several kinds have tags, which themselves have no tangents.

    >>> from fsmooth.core.types import F64, tangent
    >>> tagged(tangent(one_of((F64, INT))))
    {tag: Int, kind_0: Float, kind_1: ()}
    """
    match type_:
        case Array(element):
            return Array(tagged(element))
        case Tuple(items, names, record):
            parts = tuple([tagged(item) for item in items])
            return Tuple((INT, *parts[1:]) if is_one_of(type_) else parts, names, record)
        case _:
            return type_


def with_all_kinds(type_: Type) -> Type:
    """The type, with values of one of several kinds and functions as tuples of their parts, whichever they are."""
    match type_:
        case Array(element):
            return Array(with_all_kinds(element))
        case Tuple(items, names, record):
            kept = None if isinstance(record, OneOf | Code) else record
            return Tuple(tuple([with_all_kinds(item) for item in items]), None if kept is None else names, kept)
        case _:
            return type_
