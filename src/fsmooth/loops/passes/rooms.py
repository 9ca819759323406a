"""Rooms for arrays in loops whose sizes are not known before these (design §6, "Storage").

    while …: { m = …;  a: m numbers; … }   ~>   room r;  while …: { m = …;  a: m numbers in r; … }

As in C by hand: what a search inside a loop saves is as long as the search happens to be.  A room is made before the
outermost loop, mostly on the stack.  When an array does not fit, the room is from then on memory of the arena, at least twice as
large as it was.  So loops take nothing in their steady state, and however often they run, a room never grows more
often than its last size can be halved.  What arrays need whose sizes a loop does not change is taken before it
(`loops.passes.motion`).
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import same_or, with_bodies, with_body


def give_rooms(function: t.Function, names: Names) -> t.Function:
    """Give each array that is made in a loop a room outside of all loops."""
    return with_body(function, _Rooms(names).outside(function.body))


class _Rooms(Struct):
    names: Names
    count: int = 0

    def outside(self, body: t.Body) -> t.Body:
        """Statements outside of all loops."""
        found: list[t.Statement] = []
        for s in body:
            if isinstance(s, t.For | t.While):
                inside, made = self.of(s)
                found.extend([*made, inside])
            else:
                found.append(with_bodies(s, self.outside))
        return same_or(body, found)

    def of(self, loop: t.For | t.While) -> tuple[t.Statement, list[t.Room]]:
        """A loop in which arrays have rooms, and these."""
        made: list[t.Room] = []

        def inside(body: t.Body) -> t.Body:
            found: list[t.Statement] = []
            for s in body:
                if isinstance(s, t.Parallel):  # what each chunk makes is its own
                    found.append(with_bodies(s, self.outside))
                else:
                    found.append(self.roomy(s, made) if isinstance(s, t.Allocate) else with_bodies(s, inside))
            return same_or(body, found)

        return with_bodies(loop, inside), made

    def roomy(self, s: t.Allocate, made: list[t.Room]) -> t.Allocate:
        room = self.names.beside(s.buffer, "room")
        made.append(t.Room(room, s.type, thresholds.ON_STACK if self.count < thresholds.ROOMS_ON_STACK else 0))
        self.count += 1
        return replace(s, room=room)
