"""Between what an integer expression is, as expressions in what is known.

    0 <= i < n: between what are n - i and i * n?    ~>    1 … n,  0 … (n - 1) * n

An interval has no bound on a side where nothing is known; what is given is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, integer, minus, plus, same, times


class Interval(Struct, frozen=True):
    """From `lower` to `upper`; None: nobody knows."""

    lower: t.Expression | None = None
    upper: t.Expression | None = None

    @property
    def is_exact(self) -> bool:
        """Is it known?"""
        return self.lower is self.upper and self.lower is not None

    @property
    def is_nonnegative(self) -> bool:
        """Is it known not to be below zero?"""
        return self.lower is not None and _is_nonnegative(self.lower)


ANY = Interval()


class Known(Protocol):
    """What is known of names."""

    def get(self, name: str, otherwise: Interval, /) -> Interval:
        """Of one, or otherwise."""


_LONGEST = 300
"""Bounds of more nodes are none: intervals of intervals grow."""


def exactly(e: t.Expression) -> Interval:
    """It is this number."""
    return Interval(e, e)


class Length(t.Name):
    """The length of an argument, which is not below zero."""

    __slots__ = ()


def interval(e: t.Expression, known: Known) -> Interval:
    """Between what an integer is; ANY for another number, and where saying it would take more than it is worth."""
    found = _interval(e, known) if e.type == INT else ANY
    return found if all([x is None or x.weight <= _LONGEST for x in (found.lower, found.upper)]) else ANY


def _interval(e: t.Expression, known: Known) -> Interval:
    match e:
        case t.Literal(value):
            return exactly(integer(int(value)))
        case t.Name(name):
            return known.get(name, ANY)
        case t.Load(buffer):
            return known.get(buffer, ANY)
        case t.Conditional(_, then, otherwise):
            return either(interval(then, known), interval(otherwise, known))
        case t.Search(t.Extremum.ARGMAX | t.Extremum.ARGMIN):
            count = interval(e.count, known).upper
            return Interval(ZERO, None if count is None else _larger(ZERO, minus(count, ONE)))
        case t.Operation():
            given = [interval(a, known) for a in e.arguments]
            found = _of_operation(e, given)
            is_exact = e.primitive in _EXACT and all([a.is_exact for a in given])
            return Interval(found.upper, found.upper) if is_exact else found
        case _:
            return ANY


_EXACT = (p.add, p.subtract, p.multiply, p.negate, p.maximum, p.minimum, p.floor_divide)
"""Of what is known exactly, what these give is."""


def either(a: Interval, b: Interval) -> Interval:
    """It is between the one or the other."""
    lower = None if a.lower is None or b.lower is None else _smaller(a.lower, b.lower)
    return Interval(lower, None if a.upper is None or b.upper is None else _larger(a.upper, b.upper))


def _of_operation(e: t.Operation, given: Sequence[Interval]) -> Interval:
    match e.primitive:
        case p.add:
            a, b = given
            return Interval(_both(plus, a.lower, b.lower), _both(plus, a.upper, b.upper))
        case p.subtract:
            a, b = given
            return Interval(_both(minus, a.lower, b.upper), _both(minus, a.upper, b.lower))
        case p.negate:
            return Interval(_both(minus, ZERO, given[0].upper), _both(minus, ZERO, given[0].lower))
        case p.multiply:
            return _product(*given)
        case p.maximum:
            a, b = given
            lower = a.lower if b.lower is None else b.lower if a.lower is None else _larger(a.lower, b.lower)
            return Interval(lower, _both(_larger, a.upper, b.upper))
        case p.minimum:
            a, b = given
            upper = a.upper if b.upper is None else b.upper if a.upper is None else _smaller(a.upper, b.upper)
            return Interval(_both(_smaller, a.lower, b.lower), upper)
        case p.floor_divide if _positive_literal(given[1].lower) is not None and given[1].lower is given[1].upper:
            a, b = given
            return Interval(_both(_quotient, a.lower, b.lower), _both(_quotient, a.upper, b.upper))
        case p.modulo:
            b = given[1]
            upper = None if b.upper is None else _larger(ZERO, minus(b.upper, ONE))
            return Interval(ZERO if b.is_nonnegative else None, upper)
        case p.select:
            return either(given[1], given[2])
        case p.absolute:
            a = given[0]
            return Interval(
                ZERO, None if a.upper is None or a.lower is None else _larger(a.upper, minus(ZERO, a.lower))
            )
        case _:
            return ANY


def _product(a: Interval, b: Interval) -> Interval:
    if a.lower is a.upper and b.lower is b.upper and a.lower is not None and b.lower is not None:
        return exactly(times(a.lower, b.lower))
    if not a.is_nonnegative:
        a, b = b, a
    if not a.is_nonnegative:
        return ANY
    if b.is_nonnegative:
        return Interval(_both(times, a.lower, b.lower), _both(times, a.upper, b.upper))
    return Interval(None, _both(times, a.upper, None if b.upper is None else _larger(ZERO, b.upper)))


def _both(
    make: Callable[[t.Expression, t.Expression], t.Expression], a: t.Expression | None, b: t.Expression | None
) -> t.Expression | None:
    return None if a is None or b is None else make(a, b)


def _larger(a: t.Expression, b: t.Expression) -> t.Expression:
    for x, other in ((a, b), (b, a)):
        if isinstance(x, t.Literal) and int(x.value) <= 0 and _is_nonnegative(other):
            return other
    return _extremum(p.maximum, max, a, b)


def _smaller(a: t.Expression, b: t.Expression) -> t.Expression:
    return _extremum(p.minimum, min, a, b)


def _extremum(primitive: p.Primitive, of: Callable[[int, int], int], a: t.Expression, b: t.Expression) -> t.Expression:
    if isinstance(a, t.Literal) and isinstance(b, t.Literal):
        return integer(of(int(a.value), int(b.value)))
    if same(a, b):
        return a
    return t.Operation(primitive, (a, b), INT)


def _quotient(a: t.Expression, b: t.Expression) -> t.Expression:
    if isinstance(a, t.Literal) and isinstance(b, t.Literal):
        return integer(int(a.value) // int(b.value))
    return t.Operation(p.floor_divide, (a, b), INT)


def _positive_literal(e: t.Expression | None) -> int | None:
    return int(e.value) if isinstance(e, t.Literal) and int(e.value) > 0 else None


def _is_nonnegative(e: t.Expression) -> bool:
    """Does the form of an expression say so?"""
    match e:
        case Length():
            return True
        case t.Literal(value):
            return int(value) >= 0
        case t.Operation(p.maximum, (a, b)):
            return _is_nonnegative(a) or _is_nonnegative(b)
        case t.Operation(p.add | p.multiply | p.minimum, (a, b)):
            return _is_nonnegative(a) and _is_nonnegative(b)
        case t.Operation(p.floor_divide, (a, _)):
            return _is_nonnegative(a)
        case _:
            return False
