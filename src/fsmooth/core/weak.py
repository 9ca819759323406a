"""Weak real numbers: Python's own floats, which take the precision of what they meet (NumPy 2, JAX).

A weak number is a Float of 64 bits in every respect, and equal to that as a type, so that no stage after elaboration
sees a difference.  The front-end asks which of two numbers decides: weak with weak is weak, weak with float64 is
float64, weak with float32 is float32.

>>> WEAK == F64, is_weak(WEAK), is_weak(F64)
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core.types import F32, F64, Array, Float, Tuple, Type


class Weak(Float):
    """A real number of 64 bits that gives way to one of another width."""

    __match_args__ = ("width",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Float) and other.width == self.width

    __hash__ = Float.__hash__


WEAK = Weak(64)


def is_weak(type_: Type) -> bool:
    """Is it a weak number, or does it contain one?"""
    match type_:
        case Array(element):
            return is_weak(element)
        case Tuple(items):
            return any(map(is_weak, items))
        case _:
            return isinstance(type_, Weak)


def weakness(type_: Type) -> tuple[object, ...]:
    """Which of the numbers in a type are weak: what the equality of types leaves out."""
    match type_:
        case Array(element):
            return weakness(element)
        case Tuple(items):
            return tuple(map(weakness, items))
        case _:
            return (isinstance(type_, Weak),)


def strong(type_: Type) -> Type:
    """The type with float64 for each weak number.

    >>> is_weak(strong(Array(WEAK)))
    False
    """
    return _with(type_, F64)


def in_single(type_: Type) -> Type:
    """The type with float32 for each weak number.

    >>> in_single(Array(WEAK))
    Array<Float32>
    """
    return _with(type_, F32)


def _with(type_: Type, instead: Float) -> Type:
    match type_:
        case Array(element) if is_weak(element):
            return type(type_)(_with(element, instead))
        case Tuple(items, names, record) if is_weak(type_):
            return Tuple(tuple([_with(item, instead) for item in items]), names, record)
        case Weak():
            return instead
        case _:
            return type_


def strongest(types: Iterable[Type]) -> Type:
    """The one of several equal types that decides: weak only if all are."""
    return next((t for t in types if not isinstance(t, Weak)), WEAK)
