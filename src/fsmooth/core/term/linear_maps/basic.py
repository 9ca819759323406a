"""Application, composition, sums; the maps 0, 1 and S(k); transposition (paper 001, Fig. 3)."""

from __future__ import annotations

from fsmooth.core.term.base import IllTyped, Term
from fsmooth.core.term.fields import Failing, Part, Perhaps
from fsmooth.core.types import (
    Array,
    Float,
    Linear,
    Tuple,
    Type,
    has_function,
    has_map,
    is_additive,
    tangent,
)


class MapTerm(Term, abstract=True):
    """What has a linear map among its parts, or is one."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()


def map_type(term: Term) -> Linear:
    """The type of a linear map.

    Raises:
        IllTyped: for anything else.

    """
    if not isinstance(term.type, Linear):
        raise IllTyped(f"a {term.type!r} is no linear map")
    return term.type


def space_of(point: Term) -> Type:
    """The type of the vectors of the space in which the tangents of `point` are."""
    if has_function(point.type) or has_map(point.type):
        raise IllTyped(f"there are no tangents of a {point.type!r}")
    return tangent(point.type)


class Apply(MapTerm):
    """`m ⊙ x`: matrix times vector."""

    __slots__ = ("argument", "map")
    __match_args__ = ("map", "argument")
    fields = (Part("map"), Part("argument"))
    failing = Failing.NEVER

    def __init__(self, map_: Term, argument: Term) -> None:
        wanted = map_type(map_)
        if argument.type != wanted.source:
            raise IllTyped(f"{wanted!r} applied to a {argument.type!r}")
        self.map = map_
        self.argument = argument
        self._typed(wanted.target)


class ApplyReverse(MapTerm):
    """`r ⊙ᴿ m`: vector times matrix."""

    __slots__ = ("argument", "map")
    __match_args__ = ("argument", "map")
    fields = (Part("argument"), Part("map"))
    failing = Failing.NEVER

    def __init__(self, argument: Term, map_: Term) -> None:
        wanted = map_type(map_)
        if argument.type != wanted.target:
            raise IllTyped(f"{wanted!r} applied in reverse to a {argument.type!r}")
        self.argument = argument
        self.map = map_
        self._typed(wanted.source)


class Compose(MapTerm):
    """`m ∘ n`: first n, then m; the product of matrices."""

    __slots__ = ("inner", "outer")
    __match_args__ = ("outer", "inner")
    fields = (Part("outer"), Part("inner"))
    failing = Failing.NEVER

    def __init__(self, outer: Term, inner: Term) -> None:
        after, before = map_type(outer), map_type(inner)
        if after.source != before.target:
            raise IllTyped(f"{after!r} after {before!r}")
        self.outer = outer
        self.inner = inner
        self._typed(Linear(before.source, after.target))


class AddMaps(MapTerm):
    """`m ⊕ n`: the sum of matrices."""

    __slots__ = ("left", "right")
    __match_args__ = ("left", "right")
    fields = (Part("left"), Part("right"))
    failing = Failing.NEVER

    def __init__(self, left: Term, right: Term) -> None:
        type_ = map_type(left)
        if type_ != map_type(right) or not (is_additive(type_.source) and is_additive(type_.target)):
            raise IllTyped(f"the sum of {left.type!r} and {right.type!r}")
        self.left = left
        self.right = right
        self._typed(left.type)


class ZeroMap(MapTerm):
    """`0` from the space of `source` to that of `target`."""

    __slots__ = ("source", "target")
    __match_args__ = ("source", "target")
    fields = (Part("source"), Part("target"))
    failing = Failing.NEVER

    def __init__(self, source: Term, target: Term) -> None:
        self.source = source
        self.target = target
        self._typed(Linear(space_of(source), space_of(target)))


class UnitMap(MapTerm):
    """`1`: the identity on the space of `point`."""

    __slots__ = ("point",)
    __match_args__ = ("point",)
    fields = (Part("point"),)
    failing = Failing.NEVER

    def __init__(self, point: Term) -> None:
        space = space_of(point)
        self.point = point
        self._typed(Linear(space, space))


class ScaleMap(MapTerm):
    """`S(k)`: multiplication by k, on numbers or, with a `point`, on any space of numbers of the width of k."""

    __slots__ = ("factor", "point")
    __match_args__ = ("factor",)
    fields = (Part("factor"), Perhaps("point"))
    failing = Failing.NEVER

    def __init__(self, factor: Term, point: Term | None = None) -> None:
        if not isinstance(factor.type, Float):
            raise IllTyped(f"scaled by a {factor.type!r}")
        self.factor = factor
        self.point = point
        space = factor.type if point is None else space_of(point)
        if not _is_over(space, factor.type):
            raise IllTyped(f"a {space!r} scaled by a {factor.type!r}")
        self._typed(Linear(space, space))


def _is_over(space: Type, field: Float) -> bool:
    match space:
        case Tuple(items):
            return all(_is_over(item, field) for item in items)
        case Array(element):
            return _is_over(element, field)
        case _:
            return space == field


class Transpose(MapTerm):
    """`mᵀ`."""

    __slots__ = ("map",)
    __match_args__ = ("map",)
    fields = (Part("map"),)
    failing = Failing.NEVER

    def __init__(self, map_: Term) -> None:
        type_ = map_type(map_)
        self.map = map_
        self._typed(Linear(type_.target, type_.source))
