"""A piece of Futhark text, how tightly it binds, and the sizes of its value; how pieces are laid out."""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core.types import Array, Bool, Float, Int, Tuple, Type

LINE = 90
"""Lines are broken that are longer than this, where they may be."""

LOW, OR, AND, COMPARE, ADD, MULTIPLY, POWER, APPLY, ATOM = range(9)
"""Levels: `LOW` is let, if, loop, a function, an attribute; operators as Futhark orders them; applications; atoms."""

WIDTH = 110


class Dim(Struct, frozen=True):
    """The sizes of an array: how many elements, a name or a number in Futhark, and the sizes of each."""

    length: str
    element: Sizes


class Items(Struct, frozen=True):
    """The sizes of the components of a tuple."""

    items: tuple[Sizes, ...]


Sizes = Dim | Items | None
"""None: a scalar."""


class Code(Struct, frozen=True):
    """Text at a level, the sizes of its value, and the names of arrays in whose memory the value may be."""

    text: str
    level: int
    sizes: Sizes = None
    aliases: frozenset[str] = frozenset()

    def at(self, level: int) -> str:
        """The text, in parentheses if it binds less tightly than `level`."""
        return self.text if self.level >= level else bracketed(self.text)

    @property
    def atom(self) -> str:
        """The text as an argument of a function."""
        return self.at(ATOM)


def bracketed(text: str) -> str:
    """`text` in parentheses."""
    return f"({indented(text, 1)})"


def indented(text: str, by: int = 2) -> str:
    """`text` with its lines but the first moved to the right."""
    return text.replace("\n", "\n" + " " * by)


def function(parameters: str, body: str) -> str:
    r"""`(\parameters -> body)`."""
    if "\n" in body or len(body) > WIDTH:
        return f"(\\{parameters} ->\n   {indented(body, 3)})"
    return f"(\\{parameters} -> {body})"


def call(name: str, *arguments: str) -> str:
    """An application, over several lines if it is long."""
    line = " ".join([name, *arguments])
    if len(line) <= WIDTH or "\n" in line:
        return line
    return "\n  ".join([name, *[indented(a) for a in arguments]])


def scalar_name(type_: Type) -> str:
    """Futhark's name of a scalar type."""
    match type_:
        case Float(width):
            return f"f{width}"
        case Int():
            return "i64"
        case Bool():
            return "bool"
        case _:
            raise TypeError(f"{type_!r} is no scalar")


def type_text(type_: Type, sizes: Sizes) -> str:
    """A type with its sizes; a tuple of one is that one.

    >>> from fsmooth.core.types import F64
    >>> type_text(Array(Array(F64)), Dim("n", Dim("3", None)))
    '[n][3]f64'
    """
    if isinstance(type_, Array):
        assert isinstance(sizes, Dim)
        return f"[{sizes.length}]{type_text(type_.element, sizes.element)}"
    if isinstance(type_, Tuple):
        assert isinstance(sizes, Items)
        return tupled([type_text(t, s) for t, s in zip(type_.items, sizes.items, strict=True)])
    return scalar_name(type_)


def tupled(items: list[str]) -> str:
    """A tuple of texts: Futhark has none of one component."""
    return items[0] if len(items) == 1 else f"({', '.join(items)})"
