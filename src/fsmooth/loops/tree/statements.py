"""Statements of loops.  Immutable: passes make others (loops/rewriting.py)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from fsmooth.core.term import NOWHERE, Site
from fsmooth.core.types import Float, Type
from fsmooth.loops.tree.expressions import Expression, Extremum
from fsmooth.loops.tree.places import Place
from fsmooth.loops.tree.tape import (
    CloseTape,
    Entry,
    KeepTape,
    NextRegion,
    OpenBars,
    OpenSweep,
    OpenTape,
    Operand,
    SaveRegion,
    Sweep,
    SweepBars,
)


class Declare(Struct, frozen=True, eq=False):
    """`const T name = value;`, or a mutable local, initialised or not."""

    name: str
    type: Type
    value: Expression | None
    mutable: bool = False


class Assign(Struct, frozen=True, eq=False):
    """`name = value;`, or `name += value;` if `accumulate`."""

    name: str
    value: Expression
    accumulate: bool = False


class Store(Struct, frozen=True, eq=False):
    """`buffer[index] = value;`, or `+=` if `accumulate`."""

    buffer: str
    index: Expression
    value: Expression
    accumulate: bool = False


class Kind(Enum):
    """What is known of the iterations of a loop."""

    SEQUENTIAL = "sequential"
    PARALLEL = "parallel"
    REDUCTION = "reduction"
    SEARCH = "search"


class Vectors(Enum):
    """Who makes vectors of the iterations of a loop: the C compiler if it can (told by `simd` that it may); we, since the
    body only adds, subtracts, multiplies and divides numbers that lie side by side.  WHOLE is WRITTEN, where the last vector may
    be whole: the memory is there, and of what is computed too much only sums care.  STRIP is IMPLIED, of the points of a strip,
    which are few and in the fastest cache.
    """

    IMPLIED = "implied"
    WRITTEN = "written"
    WHOLE = "whole"
    STRIP = "strip"


class For(Struct, frozen=True, eq=False):
    """`for (index = 0; index < size; ++index) body`.  `reduced` names the local sums of a REDUCTION, `extrema`
    its largest and smallest values so far, `own` arrays of which nothing lives from one iteration to the next.
    """

    index: str
    size: Expression
    body: Body
    kind: Kind
    site: Site = NOWHERE
    reduced: tuple[str, ...] = ()
    extrema: tuple[tuple[str, Extremum], ...] = ()
    simd: bool = False
    vectors: Vectors = Vectors.IMPLIED
    own: tuple[str, ...] = ()


class While(Struct, frozen=True, eq=False):
    """`test; while (condition) { body; test; }`: `test` computes what `condition` reads, before each iteration."""

    test: Body
    condition: Expression
    body: Body
    site: Site = NOWHERE


class Block(Struct, frozen=True, eq=False):
    """A PARALLEL loop run `lanes` iterations at a time (design: blocks of points with transposed stores).

    The body is straight-line; its stores are exactly to the `width` scalars from `base + width * index` on of
    `buffer`.  `outputs` holds what goes where within these, and `body` everything before.  `start` and `lane` name
    the first iteration of a block and the place in it.  `rows` are read into tiles first; `vector_body`, and the
    `vector_values` of the outputs, then read these tiles (if there are any; otherwise both are empty).
    """

    index: str
    size: Expression
    body: Body
    outputs: tuple[BlockOutput, ...]
    lanes: int
    start: str
    lane: str
    site: Site = NOWHERE
    rows: tuple[BlockRows, ...] = ()
    vector_body: Body = ()


class BlockOutput(Struct, frozen=True, eq=False):
    """What each iteration of a `Block` writes side by side: `buffer[base + width * index + k] = values[k]`."""

    buffer: str
    base: Expression
    width: int
    values: Mapping[int, Expression]
    type: Type
    tile: str
    vector_values: Mapping[int, Expression] = field(default_factory=dict)


class BlockRows(Struct, frozen=True, eq=False):
    """Scalars that each iteration of a `Block` reads at `buffer[start … start + width - 1]`; `body` defines `start`."""

    buffer: str
    type: Float
    body: Body
    start: Expression
    width: int
    places: str
    tile: str


class Parallel(Struct, frozen=True, eq=False):
    """`body` for each `chunk` of `count`, on any thread: none stores to what another one touches.  There are as many chunks as
    the sizes say, whatever number of `threads` there is (0: as many as the machine has processors for).
    """

    chunk: str
    count: Expression
    body: Body
    threads: int = 0
    site: Site = NOWHERE


class Outlined(Struct, frozen=True, eq=False):
    """The statements of `body` in a function of their own: of the numbers outside it, it changes those that it `sets`, whose
    values it is handed, and `gives` values to others, which are declared before.
    """

    body: Body
    sets: tuple[str, ...]
    gives: tuple[str, ...]

    @property
    def changes(self) -> tuple[str, ...]:
        """All these numbers."""
        return (*self.sets, *self.gives)


class If(Struct, frozen=True, eq=False):
    """`if (condition) then else otherwise`.  `then` is not worth much of the C compiler's time if it is `rare`."""

    condition: Expression
    then: Body
    otherwise: Body = ()
    rare: bool = False


class Break(Struct, frozen=True, eq=False):
    """`if (condition) break;`"""

    condition: Expression


class Check(Struct, frozen=True, eq=False):
    """Fail with `site` unless 0 <= index < size."""

    index: Expression
    size: Expression
    site: int


class Demand(Struct, frozen=True, eq=False):
    """Fail with `site` and `numbers` unless the condition holds."""

    condition: Expression
    site: int
    numbers: tuple[Expression, ...] = ()


