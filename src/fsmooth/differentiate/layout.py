"""How the state of a loop is laid out when some of its components are dual: flat, one component after the other.

A real number that is active becomes two components, its value and its tangent, an array that is active one array
of dual numbers; all others stay one component of their own type.  Flat, because a loop whose result is wanted only
in part carries only what that part needs (optimise/rules/loop_fission.py), and the tangent is often all that is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.core.term import MakeTuple, Proj, Term
from fsmooth.core.types import Float, Tuple, Type
from fsmooth.differentiate.activity import Activities
from fsmooth.differentiate.encoding import TANGENTS, Pairs, first, item, primal_part, second


class Layout:
    """The flat form of values of one type, whose components are active or not."""

    def __init__(self, type_: Type, active: Activities, pairs: Pairs = TANGENTS) -> None:
        self._pairs = pairs
        self._type = type_
        self._active = active
        self.count = _count(type_, active)

    def packed(self, parts: list[Term]) -> Term:
        """One term of all parts: a tuple, unless there is only one."""
        return parts[0] if self.count == 1 else MakeTuple(tuple(parts))

    def unpacked(self, value: Term) -> list[Term]:
        """The parts of a packed value."""
        return [value] if self.count == 1 else [Proj(value, k) for k in range(self.count)]

    def dual(self, value: Term) -> Term:
        """The dual value, of type D_T⟦type⟧, that a packed value stands for."""
        return _dual(self._type, self._active, iter(self.unpacked(value)), self._pairs)

    def primal(self, value: Term) -> Term:
        """The primal value that a packed value stands for."""
        return _primal(self._type, self._active, iter(self.unpacked(value)))

    def of_dual(self, value: Term) -> list[Term]:
        """The parts that stand for a dual value."""
        return _of_dual(self._type, self._active, value)


def any_of(active: Activities) -> bool:
    """Is any component active?"""
    return active if isinstance(active, bool) else any([any_of(part) for part in active])


def leaves_of(value: Term) -> list[Term]:
    """The components of a value that are not tuples, in order."""
    if not isinstance(value.type, Tuple):
        return [value]
    return [leaf for k in range(len(value.type.items)) for leaf in leaves_of(item(value, k))]


def _inside(type_: Type, active: Activities) -> list[tuple[Type, Activities]] | None:
    """The components of a tuple; None for what is a component itself."""
    if isinstance(type_, Tuple) and isinstance(active, tuple):
        return list(zip(type_.items, active, strict=True))
    return None


def _count(type_: Type, active: Activities) -> int:
    inside = _inside(type_, active)
    if inside is not None:
        return sum([_count(t, a) for t, a in inside])
    return 2 if active and isinstance(type_, Float) else 1


def _dual(type_: Type, active: Activities, parts: Iterator[Term], pairs: Pairs) -> Term:
    inside = _inside(type_, active)
    if inside is not None:
        return MakeTuple(tuple([_dual(t, a, parts, pairs) for t, a in inside]), type_)
    if not active:
        return pairs.lifted(next(parts))
    return MakeTuple((next(parts), next(parts))) if isinstance(type_, Float) else next(parts)


def _primal(type_: Type, active: Activities, parts: Iterator[Term]) -> Term:
    inside = _inside(type_, active)
    if inside is not None:
        return MakeTuple(tuple([_primal(t, a, parts) for t, a in inside]), type_)
    if not active:
        return next(parts)
    if isinstance(type_, Float):
        value, _ = next(parts), next(parts)
        return value
    return primal_part(next(parts), type_)


def _of_dual(type_: Type, active: Activities, value: Term) -> list[Term]:
    inside = _inside(type_, active)
    if inside is not None:
        return [part for k, (t, a) in enumerate(inside) for part in _of_dual(t, a, item(value, k))]
    if not active:
        return [primal_part(value, type_)]
    return [first(value), second(value)] if isinstance(type_, Float) else [value]
