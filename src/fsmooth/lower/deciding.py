"""Which arrays decide, by their elements, where memory is read or written, or how much there is of it.

What others can write to while a call runs may be read twice with two values: once where it is checked, and again where
it is used; once by the function that gives the sizes of the results, and again by the kernel.  Stages before this one,
and the C compiler after it, take for granted that both are the same.  So who calls the kernel must not let others change
these arrays during a call, as NumPy asks it of indices; and what is kept beyond a call, to be used again without a check, has
memory of its own for them.  Those that say how much memory is taken have their own in every call from Python: between the
two functions anything may run.  Of all others nothing matters to memory but the pointer and the sizes.

An element decides by its value where it is part of an index, of a size, or of what integers are compared with; and, too,
by the way that it makes a program take (a branch, the end of a loop) where what was changed on that way is part of a
size or of what is checked.  The index of an extremum is in bounds whichever one it is, so it counts as such a way.

An integer that is an argument decides where a size, or what integers are compared with, is computed from it: what follows
from a comparison is proved about whole numbers, and holds as long as nothing in it has wrapped around.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.types import INT, Int
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import parts
from fsmooth.loops.usage import bodies_of, expressions_of, names_in, targets, walk

_COMPARISONS = (p.less, p.less_equal, p.greater, p.greater_equal, p.equal, p.not_equal)


def deciding(
    functions: list[t.Function], definitions: Sequence[t.Function] = ()
) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the parameters that decide, arrays by their elements, and integers; and of the arrays that decide how much
    memory is taken.

    `definitions` are the functions that these call, and that call one another.
    """
    found: set[str] = set()
    sizing: set[str] = set()
    called = _summaries(definitions)
    for function in functions:
        flow = _Flow(function, called)
        flow.statements(function.body, frozenset())
        arrays = flow.sources(flow.indices | flow.compared, flow.values)
        arrays |= flow.sources(flow.sizes, flow.values, flow.ways)
        numbers = flow.sources(flow.computed, flow.values)
        taken = flow.sources(flow.taken, flow.values, flow.ways)
        for q in function.parameters:
            if q.pointer and q.name in taken:
                sizing.add(q.name)
            if q.name in (arrays if q.pointer else numbers) and (q.pointer or q.type == INT):
                found.add(q.name)
    return frozenset(found), frozenset(sizing)


class _Summary(Struct, frozen=True):
    """Which parameters of a function, by position, get into indices, sizes, comparisons, and computed sizes in it."""

    indices: frozenset[int] = frozenset()
    sizes: frozenset[int] = frozenset()
    compared: frozenset[int] = frozenset()
    computed: frozenset[int] = frozenset()


def _summaries(definitions: Sequence[t.Function]) -> dict[str, _Summary]:
    """The least fixpoint over functions that call one another."""
    found = {f.name: _Summary() for f in definitions}
    while True:
        new = {f.name: _summary(f, found) for f in definitions}
        if new == found:
            return found
        found = new


def _summary(function: t.Function, called: Mapping[str, _Summary]) -> _Summary:
    flow = _Flow(function, called)
    flow.statements(function.body, frozenset())
    places = {q.name: k for k, q in enumerate(function.parameters)}

    def reached(names: set[str], *flows: dict[str, set[str]]) -> frozenset[int]:
        return frozenset([places[name] for name in flow.sources(names, *flows) if name in places])

    return _Summary(
        reached(flow.indices, flow.values),
        reached(flow.sizes, flow.values, flow.ways),
        reached(flow.compared, flow.values),
        reached(flow.computed, flow.values),
    )


