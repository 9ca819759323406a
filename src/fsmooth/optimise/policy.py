"""What the simplifier may do beyond the rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Fusion(Enum):
    """When is an array that has a name inlined where it is read?"""

    NEVER = "never"
    PAYS = "if that costs less"
    ALWAYS = "always"


@dataclass(frozen=True)
class Policy:
    """What the simplifier may do beyond the rules."""

    fusion: Fusion = Fusion.PAYS
    fission: bool = True
    unroll: int = 32
    growth: int = 20_000
    inline_nodes: int = 300
