"""How much memory a function takes besides its results, as a function of its parameters (decision 40).

What it takes one after the other is added up, of branches the larger counts, and what a product of matrices gives back is there
once.  Arrays in loops whose sizes differ from one iteration to the next have one place, as long as any of them can be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.types import INT, Bool, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.bounds import Bounds
from fsmooth.loops.intervals import either, exactly, interval
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import bodies_of, names_of, walk


class Reason(Enum):
    """Why nobody can say how much memory a function takes."""

    SIZE = "its size is known only when it runs"
    CALLS = "a function calls itself"
    TAPE = "a tape grows"
    THREADS = "loops run on threads"
    SHAPE = "the sizes of its results take memory to find"


class Unbounded(Exception):
    """There is memory, that of an `array` if it is one, of which nobody can say how much it is; `loop` is around it."""

    def __init__(self, reason: Reason, array: str = "", loop: t.For | t.While | None = None) -> None:
        super().__init__(reason.value)
        self.reason, self.array, self.loop = reason, array, loop


class Take(Struct, eq=False):
    """So many scalars of so many bytes, from a place that a vector may begin at; at most so many, in a room."""

    count: t.Expression
    bytes: int


class Packed(Struct, frozen=True, eq=False):
    """What a product of matrices of at most these sizes copies parts of them to."""

    rows: t.Expression
    columns: t.Expression
    summed: t.Expression
    type: Float

    def by(self, change: Callable[[t.Expression], t.Expression]) -> Packed:
        """One of other sizes."""
        return Packed(change(self.rows), change(self.columns), change(self.summed), self.type)


class Needs(Struct, frozen=True, eq=False):
    """What is taken, one after the other, of branches one or the other; and products, which give back what they took."""

    taken: tuple[Take | tuple[Needs, Needs], ...]
    packed: tuple[Packed, ...]

    @property
    def is_nothing(self) -> bool:
        """Does it take no memory, whatever its parameters are?"""
        return not self.taken and not self.packed

    def renamed(self, names: Mapping[str, str]) -> Needs:
        """The same by other names of parameters."""
        return Needs(
            tuple(
                [
                    Take(_renamed(x.count, names), x.bytes)
                    if isinstance(x, Take)
                    else (x[0].renamed(names), x[1].renamed(names))
                    for x in self.taken
                ]
            ),
            tuple([x.by(lambda e: _renamed(e, names)) for x in self.packed]),
        )


def needs_of(function: t.Function) -> tuple[t.Function, Needs]:
    """What a function takes, and the function with rooms that are as large from the beginning as they have to be.

    Raises:
        Unbounded: if nobody can say that.

    """
    finding = _Finding(function.body, Bounds(function), {}, [])
    needs = finding.needs(function.body)
    bounds = {name: take.count for name, take in finding.rooms.items()}

    def bounded(body: t.Body) -> t.Body:
        return same_or(
            body,
            [replace(s, bound=bounds[s.name]) if isinstance(s, t.Room) else with_bodies(s, bounded) for s in body],
        )

    return with_body(function, bounded(function.body)), needs


_CALLS = t.Invoke | t.Keep | t.Reserve | t.Pack | t.Unpack
_TAPES = (
    t.OpenTape
    | t.Entry
    | t.Operand
    | t.Sweep
    | t.SaveRegion
    | t.OpenSweep
    | t.NextRegion
    | t.CloseTape
    | t.KeepTape
    | t.OpenBars
    | t.SweepBars
)


class _Finding(Struct):
    """Of the function with this `whole` body: its rooms, and the loops around what is looked at."""

    whole: t.Body
    bounds: Bounds
    rooms: dict[str, Take]
    around: list[t.For | t.While]

    def needs(self, body: t.Body) -> Needs:
        taken: list[Take | tuple[Needs, Needs]] = []
        packed: list[Packed] = []
        for s in body:
            match s:
                case t.Room():
                    self.rooms[s.name] = Take(ZERO, bytes_of(s.type))
                    taken.append(self.rooms[s.name])
                case t.Allocate():
                    count = self.at_most(s.count, s.buffer)
                    if s.room is None:
                        taken.append(Take(count, bytes_of(s.type)))
                    else:
                        room = self.rooms[s.room]
                        upper = either(exactly(room.count), exactly(count)).upper
                        assert upper is not None
                        room.count = upper
                case t.Multiply():
                    product = Packed(s.rows, s.columns, s.summed, s.type)
                    packed.append(product.by(lambda e: self.at_most(e, "")))
                case t.If():
                    parts = self.needs(s.then), self.needs(s.otherwise)
                    if parts[0].taken or parts[1].taken:
                        taken.append(parts)
                    packed += [*parts[0].packed, *parts[1].packed]
                case t.Parallel():
                    raise Unbounded(Reason.THREADS)
                case _ if isinstance(s, _CALLS):
                    raise Unbounded(Reason.CALLS)
                case _ if isinstance(s, _TAPES):
                    raise Unbounded(Reason.TAPE)
                case _:
                    for inner in self.inside(s):
                        taken += inner.taken
                        packed += inner.packed
        return Needs(tuple(taken), tuple(packed))

    def inside(self, s: t.Statement) -> list[Needs]:
        """Of the statements in a statement that is no branch."""
        if not isinstance(s, t.For | t.While):
            return [self.needs(inner) for inner in bodies_of(s)]
        self.around.append(s)
        found = [self.needs(inner) for inner in bodies_of(s)]
        self.around.pop()
        return found

    def at_most(self, e: t.Expression, array: str) -> t.Expression:
        found = interval(e, self.bounds).upper
        if found is None:
            raise Unbounded(Reason.SIZE, array, self.deciding(names_of(e)) or (self.around[0] if self.around else None))
        return found

    def deciding(self, names: set[str]) -> t.For | t.While | None:
        """The first loop that sets one of the numbers, or one that these are computed from."""
        values = {s.name: s.value for s in walk(self.whole) if isinstance(s, t.Declare) and s.value is not None}
        reached: set[str] = set()
        while names - reached:
            reached |= names
            names = names.union(*[names_of(values[x]) for x in names if x in values])
        for s in walk(self.whole):
            if isinstance(s, t.For | t.While):
                if any([isinstance(x, t.Assign) and x.name in reached for x in walk((s,))]):
                    return s
        return None


def _renamed(e: t.Expression, names: Mapping[str, str]) -> t.Expression:
    for old, new in reversed(list(names.items())):
        e = replaced(e, old, t.Name(new, INT))
    return e


def bytes_of(type_: Type) -> int:
    """Of one scalar in memory."""
    return 1 if isinstance(type_, Bool) else type_.width // 8 if isinstance(type_, Float) else 8
