"""Loops of which each iteration reads columns of matrices run over strips of neighbouring columns, row by row.

    for i < n: { s = 0;  for k < m: s += f(a[k * n + i]);  total += g(s) }
    ~>  for each strip of 64 columns: { for l: s[l] = 0;  for k < m: for l: s[l] += f(a[k * n + start + l]);
                                        for l: total += g(s[l]) }

Column after column, what is read one after the other lies n numbers apart: vectors would be gathered number by number, and of
each line of the cache one number be used.  What an iteration names and uses in several of its loops becomes a row of a strip
(scalar expansion, loop distribution and interchange: R. Allen, K. Kennedy, Optimizing Compilers for Modern Architectures, 2001,
§5).  Of a condition that differs from column to column both branches are computed, and one chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT, Type
from fsmooth.loops import tree as t
from fsmooth.loops.affine import row_of, rows_of, stride_of
from fsmooth.loops.arithmetic import inside, integer, is_integer, plus, same, times, zero_of
from fsmooth.loops.names import Names
from fsmooth.loops.passes.strips.strip import WIDTH
from fsmooth.loops.passes.strips.widths import independent_strips
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.passes.vectors import is_arithmetic
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import (
    bodies_of,
    declared,
    expressions_of,
    loads_of,
    names_of,
    occurrences,
    own_names,
    targets,
    walk,
)


class _Unsuitable(Exception):
    """The loop stays as it is."""


class _Run(Struct, frozen=True, eq=False):
    """Statements of a column without loops: a loop over the columns of a strip."""

    body: list[t.Statement] = field(default_factory=list)


class _Rows(Struct, frozen=True, eq=False):
    """A loop over rows."""

    loop: t.For
    body: list[_Part]


class _Once(Struct, frozen=True, eq=False):
    """A number that is the same in all columns, or zeros for all of them."""

    statement: t.Declare | t.Fill


_Part = _Run | _Rows | _Once
_Path = tuple[tuple[t.If, bool], ...]
"""Conditions around a statement, and whether it is in their first branch."""


def by_columns(function: t.Function, names: Names) -> t.Function:
    """The pass."""
    cutting = _Function(function, names)
    return with_body(function, cutting.with_longer(cutting.body(function.body)))


class _Function:
    """What is known of a whole function."""

    def __init__(self, function: t.Function, names: Names) -> None:
        self.names = names
        self.storage = {s.buffer: s for s in walk(function.body) if isinstance(s, t.Allocate | t.LocalArray)}
        self.uses = occurrences(function.body)
        self.longer: set[str] = set()

    def body(self, body: t.Body) -> t.Body:
        """Look at each statement, the outermost loops first."""
        found: list[t.Statement] = []
        for s in body:
            zeros = _zeros(found, s) if isinstance(s, t.For) else []
            instead = self.in_strips(s, zeros) if isinstance(s, t.For) else None
            if instead is None:
                found.append(with_bodies(s, self.body))
            else:
                found = [*[x for x in found if x not in zeros], *instead]
        return same_or(body, found)

    def with_longer(self, body: t.Body) -> t.Body:
        """Memory for a strip of columns instead of a single one."""
        if not self.longer:
            return body
        found: list[t.Statement] = []
        for s in body:
            new = with_bodies(s, self.with_longer)
            if isinstance(new, t.Allocate) and new.buffer in self.longer:
                new = replace(new, count=times(new.count, integer(WIDTH)))
            elif isinstance(new, t.LocalArray) and new.buffer in self.longer:
                new = replace(new, count=new.count * WIDTH)
            found.append(new)
        return tuple(found)

    def in_strips(self, loop: t.For, zeros: Sequence[t.Fill]) -> Sequence[t.Statement] | None:
        """The loop over strips of columns, and its memory; None if it reads no columns, or does something else besides."""
        if loop.kind not in (t.Kind.PARALLEL, t.Kind.REDUCTION) or loop.extrema or loop.simd:
            return None
        if isinstance(loop.size, t.Literal) and int(loop.size.value) < 2 * WIDTH:
            return None
        own = self.own(loop)
        if not _reads_columns(loop, own):
            return None
        try:
            found = _Columns(loop, own, zeros, self.names).whole()
        except _Unsuitable:
            return None
        self.longer |= own
        return found

    def own(self, loop: t.For) -> set[str]:
        """Arrays of which each iteration makes what it reads."""
        written = {name for s in walk(loop.body) for name in targets(s)} & self.storage.keys()
        inside = occurrences(loop.body)
        return {name for name in written if inside[name] == self.uses[name] - 1 and self.is_small(name)}

    def is_small(self, name: str) -> bool:
        storage = self.storage[name]
        return isinstance(storage, t.Allocate) or storage.count <= thresholds.STRIP_ROWS_ON_STACK


def _reads_columns(loop: t.For, own: Collection[str]) -> bool:
    """Do loops in this one read neighbouring numbers in neighbouring iterations, and none only rows?"""
    innermost = [s for s in walk(loop.body) if isinstance(s, t.For) and not any([isinstance(x, t.For) for x in s.body])]
    found = [_reading(loop, s, own) for s in innermost]
    return all(found) and _Reading.COLUMNS in found


class _Reading(Enum):
    """What an innermost loop reads and writes of what is not an iteration's own."""

    NOTHING = "nothing that differs from step to step"
    COLUMNS = "columns"


