"""One loop over columns as one over strips of them: what an iteration does as loops over the columns of a strip and over rows.

What a column names and uses in several of these loops becomes a row of the strip, and what it keeps in an array one array for
each column.  Of a condition that differs from column to column both branches are computed, and one chosen: what they read is
read whatever holds, and what they store to memory that is not their own is stored under the condition.  What several columns
add to one place is added up over the strip first, what they add to places that may be the same in the order of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import reduce
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT, Type
from fsmooth.loops import tree as t
from fsmooth.loops.affine import row_of, rows_of
from fsmooth.loops.arithmetic import inside, integer, parts, plus, same, times, zero_of
from fsmooth.loops.names import Names
from fsmooth.loops.passes.own_elements import OwnElements
from fsmooth.loops.passes.strips.widths import independent_strips, with_whole_strips
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.passes.vectors import is_arithmetic
from fsmooth.loops.usage import (
    bodies_of,
    declared,
    expressions_of,
    loads_of,
    names_of,
    own_names,
    targets,
    walk,
)
from fsmooth.loops.vector_math import SCALAR_ONLY, VECTOR_MATH


class NoColumns(Exception):
    """The loop does something that cannot be done for several columns at a time."""


class Cutting(Struct, frozen=True):
    """How a loop is cut into strips: of so many columns, if there are `fewest` at least and no array that is allocated for a
    column has more than `most` elements.
    """

    width: int
    fewest: int
    most: float = inf
    has_whole: bool = False
    """Have whole strips a body of their own?"""

    def is_much(self, count: t.Expression) -> t.Expression | None:
        """Are so many elements too many for an array of a column?  None: they are not."""
        if self.most == inf or (isinstance(count, t.Literal) and int(count.value) <= self.most):
            return None
        return t.Operation(p.less, (integer(int(self.most)), count), BOOL)

    def room(self, count: t.Expression) -> t.Expression:
        """How many elements an array of a column gets, for all columns of a strip, or for one if that is too much."""
        width = integer(self.width)
        if self.is_much(count) is None:
            return times(count, width)
        at_most = t.Operation(p.minimum, (count, integer(int(self.most))), INT)
        return t.Operation(p.maximum, (count, times(at_most, width)), INT)


class _Run(Struct, frozen=True, eq=False):
    """Statements of a column without loops: a loop over the columns of a strip, `in_turn` one after the other."""

    body: list[t.Statement] = field(default_factory=list)
    in_turn: bool = False


class _Rows(Struct, frozen=True, eq=False):
    """A loop over rows."""

    loop: t.For
    body: list[_Part]


class _Choice(Struct, frozen=True, eq=False):
    """A condition that is the same in all columns."""

    condition: t.Expression
    then: list[_Part]
    otherwise: list[_Part]


class _Once(Struct, frozen=True, eq=False):
    """A number that is the same in all columns, zeros for all of them, or room for an array of each."""

    statement: t.Declare | t.Fill | t.LocalArray


class _Sum(Struct, frozen=True, eq=False):
    """What columns add to one place, perhaps only some of them."""

    place: t.Store
    is_of_all: bool


_Part = _Run | _Rows | _Choice | _Once
_Path = tuple[tuple[t.If, bool], ...]
"""Conditions around a statement, and whether it is in their first branch."""


class Columns:
    """One loop; `own` are the arrays of an iteration, `zeros` set matrices to zero of which each has a column."""

    def __init__(self, loop: t.For, own: set[str], zeros: Sequence[t.Fill], names: Names, cutting: Cutting) -> None:
        self.loop, self.own, self.zeros, self.names, self.cutting = loop, own, zeros, names, cutting
        self.varying = {loop.index} | {name for s in walk(loop.body) for name in targets(s)}
        """Names of what differs from column to column, or changes."""
        self.always = list(_read_always(loop.body, ()))
        self.new = {fill.buffer for fill in zeros if self.is_added_once(fill)}
        """Matrices of which each element is what is added to its zero."""
        self.around: list[t.For] = []
        """The loops over rows around a statement."""
        self.types: dict[str, Type] = {}
        self.assigned_to = {s.name for s in walk(loop.body) if isinstance(s, t.Assign)}
        self.cheap: dict[str, t.Expression] = {}
        """Conditions of numbers that are never assigned to, by their names."""
        self.conditions: dict[str, int] = {}
        """How many conditions each number is declared under, and each array is used under."""
        self.rows: dict[str, str] = {}
        self.again: dict[str, t.Expression] = {}
        """Those of them that several loops compute, since a row of them would mix bytes with numbers."""
        self.elements = OwnElements(loop)
        self.sums: dict[str, _Sum] = {}
        """What the columns of a strip add to one place, by the name of the sum."""
        self.lane = t.Name(names.fresh(f"{loop.index}_lane"), INT)
        self.start = t.Name(names.fresh(f"{loop.index}_start"), INT)
        self.count = t.Name(names.fresh(f"{loop.index}_count"), INT)

    def whole(self, counts: Sequence[t.Expression]) -> Sequence[t.Statement]:
        """The loop over strips, and the memory that it needs; for few columns, and where arrays of a column, which have `counts`
        elements, have too many, the loop as it was.
        """
        loop = self.loop
        self.conditions = {name: len(when) for name, when in _common(loop.body, self.own, self.is_uniform).items()}
        found = self.parts(loop.body, ())
        several = self.in_several(found)
        self.again = {name: value for name in several if (value := self.cheap.get(name)) is not None}
        if len(several) - len(self.again) > thresholds.NUMBERS_IN_STRIP:
            raise NoColumns
        self.rows = {name: self.names.beside(name, "row") for name in several if name not in self.again}
        body = (*[self.zero(fill) for fill in self.zeros if fill.buffer not in self.new], *self.made(found))
        strips = independent_strips(loop.size, self.start.name, self.count.name, body, self.names, self.cutting.width)
        strips = with_whole_strips(strips, self.cutting.width) if self.cutting.has_whole else strips
        own = tuple(dict.fromkeys([*loop.own, *sorted(self.own), *self.rows.values()]))
        cut = replace(strips, kind=loop.kind, site=loop.site, reduced=loop.reduced, own=own)
        memory = [t.LocalArray(row, self.types[name], self.cutting.width) for name, row in self.rows.items()]
        few = (
            []
            if isinstance(loop.size, t.Literal)
            else [t.Operation(p.less, (loop.size, integer(self.cutting.fewest)), BOOL)]
        )
        lengths = [count for k, count in enumerate(counts) if not any([same(count, other) for other in counts[:k]])]
        much = [much for count in lengths if (much := self.cutting.is_much(count)) is not None]
        if not few and not much:
            return (*memory, cut)
        return (*memory, t.If(reduce(_either, [*few, *much]), (*self.zeros, loop), (cut,), rare=True))

    def zero(self, fill: t.Fill) -> t.Statement:
        """The columns of a strip set to zero."""
        row = t.Name(self.names.fresh("row"), INT)
        at = plus(times(row, self.loop.size), plus(self.start, self.lane))
        each = t.Store(fill.buffer, at, zero_of(fill.type))
        columns = t.For(self.lane.name, self.count, (each,), t.Kind.PARALLEL)
        rows = rows_of(fill.count, self.loop.size)
        assert rows is not None
        return t.For(row.name, rows, (columns,), t.Kind.PARALLEL)

    def is_added_once(self, fill: t.Fill) -> bool:
        """Is something added exactly once to each zero, whatever conditions hold, and are the zeros not used otherwise?"""
        first, *others = [s for s in walk(self.loop.body) if fill.buffer in own_names(s)]
        if others or not isinstance(first, t.Store) or not first.accumulate or fill.buffer in names_of(first.value):
            return False
        rows, row = rows_of(fill.count, self.loop.size), row_of(first.index, self.loop.index, self.loop.size)
        assert rows is not None
        assert row is not None
        loops = [s for s in self.loop.body if isinstance(s, t.For) and any([x is first for x in s.body])]
        return any([same(s.size, rows) and same(row, t.Name(s.index, INT)) for s in loops])

    def parts(self, body: t.Body, when: tuple[t.Expression, ...]) -> list[_Part]:
        """Statements of a column, if these conditions hold, as loops over columns and rows."""
        found: list[_Part] = []

        def run() -> list[t.Statement]:
            last = found[-1] if found else None
            if not isinstance(last, _Run) or last.in_turn:
                last = _Run()
                found.append(last)
            return last.body

        for s in body:
            if any([isinstance(e, t.Search) for e in inside(*expressions_of(s))]):
                raise NoColumns
            match s:
                case t.Declare():
                    if s.mutable or s.value is None or not names_of(s.value).isdisjoint(self.varying):
                        run().append(self.declared(s, when))
                    else:
                        self.read_by_all(s, when)
                        found.append(_Once(s))
                case t.Assign():
                    run().append(self.assigned(s, when))
                case t.Store() if s.accumulate and s.buffer not in self.own and self.is_shared(s.buffer):
                    self.read_by_all(s, when)
                    own, summed = self.added(s, when)
                    run().append(own)
                    if summed is not None:
                        found.append(_Run([summed], in_turn=True))
                case t.Store():
                    run().append(self.stored(s, when))
                case t.LocalArray() if s.buffer in self.own and not when:
                    found.append(_Once(s))
                case t.Fill() if s.buffer in self.own and self.is_for_all(s.buffer, when):
                    self.read_by_all(s, ())
                    found.append(_Once(s))
                case t.For() if names_of(s.size).isdisjoint(self.varying) and not s.own:
                    self.read_by_all(s, when)
                    self.around.append(s)
                    found.append(_Rows(s, self.parts(s.body, when)))
                    self.around.pop()
                case t.If() if self.is_uniform(s):
                    self.read_by_all(s, when)
                    found.append(_Choice(s.condition, self.parts(s.then, when), self.parts(s.otherwise, when)))
                case t.If():
                    holds = t.Name(self.names.fresh("holds"), BOOL)
                    run().append(self.declared(t.Declare(holds.name, BOOL, s.condition), when))
                    for part, condition in ((s.then, holds), (s.otherwise, _not(holds))):
                        first, *others = self.parts(part, (*when, condition)) or [_Run()]
                        if isinstance(first, _Run) and not first.in_turn:
                            run().extend(first.body)
                        else:
                            found.append(first)
                        found.extend(others)
                case _:
                    raise NoColumns
        return found

    def declared(self, s: t.Declare, when: tuple[t.Expression, ...]) -> t.Declare:
        self.read_by_all(s, when)
        self.types[s.name] = s.type
        if s.type == BOOL and s.value is not None and not s.mutable and self.is_cheap(s.value):
            self.cheap[s.name] = s.value
        self.varying.add(s.name)
        self.conditions[s.name] = len(when)
        return s

    def is_cheap(self, e: t.Expression) -> bool:
        """Is it made of numbers that stay as they are, without functions that are called?"""
        match e:
            case t.Name(name):
                return name not in self.assigned_to
            case t.Literal():
                return True
            case t.Operation(primitive, arguments):
                return primitive not in VECTOR_MATH | SCALAR_ONLY and all([self.is_cheap(a) for a in arguments])
            case _:
                return False

    def assigned(self, s: t.Assign, when: tuple[t.Expression, ...]) -> t.Assign:
        """What a column sets a number to if conditions hold."""
        if s.name not in self.types and not (s.name in self.loop.reduced and s.accumulate):
            raise NoColumns
        self.read_by_all(s, when)
        value = s.value
        for holds in when[self.conditions.get(s.name, 0) :]:
            kept = zero_of(value.type) if s.accumulate else t.Name(s.name, value.type)
            value = t.Conditional(holds, value, kept)
        return replace(s, value=value)

    def added(self, s: t.Store, when: tuple[t.Expression, ...]) -> tuple[t.Statement, t.Statement | None]:
        """What a column adds to a place where others may add to: a part of a sum, or a number that is added in turn."""
        value = s.value
        if names_of(s.index).isdisjoint(self.varying):
            for holds in when:
                value = t.Conditional(holds, value, zero_of(value.type))
            name = self.names.fresh("sum")
            self.sums[name] = _Sum(s, not when)
            return t.Assign(name, value, accumulate=True), None
        part = t.Declare(self.names.fresh("part"), value.type, value)
        new: t.Statement = t.Store(s.buffer, s.index, t.Name(part.name, value.type), accumulate=True)
        for holds in when:
            new = t.If(holds, (new,))
        return self.declared(part, when), new

    def is_shared(self, buffer: str) -> bool:
        """May several columns add to the same element?"""
        if self.loop.kind is t.Kind.PARALLEL or self.elements.of(buffer):
            return False
        places = [*self.elements.stores[buffer], *self.elements.loads.get(buffer, ())]
        return not all([row_of(at, self.loop.index, self.loop.size) is not None for at in places])

    def is_uniform(self, s: t.If) -> bool:
        """Does the condition hold in all columns, or in none?"""
        return names_of(s.condition).isdisjoint(self.varying)

    def stored(self, s: t.Store, when: tuple[t.Expression, ...]) -> t.Statement:
        """A store of a column, if conditions hold."""
        if s.buffer in self.own and self.is_for_all(s.buffer, when):
            self.read_by_all(s, when)
            return s
        new: t.Statement = s
        for holds in when:
            new = t.If(holds, (new,))
        return new

    def is_for_all(self, buffer: str, when: tuple[t.Expression, ...]) -> bool:
        """Is an array of a column used under these conditions only?"""
        return self.conditions[buffer] == len(when)

    def read_by_all(self, s: t.Statement, when: tuple[t.Expression, ...]) -> None:
        """What is read under conditions is to be there for all columns."""
        if when and not all([load.buffer in self.own or self.is_read_always(load) for load in loads_of(s)]):
            raise NoColumns

    def is_read_always(self, load: t.Load) -> bool:
        """Does each column read the element, whatever conditions hold, in loops that are around it here, too?"""
        return any(
            [
                load.buffer == x.buffer
                and same(load.index, x.index)
                and all([any([a.index == b.index and same(a.size, b.size) for b in self.around]) for a in loops])
                for x, loops in self.always
            ]
        )

    def in_several(self, found: Sequence[_Part]) -> list[str]:
        """The numbers of a column that more than one loop over columns names."""
        used: dict[str, set[int]] = {}
        pending = list(found)
        count = 0
        while pending:
            part = pending.pop()
            if isinstance(part, _Rows):
                pending.extend(part.body)
            elif isinstance(part, _Choice):
                pending.extend([*part.then, *part.otherwise])
            elif isinstance(part, _Run):
                count += 1
                for s in walk(part.body):
                    for name in own_names(s).union(declared(s)):
                        used.setdefault(name, set()).add(count)
        for name, value in reversed(self.cheap.items()):
            for operand in names_of(value) if len(used.get(name, ())) > 1 else ():
                used.setdefault(operand, set()).update(used[name])
        return [name for name in self.types if len(used.get(name, ())) > 1]

    def made(self, found: Sequence[_Part]) -> t.Body:
        """Loops over columns and rows as statements."""
        statements: list[t.Statement] = []
        for part in found:
            match part:
                case _Once(t.Fill() as s):
                    width = integer(self.cutting.width)
                    statements.append(replace(s, offset=times(s.offset, width), count=times(s.count, width)))
                case _Once(s):
                    statements.append(s)
                case _Choice(condition, then, otherwise):
                    statements.append(t.If(condition, self.made(then), self.made(otherwise)))
                case _Run(body, True):
                    each = [new for s in body if (new := self.column(s)) is not None]
                    statements.append(t.For(self.lane.name, self.count, tuple(each), t.Kind.SEQUENTIAL))
                case _Rows(loop, body):
                    statements.append(t.For(loop.index, loop.size, self.made(body), t.Kind.SEQUENTIAL, loop.site))
                case _Run(body):
                    statements.extend(self.columns(body))
        return tuple(statements)

    def columns(self, body: Sequence[t.Statement]) -> Sequence[t.Statement]:
        """A loop over the columns of a strip."""
        made = [new for s in body if (new := self.column(s)) is not None]
        if not made:
            return ()
        summed = {*self.loop.reduced, *self.sums}
        reduced = tuple(dict.fromkeys([s.name for s in made if isinstance(s, t.Assign) and s.name in summed]))
        kind = t.Kind.REDUCTION if reduced else t.Kind.PARALLEL
        loop = t.For(self.lane.name, self.count, tuple(made), kind, reduced=reduced)
        if is_arithmetic(made, self.lane.name):
            loop = replace(loop, vectors=t.Vectors.WRITTEN)
        else:
            loop = replace(marked(loop), vectors=t.Vectors.STRIP)
        own = [name for name in reduced if name in self.sums]
        types = {name: self.sums[name].place.value.type for name in own}
        begin = [t.Declare(name, types[name], zero_of(types[name]), mutable=True) for name in own]
        return (*begin, loop, *[self.after(name) for name in own])

    def after(self, name: str) -> t.Statement:
        """What is done with a sum; a place to which no column of the strip adds anything may not be there."""
        of = self.sums[name]
        type_ = of.place.value.type
        store = replace(of.place, value=t.Name(name, type_))
        if of.is_of_all:
            return store
        return t.If(_not(t.Operation(p.equal, (t.Name(name, type_), zero_of(type_)), BOOL)), (store,))

    def column(self, s: t.Statement) -> t.Statement | None:
        """A statement of a column, of a column of the strip."""
        match s:
            case t.Declare(_, _, None):
                return None if s.name in self.rows else s
            case t.Declare(name) if name in self.again:
                return None
            case t.Declare(name, _, value) if value is not None and name in self.rows:
                return t.Store(self.rows[name], self.lane, self.value(value))
            case t.Assign(name, value) if name in self.rows:
                return t.Store(self.rows[name], self.lane, self.value(value), s.accumulate)
            case t.Declare(_, _, value) | t.Assign(_, value) if value is not None:
                return replace(s, value=self.value(value))
            case t.Store():
                accumulate = s.accumulate and s.buffer not in self.new
                return t.Store(s.buffer, self.index(s.buffer, s.index), self.value(s.value), accumulate)
            case t.If(condition, (inner,)) if (new := self.column(inner)) is not None:
                return t.If(self.value(condition), (new,))
            case _:
                raise TypeError(f"{s!r} is no statement of a column")

    def index(self, buffer: str, at: t.Expression) -> t.Expression:
        """Where an element of a column is."""
        at = self.value(at)
        return plus(times(at, integer(self.cutting.width)), self.lane) if buffer in self.own else at

    def value(self, e: t.Expression) -> t.Expression:
        """An expression of a column, of a column of the strip."""
        match e:
            case t.Name(name) if name == self.loop.index:
                return plus(self.start, self.lane)
            case t.Name(name) if name in self.rows:
                return t.Load(self.rows[name], self.lane, e.type)
            case t.Name(name) if name in self.again:
                return self.value(self.again[name])
            case t.Load(buffer, at):
                return t.Load(buffer, self.index(buffer, at), e.type)
            case t.Operation(primitive, arguments):
                return t.Operation(primitive, tuple([self.value(a) for a in arguments]), e.type)
            case t.Conditional(c, a, b):
                return t.Conditional(self.value(c), self.value(a), self.value(b))
            case _:
                return e


def _common(body: t.Body, buffers: Collection[str], is_uniform: Callable[[t.If], bool]) -> dict[str, _Path]:
    """The conditions that all uses of each of these buffers are under, without those that hold in all columns or in none."""
    found: dict[str, _Path] = {}

    def look(part: t.Body, when: _Path) -> None:
        for s in part:
            for name in own_names(s) & {*buffers}:
                before = found.setdefault(name, when)
                same_so_far = [a for a, b in zip(before, when, strict=False) if a == b]
                found[name] = before[: len(same_so_far)]
            if isinstance(s, t.If) and not is_uniform(s):
                look(s.then, (*when, (s, True)))
                look(s.otherwise, (*when, (s, False)))
            else:
                for inner in bodies_of(s):
                    look(inner, when)

    look(body, ())
    return found


def _read_always(body: t.Body, loops: tuple[t.For, ...]) -> Iterator[tuple[t.Load, tuple[t.For, ...]]]:
    """The loads that no condition is about, and the loops around them."""
    for s in body:
        for e in expressions_of(s):
            for load in _evaluated(e):
                yield load, loops
        if isinstance(s, t.For):
            yield from _read_always(s.body, (*loops, s))


def _evaluated(e: t.Expression) -> Iterator[t.Load]:
    """The loads of an expression that are made whenever it is evaluated."""
    match e:
        case t.Conditional(condition):
            yield from _evaluated(condition)
        case _:
            if isinstance(e, t.Load):
                yield e
            for part in parts(e):
                yield from _evaluated(part)


def _either(a: t.Expression, b: t.Expression) -> t.Expression:
    return t.Conditional(a, t.Literal(True, BOOL), b)


def _not(condition: t.Expression) -> t.Expression:
    return t.Operation(p.logical_not, (condition,), BOOL)
