"""C names of types and functions."""

from __future__ import annotations

from fsmooth.core.narrow import Narrow
from fsmooth.core.types import Bool, Data, Float, Int, Type


def c_type(type_: Type) -> str:
    """The C type of a scalar."""
    match type_:
        case Float(64):
            return "double"
        case Float():
            return "float"
        case Int():
            return "int64_t"
        case Bool():
            return "bool"
        case Data():
            return "fs_frame"
        case _:
            raise TypeError(f"{type_!r} is no scalar")


def element_type(type_: Type) -> str:
    """The C type of an element of an array.

    A truth value is a byte that is 0 or 1: gcc runs no loop in vectors that reads elements of type `bool`.
    """
    match type_:
        case Bool():
            return "unsigned char"
        case Narrow():
            return "int32_t"
        case _:
            return c_type(type_)


_LONGEST = 100


def comment(text: str) -> str:
    """Text that can stand in a C comment, on one line of bearable length."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ").replace("\\", "/")
