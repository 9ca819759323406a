"""Expressions of loops: scalars, and loads from memory.  Immutable."""

from __future__ import annotations

from enum import Enum

from fsmooth.core.primitives import Primitive
from fsmooth.core.types import INT, Type


class Expression:
    """A scalar expression.  `weight` counts its nodes."""

    __slots__ = ("type", "weight")
    type: Type
    weight: int


class Literal(Expression):
    """A constant."""

    __slots__ = ("value",)
    __match_args__ = ("value",)

    def __init__(self, value: float | int | bool, type_: Type) -> None:
        self.value = value
        self.type = type_
        self.weight = 1


class Name(Expression):
    """A local variable, a loop index or a scalar parameter."""

    __slots__ = ("name",)
    __match_args__ = ("name",)

    def __init__(self, name: str, type_: Type) -> None:
        self.name = name
        self.type = type_
        self.weight = 1


class Load(Expression):
    """`buffer[index]`."""

    __slots__ = ("buffer", "index")
    __match_args__ = ("buffer", "index")

    def __init__(self, buffer: str, index: Expression, type_: Type) -> None:
        self.buffer = buffer
        self.index = index
        self.type = type_
        self.weight = 1 + index.weight


class Operation(Expression):
    """A primitive applied to scalars."""

    __slots__ = ("arguments", "primitive")
    __match_args__ = ("primitive", "arguments")

    def __init__(self, primitive: Primitive, arguments: tuple[Expression, ...], type_: Type) -> None:
        self.primitive = primitive
        self.arguments = arguments
        self.type = type_
        self.weight = 1 + sum([a.weight for a in arguments])


class Conditional(Expression):
    """`condition ? then : otherwise`."""

    __slots__ = ("condition", "otherwise", "then")
    __match_args__ = ("condition", "then", "otherwise")

    def __init__(self, condition: Expression, then: Expression, otherwise: Expression) -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.type = then.type
        self.weight = 1 + condition.weight + then.weight + otherwise.weight


class Extremum(Enum):
    """Whole-buffer searches, spelled as helper functions by the back-end."""

    ARGMAX = "argmax"
    ARGMIN = "argmin"
    MAX = "max"
    MIN = "min"


class Search(Expression):
    """The extremum (or the index of the first one) of `buffer[offset … offset + count - 1]`; a NaN wins."""

    __slots__ = ("buffer", "count", "extremum", "leaf", "offset")
    __match_args__ = ("extremum", "buffer", "offset", "count")

    def __init__(self, extremum: Extremum, buffer: str, offset: Expression, count: Expression, leaf: Type) -> None:
        self.extremum = extremum
        self.buffer = buffer
        self.offset = offset
        self.count = count
        self.leaf = leaf
        self.type = INT if extremum in (Extremum.ARGMAX, Extremum.ARGMIN) else leaf
        self.weight = 1 + offset.weight + count.weight
