"""An interpreter of loops: between a term and its C, it says which of the two stages went wrong.

If `evaluate` agrees with `core.evaluate`, wrong C is the back-end's mistake; otherwise it is lowering's.  Memory is
checked: reading or writing outside a buffer, and reading what was never written, are errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never, cast

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import FLOATS, first_extremum, single
from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.tape import Entries, Sweep, Whole, numbers_of
from fsmooth.core.types import F64, INT, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, zero_of

TAG = 0
"""Where the number of its constructor is in a frame, if its data type has several."""

Number = float | int | bool
"""A frame is known by the number of frames there were with it; there is none of number 0."""


class Failed(Exception):
    """A check failed: the number of its site, and the numbers it reports."""

    def __init__(self, site: int, numbers: tuple[int, ...]) -> None:
        super().__init__(site, numbers)
        self.site, self.numbers = site, numbers


class Pointer(Struct, frozen=True):
    """A place in memory; None stands for a scalar that was never written."""

    memory: list[Number | None]
    offset: int = 0

    def at(self, index: int) -> int:
        """The position of an index in the memory."""
        place = self.offset + index
        if not 0 <= place < len(self.memory):
            raise IndexError(f"{place} is outside memory of {len(self.memory)} scalars")
        return place


class Frame(Struct, frozen=True, eq=False):
    """What a constructor made."""

    layout: t.Layout
    values: tuple[Number | Pointer, ...]


class _Stop(Exception):
    """A loop is left early."""


def evaluate(
    function: t.Function,
    arguments: Mapping[str, Number | list[Number | None]],
    unwritten: float | None = None,
    definitions: Sequence[t.Function] = (),
) -> None:
    """Run a function; pointer arguments are lists, and those of outputs are changed.

    `unwritten` is what is in memory that was never written; None: it is a mistake to read that.  `definitions` are the
    functions that it calls.

    Raises:
        Failed: where the C would report an error.

    """
    memory = _Memory(unwritten, {f.name: f for f in definitions}, [], Entries(FLOATS))
    for name, value in arguments.items():
        if isinstance(value, list):
            memory.pointers[name] = Pointer(value)
        else:
            memory.names[name] = value
    memory.run(function.body)


class _Memory:
    def __init__(
        self,
        unwritten: float | None,
        definitions: Mapping[str, t.Function],
        frames: list[Frame],
        tape: Entries,
    ) -> None:
        self.tape = tape
        self.unwritten = unwritten
        self.frames = frames
        self.definitions = definitions
        self.names: dict[str, Number] = {}
        self.pointers: dict[str, Pointer] = {}
        self.sweep: Sweep | None = None

    # -- expressions -----------------------------------------------------------------------------------------------

    def of(self, e: t.Expression) -> Number:
        match e:
            case t.Literal(value):
                return value
            case t.Name(name):
                return self.names[name]
            case t.Load(buffer, index):
                pointer = self.pointers[buffer]
                found = pointer.memory[pointer.at(self.integer(index))]
                if found is None:
                    raise ValueError(f"{buffer} is read before it is written")
                return found
            case t.Conditional(condition, then, otherwise):
                return self.of(then if self.of(condition) else otherwise)
            case t.Operation(primitive, arguments):
                result = primitive.evaluate(*[self.of(a) for a in arguments])
                return single(float(result)) if e.type == Float(32) else result
            case t.Search(extremum, buffer, offset, count):
                start, n = self.integer(offset), self.integer(count)
                values = [self.of(t.Load(buffer, integer(start + k), e.leaf)) for k in range(n)]
                smallest = extremum in (t.Extremum.MIN, t.Extremum.ARGMIN)
                best = first_extremum(values, smallest)
                return values[best] if extremum in (t.Extremum.MIN, t.Extremum.MAX) else best
            case _:
                raise TypeError(f"{e!r} is no expression")

    def integer(self, e: t.Expression) -> int:
        return int(self.of(e))

    # -- statements ------------------------------------------------------------------------------------------------

    def run(self, body: Sequence[t.Statement]) -> None:
        for s in body:
            self.statement(s)

    def statement(self, s: t.Statement) -> None:
        match s:
            case t.Declare():
                if s.value is not None:
                    self.names[s.name] = self.of(s.value)
            case t.Assign():
                value = self.of(s.value)
                self.names[s.name] = self.names[s.name] + value if s.accumulate else value
            case t.Store():
                self.store(s.buffer, self.integer(s.index), self.of(s.value), s.accumulate)
            case t.For():
                self.loop(s)
            case t.While():
                self.run(s.test)
                while self.of(s.condition):
                    self.run(s.body)
                    self.run(s.test)
            case t.Block():
                for i in range(self.integer(s.size)):
                    self.names[s.index] = i
                    self.run(s.body)
                    for output in s.outputs:
                        start = self.integer(output.base) + output.width * i
                        for k, e in output.values.items():
                            self.store(output.buffer, start + k, self.of(e), False)
            case t.Parallel():
                for chunk in range(self.integer(s.count)):
                    self.names[s.chunk] = chunk
                    self.run(s.body)
            case t.Outlined():
                self.run(s.body)
            case t.If():
                self.run(s.then if self.of(s.condition) else s.otherwise)
            case t.Break():
                if self.of(s.condition):
                    raise _Stop
            case t.Check():
                index, size = self.integer(s.index), self.integer(s.size)
                if not 0 <= index < size:
                    raise Failed(s.site, (index, size))
            case t.Demand():
                if not self.of(s.condition):
                    raise Failed(s.site, tuple([self.integer(n) for n in s.numbers]))
            case t.CheckAll():
                for i in range(self.integer(s.size)):
                    self.names[s.index] = i
                    self.run([*s.body, s.check])
            case t.Fill():
                offset = self.integer(s.offset)
                for k in range(self.integer(s.count)):
                    self.store(s.buffer, offset + k, zero_of(s.type).value, False)
            case t.Copy():
                self.copy(s)
            case t.Multiply():
                self.multiply(s)
            case t.Allocate() | t.Keep():
                self.pointers[s.buffer] = Pointer([self.unwritten] * max(self.integer(s.count), 0))
            case t.LocalArray():
                self.pointers[s.buffer] = Pointer([self.unwritten] * s.count)
            case t.Choose():
                self.choose(s)
            case t.Swap():
                left, right = self.pointers[s.left], self.pointers[s.right]
                self.pointers[s.left], self.pointers[s.right] = right, left
            case t.Invoke():
                self.invoke(s)
            case t.Reserve():
                self.frames.append(Frame(s.layout, ()))
                self.names[s.name] = len(self.frames)
            case t.Pack():
                values = [self.place(v) if isinstance(v, t.Place) else self.of(v) for v in s.values]
                if s.reserved is None:
                    self.frames.append(Frame(s.layout, ()))
                number = len(self.frames) if s.reserved is None else int(self.names[s.reserved])
                self.frames[number - 1] = Frame(s.layout, tuple(values))
                self.names[s.name] = number
            case t.Unpack():
                self.unpack(s)
            case t.OpenTape():
                self.names[s.start] = self.tape.opened(self.integer(s.size))
            case t.Entry():
                self.names[s.name] = self.tape.entered([])
            case t.Operand():
                self.tape.operand(self.integer(t.Name(s.entry.name, INT)), self.integer(s.id), self.of(s.slope))
            case t.Sweep():
                start, root = self.integer(s.start), self.integer(s.root)
                count = self.integer(s.count)
                sweep = self.tape.sweep(count, start, root)
                assert sweep.next() is None
                for k, slope in enumerate(sweep.sums[start : start + count]):
                    assert isinstance(slope, float)
                    self.store(s.buffer, self.integer(s.offset) + k, slope, False)
            case t.SaveRegion():
                self.names[s.name] = self.save(s)
            case t.OpenSweep():
                self.sweep = self.tape.sweep(self.integer(s.count), self.integer(s.start), self.integer(s.root))
                self.pointers[s.bars] = Pointer(cast(list[Number | None], self.sweep.sums))
            case t.NextRegion():
                self.next_region(s)
            case t.CloseTape():
                self.tape.close(self.integer(t.Name(s.start, INT)))
            case t.KeepTape():
                self.names[s.name] = self.tape.retained()
            case t.OpenBars():
                self.pointers[s.buffer] = Pointer([0.0 for _ in self.tape.sums(self.integer(s.tape))])
            case t.SweepBars():
                bars: list[object] = list(self.pointers[s.bars].memory)
                for k, slope in enumerate(self.tape.pulled(self.integer(s.tape), self.integer(s.count), bars)):
                    assert isinstance(slope, float)
                    self.store(s.buffer, self.integer(s.offset) + k, slope, False)
            case t.Room():
                pass
            case _:
                assert_never(s)

    def save(self, s: t.SaveRegion) -> int:
        """The id of the first number of a region."""
        kept: dict[Type, list[Value]] = {
            INT: [self.integer(e) for e in s.integers],
            F64: [self.of(e) for e in s.reals],
        }
        for place, count in zip(s.arrays, s.counts, strict=True):
            pointer = self.place(place)
            kept[place.type] += [pointer.memory[pointer.at(k)] for k in range(self.integer(count))]
        saved = tuple([ArrayValue((len(x),), tuple(x)) for x in kept.values()])
        return self.tape.region(Whole(s.number, self.integer(s.size), (), saved))

    def next_region(self, s: t.NextRegion) -> None:
        """Back to the next region."""
        assert self.sweep is not None
        found = self.sweep.next()
        first, whole = (0, Whole(-1, 0, (), ((), ()))) if found is None else found
        self.names |= {s.number: whole.number, s.first: first, s.size: whole.size}
        for name, part in zip((s.integers, s.reals), whole.saved, strict=True):
            self.pointers[name] = Pointer(cast(list[Number | None], numbers_of(part)))

    def multiply(self, s: t.Multiply) -> None:
        """Products of numbers, added up in the order of the axis that is summed."""

        def place(m: t.Matrix, i: int, j: int) -> t.Expression:
            return integer(self.integer(m.offset) + i * self.integer(m.row) + j * self.integer(m.column))

        def number(m: t.Matrix, i: int, j: int) -> t.Expression:
            return t.Load(m.buffer, place(m, i, j), s.type)

        for i in range(self.integer(s.rows)):
            for j in range(self.integer(s.columns)):
                total: t.Expression = number(s.target, i, j) if s.adds else zero_of(s.type)
                for k in range(self.integer(s.summed)):
                    term = t.Operation(p.multiply, (number(s.left, i, k), number(s.right, k, j)), s.type)
                    total = t.Literal(float(self.of(t.Operation(p.add, (total, term), s.type))), s.type)
                self.store(s.target.buffer, self.integer(place(s.target, i, j)), self.of(total), False)

    def invoke(self, s: t.Invoke) -> None:
        """A call, in a memory of its own that shares what is handed over."""
        function = self.definitions[s.function]
        inner = _Memory(self.unwritten, self.definitions, self.frames, self.tape)
        inputs = [q.name for q in function.parameters if not q.output]
        outputs = [q.name for q in function.parameters if q.output]
        for name, argument in zip(inputs, s.arguments, strict=True):
            if isinstance(argument, t.Place):
                inner.pointers[name] = self.place(argument)
            else:
                inner.names[name] = self.of(argument)
        places: list[list[Number | None]] = [[None] for _ in outputs]
        for name, place, result in zip(outputs, places, s.results, strict=True):
            inner.pointers[name] = self.place(result) if isinstance(result, t.Place) else Pointer(place)
        inner.run(function.body)
        for result, (value,) in zip(s.results, places, strict=True):
            if not isinstance(result, t.Place):
                assert value is not None
                self.names[result] = value

    def unpack(self, s: t.Unpack) -> None:
        """A number of a frame, or where an array is."""
        number = self.integer(s.frame)
        if number == 0:
            raise ValueError(f"{s.name} is read of nothing")
        frame = self.frames[number - 1]
        if frame.layout != s.layout and s.slot != TAG:
            raise TypeError(f"{frame!r} is no frame of {s.layout!r}")
        found = frame.values[s.slot]
        if isinstance(found, Pointer):
            self.pointers[s.name] = found
        else:
            self.names[s.name] = found

    def place(self, part: t.Place) -> Pointer:
        """Where a part of a buffer is."""
        pointer = self.pointers[part.buffer]
        return Pointer(pointer.memory, pointer.offset + self.integer(part.offset))

    def store(self, buffer: str, index: int, value: Number, accumulate: bool) -> None:
        pointer = self.pointers[buffer]
        place = pointer.at(index)
        old = pointer.memory[place]
        if not accumulate:
            pointer.memory[place] = value
        elif old is None:
            raise ValueError(f"{buffer} is added to before it is written")
        else:
            pointer.memory[place] = old + value

    def loop(self, s: t.For) -> None:
        try:
            for i in range(self.integer(s.size)):
                self.names[s.index] = i
                self.run(s.body)
        except _Stop:
            return

    def copy(self, s: t.Copy) -> None:
        source, target = self.integer(s.source_offset), self.integer(s.target_offset)
        values = [self.of(t.Load(s.source, integer(source + k), s.type)) for k in range(self.integer(s.count))]
        for k, value in enumerate(values):
            self.store(s.target, target + k, value, False)

    def choose(self, s: t.Choose) -> None:
        buffer, offset = s.then, s.then_offset
        if s.steps is not None and s.otherwise is not None and s.otherwise_offset is not None:
            steps = self.integer(s.steps)
            if steps > 0 and (steps % 2 or s.when is t.Count.POSITIVE):
                buffer, offset = s.otherwise, s.otherwise_offset
        pointer = self.pointers[buffer]
        self.pointers[s.pointer] = Pointer(pointer.memory, pointer.offset + self.integer(offset))