class CheckAll(Struct, frozen=True, eq=False):
    """The `body` (declarations and one check) for every index, done before a loop that relies on it.

    If the check is affine in the index, `ends` is true and only the first and last iterations are tested, the others
    only to find the first that fails.  Otherwise all are, in a loop that vectorises.
    """

    index: str
    size: Expression
    body: Body
    check: Check | Demand
    ends: bool


class Fill(Struct, frozen=True, eq=False):
    """Zero `count` scalars from `offset` on."""

    buffer: str
    offset: Expression
    count: Expression
    type: Type


class Copy(Struct, frozen=True, eq=False):
    """Copy `count` scalars between buffers that do not overlap."""

    target: str
    target_offset: Expression
    source: str
    source_offset: Expression
    count: Expression
    type: Type


class Matrix(Struct, frozen=True, eq=False):
    """Numbers of a buffer by two indices: `buffer[offset + i * row + j * column]`."""

    buffer: str
    offset: Expression
    row: Expression
    column: Expression


class Multiply(Struct, frozen=True, eq=False):
    """`target[i, j] = Σ left[i, k] * right[k, j]`, or `+=` if it `adds`; the target overlaps neither.

    Elements of the target may be at one place if it `adds`: they are added one after the other.
    With `blas` a BLAS is asked first.
    """

    target: Matrix
    left: Matrix
    right: Matrix
    rows: Expression
    columns: Expression
    summed: Expression
    type: Float
    adds: bool
    blas: bool = False


class Room(Struct, frozen=True, eq=False):
    """Memory for an array made in a loop, outside all loops: `count` scalars of the stack, more of the arena if it is longer; or
    `bound` scalars of the arena, than which no array is longer.
    """

    name: str
    type: Type
    count: int
    bound: Expression | None = None


class Allocate(Struct, frozen=True, eq=False):
    """`count` scalars: taken from the arena, or in a loop the first ones of a room, which grows if it has fewer."""

    buffer: str
    type: Type
    count: Expression
    room: str | None = None


class LocalArray(Struct, frozen=True, eq=False):
    """A C array on the stack; no number in it is larger than `largest`, if that is known."""

    buffer: str
    type: Type
    count: int
    largest: int | None = None


class Count(Enum):
    """What is asked of a number of steps: is it odd and positive, or only positive?"""

    ODD = "odd"
    POSITIVE = "positive"


class Choose(Struct, frozen=True, eq=False):
    """`T *pointer = then + then_offset;`, or with `steps` the buffer `otherwise` if these are `when`.

    `exchanged` pointers take part in a `Swap`, or point to what others point to, so they are not `restrict`.  What the
    pointer points to is not what `beside` points to, though both may be made from the same buffer.
    """

    pointer: str
    type: Type
    then: str
    then_offset: Expression
    steps: Expression | None
    otherwise: str | None
    otherwise_offset: Expression | None
    exchanged: bool = False
    when: Count = Count.ODD
    beside: str | None = None


class Swap(Struct, frozen=True, eq=False):
    """Exchange two pointers."""

    left: str
    right: str
    type: Type


class Invoke(Struct, frozen=True, eq=False):
    """A call of another function of the program, which puts its `results` into locals and buffers, or fails.

    `added` says which of them it adds to what is there; `frames` are those that are frames.
    """

    function: str
    arguments: tuple[Expression | Place, ...]
    results: tuple[str | Place, ...]
    added: tuple[bool, ...]
    frames: tuple[str | Place, ...] = ()

    @property
    def changes(self) -> set[str]:
        """The locals and buffers of the results."""
        return {r.buffer if isinstance(r, Place) else r for r in self.results}


class Slot(Struct, frozen=True):
    """A number in a frame, or with `pointer` where an array is."""

    type: Type
    pointer: bool = False


class Layout(Struct, frozen=True):
    """What is side by side in the frames that one constructor of a data type makes; `name` and `number` are for people."""

    data: Type
    number: int
    slots: tuple[Slot, ...]


class Keep(Struct, frozen=True, eq=False):
    """`count` scalars beside the frames, one of which will point to them."""

    buffer: str
    type: Type
    count: Expression


class Reserve(Struct, frozen=True, eq=False):
    """Memory, `name`, for a frame that is made later."""

    name: str
    layout: Layout


class Pack(Struct, frozen=True, eq=False):
    """A new frame, `name`, with `values` in its slots, which is there until the call that makes it has returned.

    It is where memory was reserved, unless `reserved` is None.
    """

    name: str
    layout: Layout
    values: tuple[Expression | Place, ...]
    reserved: str | None = None


class Unpack(Struct, frozen=True, eq=False):
    """`const T name = frame->slot;`, or a pointer."""

    name: str
    layout: Layout
    slot: int
    frame: Expression

    @property
    def type(self) -> Type:
        """Of the number, or of the numbers that are there."""
        return self.layout.slots[self.slot].type

    @property
    def pointer(self) -> bool:
        """Is it where an array is?"""
        return self.layout.slots[self.slot].pointer


Statement = (
    Declare
    | Assign
    | Store
    | For
    | While
    | Block
    | Parallel
    | Outlined
    | If
    | Break
    | Check
    | Demand
    | CheckAll
    | Fill
    | Copy
    | Multiply
    | Room
    | Allocate
    | LocalArray
    | Choose
    | Swap
    | Invoke
    | Keep
    | Pack
    | Reserve
    | Unpack
    | OpenTape
    | Entry
    | Operand
    | Sweep
    | SaveRegion
    | OpenSweep
    | NextRegion
    | CloseTape
    | KeepTape
    | OpenBars
    | SweepBars
)

Body = tuple[Statement, ...]
"""What is done one after the other."""
