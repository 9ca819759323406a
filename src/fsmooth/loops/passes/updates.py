"""Updates of a matrix that a loop makes in each iteration, or a function in each call: many at once are a product of matrices.

    of rank one     for i: for k: A[i, k] += x[i] * y[k]        X[c] = x, Y[c] = y      then   A += Xᵀ Y
    of a row        for i: for k: A[r, k] += x[i] * W[i, k]     X[c] = x, at[c] = r     then   Z = X W,  A[at[c]] += Z[c]

Each of the first loads and stores the whole of A, each of the second the whole of W; a product does so for 32 of them at once.
(Updates of factors are delayed likewise in LAPACK: Dongarra, Du Croz, Hammarling and Duff, *A set of level 3 basic linear algebra
subprograms*, TOMS 16, 1990.)
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import Site
from fsmooth.core.types import BOOL, INT, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, integer, plus, positive, times, with_values
from fsmooth.loops.names import Names
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.usage import names_of

Storage = tuple[str, Type, t.Expression]
"""An array: its name, the type of its numbers, and how many they are."""


class RankOne(Struct, frozen=True, eq=False):
    """`buffer[start + i * row + k] += left * right` for i < rows and k < columns; `left` does not mention k, nor `right` i."""

    loop: t.For
    index: str
    column: str
    buffer: str
    start: t.Expression
    row: t.Expression
    rows: t.Expression
    columns: t.Expression
    left: t.Expression
    right: t.Expression
    type: Float

    @property
    def places(self) -> tuple[t.Expression, ...]:
        """Where matrices begin."""
        return (self.start,)

    @property
    def sizes(self) -> tuple[t.Expression, ...]:
        """How large they are, and how far it is to the next row."""
        return (self.row, self.rows, self.columns)

    @property
    def reads(self) -> set[str]:
        """The arrays that are read when the updates are added."""
        return set()

    def storage(self, at: Gathered) -> list[Storage]:
        """Where updates are put."""
        return [(at.left, self.type, _many(self.rows)), (at.other, self.type, _many(self.columns))]

    def put(self, at: Gathered, place: t.Expression) -> t.Body:
        """One update to this place."""
        column = t.Name(self.column, INT)
        right = t.Store(at.other, plus(times(place, self.columns), column), self.right)
        return (_left(self, at, place), _each(self.column, self.columns, right, self.loop.site))

    def added(self, at: Gathered, _: Names) -> t.Body:
        """All of them to the matrix."""
        target = t.Matrix(self.buffer, self.start, self.row, ONE)
        left = t.Matrix(at.left, ZERO, ONE, self.rows)
        right = t.Matrix(at.other, ZERO, self.columns, ONE)
        return (t.Multiply(target, left, right, self.rows, self.columns, at.many, self.type, True),)

    def elsewhere(self, known: Mapping[str, t.Expression], places: Mapping[str, t.Place]) -> RankOne:
        """The update of the same matrix in another function, which has these numbers and arrays for its names."""
        start, row, rows, columns = [with_values(e, known) for e in (self.start, self.row, self.rows, self.columns)]
        target = places[self.buffer]
        start = plus(target.offset, start)
        return replace(self, buffer=target.buffer, start=start, row=row, rows=rows, columns=columns)


class OfRow(Struct, frozen=True, eq=False):
    """`buffer[offset + start + k] += Σ_i left * matrix[i, k]` for i < rows and k < columns; `left` does not mention k.

    The start may be another one each time.
    """

    loop: t.For
    index: str
    column: str
    buffer: str
    start: t.Expression
    rows: t.Expression
    columns: t.Expression
    left: t.Expression
    matrix: t.Matrix
    type: Float
    offset: t.Expression = ZERO

    @property
    def row(self) -> t.Expression:
        """How far it is to the next row of the matrix."""
        return self.matrix.row

    @property
    def places(self) -> tuple[t.Expression, ...]:
        """Where matrices begin."""
        return (self.offset, self.matrix.offset)

    @property
    def sizes(self) -> tuple[t.Expression, ...]:
        """How large they are, and how far it is to the next row or column."""
        return (self.matrix.row, self.matrix.column, self.rows, self.columns)

    @property
    def reads(self) -> set[str]:
        """The arrays that are read when the updates are added."""
        return {self.matrix.buffer}

    def storage(self, at: Gathered) -> list[Storage]:
        """Where updates are put, and their product."""
        sums = (at.sums, self.type, _many(self.columns))
        return [(at.left, self.type, _many(self.rows)), (at.other, INT, _many(ONE)), sums]

    def put(self, at: Gathered, place: t.Expression) -> t.Body:
        """One update to this place."""
        return (_left(self, at, place), t.Store(at.other, place, self.start))

    def added(self, at: Gathered, names: Names) -> t.Body:
        """All of them to their rows."""
        left = t.Matrix(at.left, ZERO, self.rows, ONE)
        sums = t.Matrix(at.sums, ZERO, self.columns, ONE)
        update, start = [t.Name(names.beside(self.buffer, hint), INT) for hint in ("update", "start")]
        column = t.Name(self.column, INT)
        value = t.Load(at.sums, plus(times(update, self.columns), column), self.type)
        add = t.Store(self.buffer, plus(plus(self.offset, start), column), value, accumulate=True)
        row = (
            t.Declare(start.name, INT, t.Load(at.other, update, INT)),
            _each(self.column, self.columns, add, self.loop.site),
        )
        return (
            t.Multiply(sums, left, self.matrix, at.many, self.columns, self.rows, self.type, False),
            t.For(update.name, at.many, row, t.Kind.SEQUENTIAL, self.loop.site),
        )

    def elsewhere(self, known: Mapping[str, t.Expression], places: Mapping[str, t.Place]) -> OfRow:
        """The update of the same matrix in another function, which has these numbers and arrays for its names."""
        old = self.matrix
        target, other = places[self.buffer], places[old.buffer]
        offset, row, column, rows, columns = [
            with_values(e, known) for e in (old.offset, old.row, old.column, self.rows, self.columns)
        ]
        matrix = t.Matrix(other.buffer, plus(other.offset, offset), row, column)
        offset = plus(target.offset, with_values(self.offset, known))
        return replace(self, buffer=target.buffer, offset=offset, rows=rows, columns=columns, matrix=matrix)


Update = RankOne | OfRow


def _many(size: t.Expression) -> t.Expression:
    return times(integer(thresholds.GATHERED_UPDATES), size)


def steady(update: Update) -> set[str]:
    """The names that say where the matrices are, and how large."""
    return names_of(*update.places, *update.sizes)


def _left(update: Update, at: Gathered, place: t.Expression) -> t.For:
    index = plus(times(place, update.rows), t.Name(update.index, INT))
    return _each(update.index, update.rows, t.Store(at.left, index, update.left), update.loop.site)


def _each(index: str, size: t.Expression, s: t.Statement, site: Site) -> t.For:
    return marked(t.For(index, size, (s,), t.Kind.PARALLEL, site))


class Gathered(Struct, frozen=True, eq=False):
    """Where updates are put until they are added: arrays by name, and how many updates there are."""

    left: str
    other: str
    sums: str
    count: str

    @staticmethod
    def of(update: Update, names: Names) -> Gathered:
        """New ones."""
        return Gathered(*[names.beside(update.buffer, hint) for hint in ("left", "right", "sums", "count")])

    @property
    def many(self) -> t.Expression:
        """How many updates there are."""
        return t.Load(self.count, ZERO, INT)

    def handed_on(self, update: Update) -> list[Storage]:
        """All of these arrays."""
        return [*update.storage(self), (self.count, INT, ONE)]

    def opened(self, update: Update) -> t.Body:
        """Room for so many of them, and none there yet."""
        return (
            *[t.Allocate(name, type_, size) for name, type_, size in update.storage(self)],
            t.LocalArray(self.count, INT, 1, thresholds.GATHERED_UPDATES),
            t.Store(self.count, ZERO, ZERO),
        )

    def put(self, update: Update, names: Names) -> t.Body:
        """One more, if there is anything of it: what is read is there only then."""
        at = t.Name(names.beside(update.buffer, "place"), INT)
        is_full = t.Operation(p.equal, (at, integer(thresholds.GATHERED_UPDATES - 1)), BOOL)
        is_there = t.Conditional(positive(update.rows), positive(update.columns), t.Literal(False, BOOL))
        body = (
            t.Declare(at.name, INT, self.many),
            *update.put(self, at),
            t.Store(self.count, ZERO, plus(at, ONE)),
            t.If(is_full, self.added(update, names)),
        )
        return (t.If(is_there, body),)

    def added(self, update: Update, names: Names) -> t.Body:
        """All of them to the matrix, and none there any more."""
        return (*update.added(self, names), t.Store(self.count, ZERO, ZERO))
