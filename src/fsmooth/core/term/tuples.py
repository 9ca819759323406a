"""Tuples and records."""

from __future__ import annotations

from fsmooth.core.term.base import IllTyped, Term
from fsmooth.core.term.fields import Data, Failing, Part, Parts
from fsmooth.core.types import Tuple, Type


def _type_and_record(like: Tuple) -> tuple[Tuple, object]:
    """Records of two classes with the same fields are of equal types."""
    return like, like.record


class MakeTuple(Term):
    """A tuple, or with `like` a record of that type."""

    __slots__ = ("items",)
    __match_args__ = ("items",)
    fields = (Parts("items"), Data("like", exactly=_type_and_record))
    failing = Failing.NEVER

    def __init__(self, items: tuple[Term, ...], like: Type | None = None) -> None:
        types = tuple(item.type for item in items)
        self.items = items
        if isinstance(like, Tuple):
            if len(like.items) != len(items):
                raise IllTyped(f"{len(items)} items for {like!r}")
            self._typed(Tuple(types, like.names, like.record))
        else:
            self._typed(Tuple(types))

    @property
    def like(self) -> Type:
        """Its own type: that of a record says how to make one."""
        return self.type


class Proj(Term):
    """Component number `position` of a tuple (fst and snd of the paper are positions 0 and 1)."""

    __slots__ = ("position", "tuple")
    __match_args__ = ("tuple", "position")
    fields = (Part("tuple"), Data("position"))
    failing = Failing.NEVER

    def __init__(self, tuple_: Term, position: int) -> None:
        if not isinstance(tuple_.type, Tuple) or not 0 <= position < len(tuple_.type.items):
            raise IllTyped(f"component {position} of a {tuple_.type!r}")
        self.tuple = tuple_
        self.position = position
        self._typed(tuple_.type.items[position])
