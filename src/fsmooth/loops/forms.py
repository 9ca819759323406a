"""What a library of C functions is like."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from fsmooth.loops.memory import Memory


class Extent(Enum):
    """What there is of each function: itself, or also one that does it for many elements."""

    ONE = "one"
    MANY = "many"


class Profile(Enum):
    """What compilers a library is for: also for those of C99 alone, or only for them."""

    FULL = "full"
    PLAIN = "plain"


class Form(Struct, frozen=True):
    """Whose memory a library works in, what there is of each function, and for what compilers it is."""

    memory: Memory
    extent: Extent = Extent.ONE
    profile: Profile = Profile.FULL
