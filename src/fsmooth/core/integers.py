"""How far from zero integers are: C computes with 64 bits, modulo 2**64, and proofs (rewrite.linear) are about all integers."""

from __future__ import annotations

LIMIT = 2**63
"""What is nearer to zero than this is an integer of C."""

FARTHEST = 2**61
"""An argument from which a size, or what integers are compared with, is computed is at most this far from zero (the runtime
refuses others), so that sums of few such do not wrap around."""

LONGEST = 2**47
"""No array has more elements along an axis: so many bytes a process can have."""

FITS = 2.0**60
"""A product of sizes that is at most this, computed with real numbers, has not wrapped around."""
