"""Rank-one updates of a matrix in a loop are gathered, and added as one product of matrices.

    for t: …; for i: for k: A[i, k] += x[i] * y[k]; …

    ~>   c = 0;  for t: …; X[c] = x; Y[c] = y; if (++c == 32) { A += Xᵀ Y; c = 0; } …;  A += Xᵀ Y

Each update loads and stores the whole of A: a recurrence adds to the cotangent of a weight matrix no faster than memory is.  A
product of matrices does so for 32 of them at once.  (Updates of factors are delayed likewise in LAPACK: Dongarra, Du Croz,
Hammarling and Duff, *A set of level 3 basic linear algebra subprograms*, TOMS 16, 1990.)  Each number of A is added up in
another order than before, that of 32 updates by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of
from fsmooth.loops.arithmetic import ONE, ZERO, integer, is_integer, plus, positive, same, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import changed, declared, loads, mentioned, names_of, walk, with_values


class RankOne(Struct, frozen=True, eq=False):
    """`buffer[start + i * row + k] += left * right` for i < rows and k < columns; `left` does not mention k, nor `right` i."""

    loop: t.For
    buffer: str
    start: t.Expression
    row: t.Expression
    rows: t.Expression
    columns: t.Expression
    column: str
    left: t.Expression
    right: t.Expression
    type: Float

    @property
    def names(self) -> set[str]:
        """What says where the matrix is, and how large."""
        return names_of(self.start, self.row, self.rows, self.columns)


def rank_one(s: t.Statement) -> RankOne | None:
    """What a statement is as an update of a matrix."""
    if not isinstance(s, t.For) or s.own or s.reduced or not s.body:
        return None
    *before, inner = s.body
    if not isinstance(inner, t.For) or inner.own or inner.reduced or not inner.body:
        return None
    *own, store = inner.body
    if not isinstance(store, t.Store) or not isinstance(store.value.type, Float):
        return None
    known: dict[str, t.Expression] = {}
    for d in (*before, *own):
        if not isinstance(d, t.Declare) or d.mutable or d.value is None:
            return None
        known[d.name] = with_values(d.value, known)
    i, k = s.index, inner.index
    index, value = with_values(store.index, known), with_values(store.value, known)
    if not store.accumulate:
        match value:
            case t.Operation(p.add, (t.Load(buffer, at), added)) if buffer == store.buffer and same(at, index):
                value = added
            case _:
                return None
    across = stride_of(index, k)
    down = None if across is None else stride_of(across[0], i)
    if across is None or down is None or not is_integer(across[1], 1):
        return None
    columns = with_values(inner.size, known)
    factors = _factors(value)
    left = [f for f in factors if k not in names_of(f)]
    right = [f for f in factors if k in names_of(f)]
    if not left or not right or any([i in names_of(f) for f in right]) or store.buffer in names_of(*factors):
        return None
    if any([loads(e) for e in (*down, s.size, columns)]) or not names_of(*down, s.size, columns).isdisjoint((i, k)):
        return None  # what says where it is may be there only if the loops run
    if not any([i in names_of(f) for f in left]):
        return None
    return RankOne(s, store.buffer, *down, s.size, columns, k, _product(left), _product(right), store.value.type)


def _factors(e: t.Expression) -> list[t.Expression]:
    match e:
        case t.Operation(p.multiply, (a, b)):
            return [*_factors(a), *_factors(b)]
        case _:
            return [e]


def _product(factors: Sequence[t.Expression]) -> t.Expression:
    result, *rest = factors
    for factor in rest:
        result = t.Operation(p.multiply, (result, factor), factor.type)
    return result


class Gathered(Struct, frozen=True, eq=False):
    """Where updates are put until they are added: two arrays, and how many they are."""

    left: str
    right: str
    count: str

    @staticmethod
    def of(update: RankOne, names: Names) -> Gathered:
        """New ones."""
        return Gathered(*[names.beside(update.buffer, suffix) for suffix in ("left", "right", "count")])

    def opened(self, update: RankOne) -> t.Body:
        """Room for so many of them, and none there yet."""
        many = integer(thresholds.GATHERED_UPDATES)
        return (
            t.Allocate(self.left, update.type, times(many, update.rows)),
            t.Allocate(self.right, update.type, times(many, update.columns)),
            t.LocalArray(self.count, INT, 1, thresholds.GATHERED_UPDATES),
            t.Store(self.count, ZERO, ZERO),
        )

    def put(self, update: RankOne, names: Names) -> t.Body:
        """One more, if there is anything of it: what is read is there only then."""
        at = t.Name(names.beside(update.buffer, "place"), INT)
        rows, columns = times(at, update.rows), times(at, update.columns)
        index = t.Name(update.loop.index, INT)
        left = t.Store(self.left, plus(rows, index), update.left)
        column = t.Name(update.column, INT)
        right = t.Store(self.right, plus(columns, column), update.right)
        is_full = t.Operation(p.equal, (at, integer(thresholds.GATHERED_UPDATES - 1)), BOOL)
        is_there = t.Conditional(positive(update.rows), positive(update.columns), t.Literal(False, BOOL))
        body = (
            t.Declare(at.name, INT, t.Load(self.count, ZERO, INT)),
            marked(t.For(update.loop.index, update.rows, (left,), t.Kind.PARALLEL, update.loop.site)),
            marked(t.For(update.column, update.columns, (right,), t.Kind.PARALLEL, update.loop.site)),
            t.Store(self.count, ZERO, plus(at, ONE)),
            t.If(is_full, self.added(update)),
        )
        return (t.If(is_there, body),)

    def added(self, update: RankOne) -> t.Body:
        """All of them to the matrix."""
        target = t.Matrix(update.buffer, update.start, update.row, ONE)
        left = t.Matrix(self.left, ZERO, ONE, update.rows)
        right = t.Matrix(self.right, ZERO, update.columns, ONE)
        count = t.Load(self.count, ZERO, INT)
        return (
            t.Multiply(target, left, right, update.rows, update.columns, count, update.type, True),
            t.Store(self.count, ZERO, ZERO),
        )


def gather_updates(function: t.Function, names: Names) -> t.Function:
    """Gather the updates of matrices that loops make in each iteration and do not read."""
    places = Places.of(function.body)

    def changed_loop(loop: t.For) -> Sequence[t.Statement]:
        if loop.kind is t.Kind.PARALLEL or isinstance(loop.size, t.Literal):
            return (loop,)
        found = {s: update for s in loop.body if (update := rank_one(s)) is not None}
        if not found:
            return (loop,)
        inside = {name for s in walk(loop.body) for name in declared(s)} | {loop.index}
        varying = changed(loop.body) | inside
        before: list[t.Statement] = []
        after: list[t.Statement] = []
        body: list[t.Statement] = []
        for s in loop.body:
            update = found.get(s)
            others = mentioned([x for x in loop.body if x is not s])
            is_steady = update is not None and update.names.isdisjoint(varying) and update.buffer not in inside
            if update is None or not is_steady or not _alone(update.buffer, others, places):
                body.append(s)
                continue
            gathered = Gathered.of(update, names)
            before += gathered.opened(update)
            body += gathered.put(update, names)
            after += gathered.added(update)
        if not after:
            return (loop,)
        return [*before, replace(loop, body=tuple(body)), *after]

    return each_loop(function, changed_loop)


def _alone(buffer: str, others: set[str], places: Places) -> bool:
    """Is it memory that nothing else reads or writes under any name?"""
    return all([places.apart(buffer, other) for other in others])
