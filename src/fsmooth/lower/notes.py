"""What `.explain()` says about memory: every array that is stored, and every copy made in a loop."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.loops import tree as t
from fsmooth.loops.usage import bodies_of

IN_A_ROOM = "in a loop, in a room as large as the longest so far"
"""Where an array is whose size is not known before the loop that makes it (`lower.rooms`)."""


def storage_notes(body: Sequence[t.Statement]) -> tuple[str, ...]:
    """A line for each array that is taken, or has a room, and for each copy in a loop."""
    notes: list[str] = []
    stack: list[tuple[t.Statement, bool]] = [(s, False) for s in reversed(body)]
    while stack:
        s, in_loop = stack.pop()
        match s:
            case t.Allocate():
                where = "in the arena, once per call, outside all loops" if s.room is None else IN_A_ROOM
                notes.append(f"array {s.buffer} is stored {where}")
            case t.Copy() if in_loop:
                notes.append(f"array {s.target} is copied from {s.source} inside a loop")
            case t.Swap():
                notes.append(f"array {s.left} is the state of a loop that needs two buffers")
            case _:
                pass
        inside = in_loop or isinstance(s, t.For | t.While | t.Block)
        for inner in reversed(bodies_of(s)):
            stack.extend([(x, inside) for x in reversed(inner)])
    return tuple(notes)
