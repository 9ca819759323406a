"""Types of Futhark: scalars, arrays with a size each, tuples, functions; sizes are compared as they are written."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

_unknown = itertools.count()


class FutharkError(Exception):
    """What the reader refuses, or what fails while a program runs."""


@dataclass(frozen=True)
class Scalar:
    """f64, f32, i64, bool."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Array:
    """`[size]element`."""

    size: str
    element: Type

    def __str__(self) -> str:
        return f"[{self.size}]{self.element}"


@dataclass(frozen=True)
class Tuple:
    """Values side by side: none, or two and more."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Function:
    """A function that is defined, by the names of its sizes and the types of its parameters."""

    sizes: tuple[str, ...]
    parameters: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return " -> ".join(map(str, (*self.parameters, self.result)))


Type = Scalar | Array | Tuple | Function
F64, F32, I64, BOOL = Scalar("f64"), Scalar("f32"), Scalar("i64"), Scalar("bool")
SCALARS = {t.name: t for t in (F64, F32, I64, BOOL)}


def unknown_size() -> str:
    """A size that is no other."""
    return f"?{next(_unknown)}"


def demand(found: Type, wanted: Type, what: str) -> None:
    """The types are the same, sizes included."""
    if found != wanted:
        raise FutharkError(f"{what}: {found} where {wanted} is expected")


def substituted(type_: Type, sizes: dict[str, str]) -> Type:
    """A type with sizes for names of sizes."""
    if isinstance(type_, Array):
        return Array(sizes.get(type_.size, type_.size), substituted(type_.element, sizes))
    if isinstance(type_, Tuple):
        return Tuple(tuple([substituted(t, sizes) for t in type_.items]))
    return type_


def bind_sizes(parameter: Type, argument: Type, known: dict[str, str], names: tuple[str, ...]) -> None:
    """What the sizes of a parameter stand for in a call."""
    if isinstance(parameter, Array) and isinstance(argument, Array):
        if parameter.size in names:
            known.setdefault(parameter.size, argument.size)
        bind_sizes(parameter.element, argument.element, known, names)


def joined(one: Type, other: Type) -> Type:
    """The type of a branch: sizes that differ are unknown.

    Raises:
        FutharkError: for types that differ in more than sizes.

    """
    if isinstance(one, Array) and isinstance(other, Array):
        return Array(one.size if one.size == other.size else unknown_size(), joined(one.element, other.element))
    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.items) == len(other.items):
        return Tuple(tuple([joined(a, b) for a, b in zip(one.items, other.items, strict=True)]))
    demand(other, one, "the branches of an if")
    return one


def sizes_in(type_: Type) -> set[str]:
    """The sizes that a type mentions."""
    if isinstance(type_, Array):
        return {type_.size} | sizes_in(type_.element)
    if isinstance(type_, Tuple):
        return {s for t in type_.items for s in sizes_in(t)}
    return set()


def has_array(type_: Type) -> bool:
    """Is it an array, or a tuple with one?"""
    return isinstance(type_, Array) or (isinstance(type_, Tuple) and any(map(has_array, type_.items)))