class _Flow:
    """What each name and buffer depends on: by its value, and by the way to where it is set."""

    def __init__(self, function: t.Function, called: Mapping[str, _Summary]) -> None:
        self.called = called
        self.parameters = {q.name for q in function.parameters}
        self.values: dict[str, set[str]] = defaultdict(set)
        self.ways: dict[str, set[str]] = defaultdict(set)
        self.indices: set[str] = set()
        self.sizes: set[str] = set()
        self.compared: set[str] = set()
        self.computed: set[str] = set()
        self.taken: set[str] = set()

    def sources(self, names: set[str], *flows: dict[str, set[str]]) -> set[str]:
        """All that the names depend on, with themselves."""
        found, pending = set(names), list(names)
        while pending:
            name = pending.pop()
            for flow in flows:
                new = flow[name] - found
                found |= new
                pending.extend(new)
        return found

    def statements(self, body: Sequence[t.Statement], way: frozenset[str]) -> None:
        """Statements that run if what is named in `way` says so."""
        for s in body:
            self.statement(s, way)
            inner = way | _directing(s)
            for part in bodies_of(s):
                self.statements(part, inner)

    def statement(self, s: t.Statement, way: frozenset[str]) -> None:
        """One statement, without those inside it."""
        for e in expressions_of(s):
            self.expression(e)
        self.indices |= _names(_indices_of(s))
        sizes = list(_sizes_of(s))
        self.sizes |= _names(sizes)
        self.taken |= _names(_taken_by(s))
        if not isinstance(s, t.Check):
            self.computed |= _names(filter(self.is_computed, sizes))
        for name in targets(s):
            self.ways[name] |= way
        match s:
            case t.Declare(name, _, value) if value is not None:
                self.set(name, value)
            case t.Assign(name, value):
                self.set(name, value)
            case t.Store(buffer, index, value):
                self.set(buffer, value)
                self.values[buffer] |= _names((index,))
            case t.Copy():
                self.values[s.target].add(s.source)
            case t.Multiply():
                self.values[s.target.buffer] |= {s.left.buffer, s.right.buffer}
            case t.Choose():
                behind = {s.then} if s.otherwise is None else {s.then, s.otherwise}
                self.values[s.pointer] |= behind
                for buffer in behind:
                    self.values[buffer].add(s.pointer)
            case t.Swap(left, right):
                self.values[left].add(right)
                self.values[right].add(left)
            case t.Invoke():
                self.invoke(s)
            case t.For(index, size) | t.Parallel(index, size):
                self.values[index] |= _names((size,))
            case t.Block():
                self.block(s)
            case _:
                pass

    def invoke(self, s: t.Invoke) -> None:
        """What the function does with what it is given; its results may depend on all of it."""
        given = _names(expressions_of(s))
        for name in s.changes:
            self.values[name] |= given
        summary = self.called[s.function]
        for k, argument in enumerate(s.arguments):
            names = _names((argument,)) if not isinstance(argument, t.Place) else {argument.buffer}
            self.indices |= names if k in summary.indices else set()
            self.sizes |= names if k in summary.sizes else set()
            self.compared |= names if k in summary.compared else set()
            self.taken |= names if k in summary.sizes else set()
            is_new = isinstance(argument, t.Place) or self.is_computed(argument)
            self.computed |= names if k in summary.computed or (is_new and k in summary.sizes) else set()
        for place in (*s.arguments, *s.results):
            if isinstance(place, t.Place):
                self.indices |= _names((place.offset,))

    def is_computed(self, e: t.Expression) -> bool:
        """Is it another number than a parameter as it is?"""
        return not (isinstance(e, t.Name) and e.name in self.parameters)

    def block(self, s: t.Block) -> None:
        """What the iterations of a block write, and the rows that they read."""
        for output in s.outputs:
            for value in (*output.values.values(), *output.vector_values.values()):
                self.set(output.buffer, value)
        for rows in s.rows:
            self.values[rows.tile] |= {rows.buffer, *_names((rows.start,))}

    def set(self, name: str, value: t.Expression) -> None:
        """`name` may be `value`; which of several numbers it is depends on the way."""
        match value:
            case t.Conditional(condition, then, otherwise):
                self.ways[name] |= _names((condition,))
                self.set(name, then)
                self.set(name, otherwise)
            case t.Search(t.Extremum.ARGMAX | t.Extremum.ARGMIN):
                self.ways[name].add(value.buffer)
                self.values[name] |= _names((value.offset, value.count))
            case _:
                self.values[name] |= _names((value,))

    def expression(self, e: t.Expression) -> None:
        """The indices in an expression, and what it compares."""
        match e:
            case t.Load(_, index):
                self.indices |= _names((index,))
            case t.Search():
                self.sizes |= _names((e.offset, e.count))
            case t.Operation(primitive, (left, right)) if primitive in _COMPARISONS and isinstance(left.type, Int):
                if not isinstance(left, t.Literal) and not isinstance(right, t.Literal):
                    self.compared |= _names((left, right))
                self.computed |= _names(filter(self.is_computed, (left, right)))
            case _:
                pass
        for part in parts(e):
            self.expression(part)


def _directing(s: t.Statement) -> set[str]:
    """What says whether, and how often, the statements in a statement run."""
    match s:
        case t.For() | t.Block() | t.CheckAll():
            found = _names((s.size,))
        case t.Parallel():
            found = _names((s.count,))
        case t.If() | t.While():
            found = _names((s.condition,))
        case _:
            return set()
    if isinstance(s, t.For | t.While):
        for body in bodies_of(s):
            found |= _names([x.condition for x in walk(body) if isinstance(x, t.Break)])
    return found


def _indices_of(s: t.Statement) -> Iterator[t.Expression]:
    """Where a statement itself reads or writes."""
    match s:
        case t.Store():
            yield s.index
        case t.Block():
            for output in s.outputs:
                yield output.base
            for rows in s.rows:
                yield rows.start
        case t.Fill():
            yield s.offset
        case t.Copy():
            yield s.target_offset
            yield s.source_offset
        case t.Multiply():
            for matrix in (s.target, s.left, s.right):
                yield from (matrix.offset, matrix.row, matrix.column)
        case t.Choose():
            yield s.then_offset
            if s.otherwise_offset is not None:
                yield s.otherwise_offset
        case _:
            return


def _sizes_of(s: t.Statement) -> Iterator[t.Expression]:
    """How much a statement reads, writes, takes or repeats, and what it checks."""
    match s:
        case t.For() | t.Block() | t.CheckAll():
            yield s.size
        case t.Fill() | t.Copy() | t.Allocate() | t.Parallel():
            yield s.count
        case t.Multiply():
            yield from (s.rows, s.columns, s.summed)
        case t.Choose() if s.steps is not None:
            yield s.steps
        case t.Check():
            yield s.index
            yield s.size
        case t.Store("shape", _, value):
            yield value
        case t.Demand():
            yield from _compared(s.condition)
        case _:
            return


def _taken_by(s: t.Statement) -> Iterator[t.Expression]:
    """How much memory a statement takes, or says that there must be for the results."""
    match s:
        case t.Allocate() | t.Keep() | t.Entry():
            yield s.count
        case t.OpenTape() | t.SaveRegion():
            yield s.size
        case t.Room() if s.bound is not None:
            yield s.bound
        case t.Store("shape", _, value):
            yield value
        case _:
            return


def _compared(e: t.Expression) -> Iterator[t.Expression]:
    """The integers in a condition."""
    if isinstance(e, t.Operation) and e.primitive in _COMPARISONS and isinstance(e.arguments[0].type, Int):
        yield from e.arguments
    for part in parts(e):
        yield from _compared(part)


def _names(expressions: Iterable[t.Expression]) -> set[str]:
    found: set[str] = set()
    for e in expressions:
        names_in(e, found)
    return found