def _reading(loop: t.For, inner: t.For, own: Collection[str]) -> _Reading | None:
    """What a loop in another one reads and writes; None if that is rows, or something else."""
    statements = [s for s in walk(inner.body) if not isinstance(s, t.For)]
    stores = [s.index for s in statements if isinstance(s, t.Store) and s.buffer not in own]
    loads = [load.index for s in statements for load in loads_of(s) if load.buffer not in own]
    found, rows = _Reading.NOTHING, False
    for index in [*stores, *loads]:
        across, along = stride_of(index, loop.index), stride_of(index, inner.index)
        if across is None or along is None:
            return None
        if is_integer(across[1], 0) and index not in stores:
            rows = rows or is_integer(along[1], 1)
        elif not is_integer(across[1], 1) or is_integer(along[1], 1):
            return None
        elif not is_integer(along[1], 0):
            found = _Reading.COLUMNS
    return None if rows and found is _Reading.NOTHING else found


class _Columns:
    """One loop; `own` are the arrays of an iteration, and `zeros` set matrices to zero of which each has a column."""

    def __init__(self, loop: t.For, own: set[str], zeros: Sequence[t.Fill], names: Names) -> None:
        self.loop, self.own, self.zeros, self.names = loop, own, zeros, names
        self.varying = {loop.index} | {name for s in walk(loop.body) for name in targets(s)}
        """Names of what differs from column to column, or changes."""
        self.always = [load for s in _unconditional(loop.body) for load in loads_of(s)]
        self.types: dict[str, Type] = {}
        self.conditions: dict[str, int] = {}
        """How many conditions each number is declared under, and each array is used under."""
        self.rows: dict[str, str] = {}
        self.lane = t.Name(names.fresh(f"{loop.index}_lane"), INT)
        self.start = t.Name(names.fresh(f"{loop.index}_start"), INT)
        self.count = t.Name(names.fresh(f"{loop.index}_count"), INT)

    def whole(self) -> Sequence[t.Statement]:
        """The loop over strips, and the memory that it needs."""
        loop = self.loop
        self.conditions = {name: len(when) for name, when in _common(loop.body, self.own).items()}
        found = self.parts(loop.body, ())
        self.rows = {name: self.names.beside(name, "row") for name in self.in_several(found)}
        body = (*[self.zero(fill) for fill in self.zeros], *self.made(found))
        strips = independent_strips(loop.size, self.start.name, self.count.name, body, self.names)
        cut = replace(strips, kind=loop.kind, site=loop.site, reduced=loop.reduced, own=loop.own)
        memory = [t.LocalArray(row, self.types[name], WIDTH) for name, row in self.rows.items()]
        if isinstance(loop.size, t.Literal):
            return (*memory, cut)
        few = t.Operation(p.less, (loop.size, integer(thresholds.POINTS_FOR_STRIPS)), BOOL)
        return (*memory, t.If(few, (*self.zeros, loop), (cut,), rare=True))

    def zero(self, fill: t.Fill) -> t.Statement:
        """The columns of a strip set to zero."""
        row = t.Name(self.names.fresh("row"), INT)
        at = plus(times(row, self.loop.size), plus(self.start, self.lane))
        each = t.Store(fill.buffer, at, zero_of(fill.type))
        columns = t.For(self.lane.name, self.count, (each,), t.Kind.PARALLEL)
        rows = rows_of(fill.count, self.loop.size)
        assert rows is not None
        return t.For(row.name, rows, (columns,), t.Kind.PARALLEL)

    def parts(self, body: t.Body, when: tuple[t.Expression, ...]) -> list[_Part]:
        """Statements of a column, if these conditions hold, as loops over columns and rows."""
        found: list[_Part] = []

        def run() -> list[t.Statement]:
            if not found or not isinstance(found[-1], _Run):
                found.append(_Run())
            last = found[-1]
            assert isinstance(last, _Run)
            return last.body

        for s in body:
            if any([isinstance(e, t.Search) for e in inside(*expressions_of(s))]):
                raise _Unsuitable
            match s:
                case t.Declare():
                    if s.mutable or s.value is None or not names_of(s.value).isdisjoint(self.varying):
                        run().append(self.declared(s, when))
                    else:
                        self.read_by_all(s, when)
                        found.append(_Once(s))
                case t.Assign():
                    run().append(self.assigned(s, when))
                case t.Store():
                    run().append(self.stored(s, when))
                case t.Fill() if s.buffer in self.own and self.is_for_all(s.buffer, when):
                    self.read_by_all(s, ())
                    found.append(_Once(s))
                case t.For() if names_of(s.size).isdisjoint(self.varying) and not s.own:
                    self.read_by_all(s, when)
                    found.append(_Rows(s, self.parts(s.body, when)))
                case t.If():
                    holds = t.Name(self.names.fresh("holds"), BOOL)
                    run().append(self.declared(t.Declare(holds.name, BOOL, s.condition), when))
                    for part, condition in ((s.then, holds), (s.otherwise, _not(holds))):
                        first, *others = self.parts(part, (*when, condition)) or [_Run()]
                        if isinstance(first, _Run):
                            run().extend(first.body)
                        else:
                            found.append(first)
                        found.extend(others)
                case _:
                    raise _Unsuitable
        return found

    def declared(self, s: t.Declare, when: tuple[t.Expression, ...]) -> t.Declare:
        self.read_by_all(s, when)
        self.types[s.name] = s.type
        self.varying.add(s.name)
        self.conditions[s.name] = len(when)
        return s

    def assigned(self, s: t.Assign, when: tuple[t.Expression, ...]) -> t.Assign:
        """What a column sets a number to if conditions hold."""
        if s.name not in self.types and not (s.name in self.loop.reduced and s.accumulate):
            raise _Unsuitable
        self.read_by_all(s, when)
        value = s.value
        for holds in when[self.conditions.get(s.name, 0) :]:
            kept = zero_of(value.type) if s.accumulate else t.Name(s.name, value.type)
            value = t.Conditional(holds, value, kept)
        return replace(s, value=value)

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
            raise _Unsuitable

    def is_read_always(self, load: t.Load) -> bool:
        """Does each column read the element, whatever conditions hold?"""
        return any([load.buffer == x.buffer and same(load.index, x.index) for x in self.always])

    def in_several(self, found: Sequence[_Part]) -> list[str]:
        """The numbers of a column that more than one loop over columns names."""
        used: dict[str, set[int]] = {}
        pending = list(found)
        count = 0
        while pending:
            part = pending.pop()
            if isinstance(part, _Rows):
                pending.extend(part.body)
            elif isinstance(part, _Run):
                count += 1
                for s in walk(part.body):
                    for name in own_names(s).union(declared(s)):
                        used.setdefault(name, set()).add(count)
        return [name for name in self.types if len(used.get(name, ())) > 1]

    def made(self, found: Sequence[_Part]) -> t.Body:
        """Loops over columns and rows as statements."""
        statements: list[t.Statement] = []
        for part in found:
            match part:
                case _Once(t.Fill() as s):
                    width = integer(WIDTH)
                    statements.append(replace(s, offset=times(s.offset, width), count=times(s.count, width)))
                case _Once(s):
                    statements.append(s)
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
        reduced = tuple(
            dict.fromkeys([s.name for s in made if isinstance(s, t.Assign) and s.name in self.loop.reduced])
        )
        kind = t.Kind.REDUCTION if reduced else t.Kind.PARALLEL
        loop = t.For(self.lane.name, self.count, tuple(made), kind, reduced=reduced)
        if is_arithmetic(made, self.lane.name):
            return (replace(loop, vectors=t.Vectors.WRITTEN),)
        return (marked(loop),)

    def column(self, s: t.Statement) -> t.Statement | None:
        """A statement of a column, of a column of the strip."""
        match s:
            case t.Declare(_, _, None):
                return None if s.name in self.rows else s
            case t.Declare(name, _, value) if value is not None and name in self.rows:
                return t.Store(self.rows[name], self.lane, self.value(value))
            case t.Assign(name, value) if name in self.rows:
                return t.Store(self.rows[name], self.lane, self.value(value), s.accumulate)
            case t.Declare(_, _, value) | t.Assign(_, value) if value is not None:
                return replace(s, value=self.value(value))
            case t.Store():
                return replace(s, index=self.index(s.buffer, s.index), value=self.value(s.value))
            case t.If(condition, (inner,)) if (new := self.column(inner)) is not None:
                return t.If(self.value(condition), (new,))
            case _:
                raise TypeError(f"{s!r} is no statement of a column")

    def index(self, buffer: str, at: t.Expression) -> t.Expression:
        """Where an element of a column is."""
        at = self.value(at)
        return plus(times(at, integer(WIDTH)), self.lane) if buffer in self.own else at

    def value(self, e: t.Expression) -> t.Expression:
        """An expression of a column, of a column of the strip."""
        match e:
            case t.Name(name) if name == self.loop.index:
                return plus(self.start, self.lane)
            case t.Name(name) if name in self.rows:
                return t.Load(self.rows[name], self.lane, e.type)
            case t.Load(buffer, at):
                return t.Load(buffer, self.index(buffer, at), e.type)
            case t.Operation(primitive, arguments):
                return t.Operation(primitive, tuple([self.value(a) for a in arguments]), e.type)
            case t.Conditional(c, a, b):
                return t.Conditional(self.value(c), self.value(a), self.value(b))
            case _:
                return e


