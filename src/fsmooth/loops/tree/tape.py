"""Statements that read and change one thing, a tape: entries and regions forwards, and the ways back over them."""

from __future__ import annotations

from msgspec import Struct

from fsmooth.loops.tree.expressions import Expression
from fsmooth.loops.tree.places import Place

TAPE = "fs_tape"
"""What the statements of a tape read and change."""


class OpenTape(Struct, frozen=True, eq=False):
    """`const int64_t start = …;`: the id of the first of `size` inputs."""

    start: str
    size: Expression


class Entry(Struct, frozen=True, eq=False):
    """`const int64_t name = …;`: the id of a new entry of the tape, with room for `count` operands and their slopes."""

    name: str
    slopes: str
    operands: str
    count: Expression


class Operand(Struct, frozen=True, eq=False):
    """An operand of an entry, by its id, at a position among them, and the slope by it."""

    entry: Entry
    position: Expression
    id: Expression
    slope: Expression


class Sweep(Struct, frozen=True, eq=False):
    """`buffer[offset + k]` = the slope of the number with id `root` by input k, for `count` inputs from `start` on."""

    buffer: str
    offset: Expression
    count: Expression
    start: Expression
    root: Expression


class SaveRegion(Struct, frozen=True, eq=False):
    """`const int64_t name = …;`: the id of the first of `size` numbers of region `number`, and what it saves.

    Integers and real numbers are kept apart: first those by themselves, then those of the arrays, of which there are so many.
    """

    name: str
    number: int
    size: Expression
    integers: tuple[Expression, ...]
    reals: tuple[Expression, ...]
    arrays: tuple[Place, ...]
    counts: tuple[Expression, ...]


class OpenSweep(Struct, frozen=True, eq=False):
    """`double *bars`: the cotangents of all entries, of which that with id `root` is 1; inputs are `count` from `start` on."""

    bars: str
    count: Expression
    start: Expression
    root: Expression


class NextRegion(Struct, frozen=True, eq=False):
    """Back to the next region, through the entries before: its number, or -1 if there is none, the id of the first of its
    numbers, how many these are, and what it saved.  Those to whose numbers nothing comes back are left out.
    """

    number: str
    first: str
    size: str
    integers: str
    reals: str
    bars: str
    after: Expression


class CloseTape(Struct, frozen=True, eq=False):
    """Forget the inputs from `start` on, and all entries after them."""

    start: str


class KeepTape(Struct, frozen=True, eq=False):
    """`const int64_t name = …;`: the tape, which is not the call's own any more."""

    name: str


class OpenBars(Struct, frozen=True, eq=False):
    """`double *buffer`: zeros, one for each entry of a tape that was kept."""

    buffer: str
    tape: Expression


class SweepBars(Struct, frozen=True, eq=False):
    """`buffer[offset + k]` = the cotangent of input k of a tape that was kept, from `bars` of all its entries."""

    buffer: str
    offset: Expression
    count: Expression
    tape: Expression
    bars: str
