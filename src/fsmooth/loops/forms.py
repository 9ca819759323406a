"""What a library of C functions is like."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from fsmooth.loops.memory import Memory


class Extent(Enum):
    """What there is of each function: itself, or also one that does it for many elements."""

    ONE = "one"
    MANY = "many"


class Form(Struct, frozen=True):
    """Whose memory a library works in, and what there is of each function."""

    memory: Memory
    extent: Extent = Extent.ONE