def _zeros(before: Sequence[t.Statement], loop: t.For) -> list[t.Fill]:
    """Which of the statements before a loop set matrices to zero of which each iteration then touches its column only."""
    found: list[t.Fill] = []
    touched: set[str] = set()
    for s in reversed(before):
        if isinstance(s, t.Fill) and s.buffer not in touched and is_integer(s.offset, 0):
            uses = [x for x in walk(loop.body) if s.buffer in own_names(x)]
            at = [x.index for x in uses if isinstance(x, t.Store) and x.buffer == s.buffer]
            at += [load.index for x in uses for load in loads_of(x) if load.buffer == s.buffer]
            simple = all([isinstance(x, t.Store | t.Declare | t.Assign) for x in uses])
            columns = all([row_of(index, loop.index, loop.size) is not None for index in at])
            if at and simple and columns and rows_of(s.count, loop.size) is not None:
                found.append(s)
        touched |= own_names(s)
        if not isinstance(s, t.Fill | t.Declare | t.Allocate | t.LocalArray):
            break
    return found


def _common(body: t.Body, buffers: Collection[str]) -> dict[str, _Path]:
    """The conditions that all uses of each of these buffers are under."""
    found: dict[str, _Path] = {}

    def look(part: t.Body, when: _Path) -> None:
        for s in part:
            for name in own_names(s) & {*buffers}:
                before = found.setdefault(name, when)
                same_so_far = [a for a, b in zip(before, when, strict=False) if a == b]
                found[name] = before[: len(same_so_far)]
            if isinstance(s, t.If):
                look(s.then, (*when, (s, True)))
                look(s.otherwise, (*when, (s, False)))
            else:
                for inner in bodies_of(s):
                    look(inner, when)

    look(body, ())
    return found


def _unconditional(body: t.Body) -> list[t.Statement]:
    """The statements that no condition is about."""
    found: list[t.Statement] = []
    for s in body:
        found.append(s)
        if isinstance(s, t.For):
            found.extend(_unconditional(s.body))
    return found


def _not(condition: t.Expression) -> t.Expression:
    return t.Operation(p.logical_not, (condition,), BOOL)
