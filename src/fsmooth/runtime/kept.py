"""What is kept on disk of the second half of a vjp beside its code (`runtime.manifest` writes and reads it)."""

from __future__ import annotations

from msgspec import Struct


class Kept(Struct, frozen=True):
    """Which parameters of the first half it takes, of which of them more than lengths, and the names of all that it takes.

    `deciding`: of those, too by position in the first half, whose elements decide where the second reads or writes.
    `tape`: which of the residuals is a tape, which ends with the pullback (runtime/tapes.py).
    """

    positions: tuple[int, ...]
    read: frozenset[int]
    names: list[str]
    deciding: frozenset[int]
    tape: int | None = None
