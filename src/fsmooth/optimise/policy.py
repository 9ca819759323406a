"""What the simplifier may do beyond the rules."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from fsmooth import thresholds


class Fusion(Enum):
    """When is an array that has a name inlined where it is read?"""

    NEVER = "never"
    PAYS = "if that costs less"
    ALWAYS = "always"


class Policy(Struct, frozen=True):
    """What the simplifier may do beyond the rules."""

    fusion: Fusion = Fusion.PAYS
    fission: bool = True
    unroll: int | None = None

    @property
    def unrolled(self) -> int:
        """Loops of at most so many iterations may be written out."""
        return thresholds.UNROLLED if self.unroll is None else self.unroll
