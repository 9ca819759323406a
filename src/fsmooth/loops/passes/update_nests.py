"""Nests of loops that update a matrix, or a row of one, as updates (`updates`)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of
from fsmooth.loops.arithmetic import ZERO, is_integer, same, with_values
from fsmooth.loops.passes.updates import OfRow, RankOne, Update
from fsmooth.loops.usage import addition, are_definitions, definitions, loads, names_of


class _Nest(Struct, frozen=True, eq=False):
    """`buffer[index] += value` for i < rows and k < columns, with all definitions written out."""

    loop: t.For
    i: str
    k: str
    rows: t.Expression
    columns: t.Expression
    buffer: str
    index: t.Expression
    value: t.Expression


def update_of(s: t.Statement) -> Update | None:
    """What a statement is as an update; None if it is anything else."""
    nest = _by_rows(s) or _by_columns(s)
    if nest is None or not isinstance(nest.value.type, Float) or nest.buffer in names_of(nest.value):
        return None
    i, k = nest.i, nest.k
    across = stride_of(nest.index, k)
    down = None if across is None else stride_of(across[0], i)
    if across is None or down is None or not is_integer(across[1], 1):
        return None
    factors = _factors(nest.value)
    left = [f for f in factors if k not in names_of(f)]
    right = [f for f in factors if k in names_of(f)]
    if not right or not any([i in names_of(f) for f in left]):
        return None
    start, row = down
    steady = (row, nest.rows, nest.columns)
    if not names_of(start, *steady).isdisjoint((i, k)) or any([loads(e) for e in steady]):
        return None  # what says where it is may be there only if the loops run
    given = (nest.loop, i, k, nest.buffer)
    type_ = nest.value.type
    if not any([i in names_of(f) for f in right]):
        if loads(start) or row is ZERO:
            return None  # rows that are one and the same are no matrix: they could not be added to side by side
        return RankOne(*given, start, row, nest.rows, nest.columns, _product(left), _product(right), type_)
    matrix = _matrix(right, i, k)
    if row is not ZERO or matrix is None:
        return None
    return OfRow(*given, start, nest.rows, nest.columns, _product(left), matrix, type_)


def _by_rows(s: t.Statement) -> _Nest | None:
    """`for i: for k: buffer[index] += value`."""
    if not isinstance(s, t.For) or not _is_plain(s) or not s.body:
        return None
    *before, inner = s.body
    if not isinstance(inner, t.For) or not _is_plain(inner) or not inner.body:
        return None
    *own, store = inner.body
    if not are_definitions((*before, *own)) or not isinstance(store, t.Store):
        return None
    known = definitions((*before, *own), {})
    value = addition(store, known)
    if value is None or value.weight > thresholds.UPDATE_WEIGHT:
        return None
    index = with_values(store.index, known)
    return _Nest(s, s.index, inner.index, s.size, with_values(inner.size, known), store.buffer, index, value)


def _by_columns(s: t.Statement) -> _Nest | None:
    """`for k: (sum = 0; for i: sum += value; buffer[index] += sum)`."""
    if not isinstance(s, t.For) or not _is_plain(s) or len(s.body) < 3:
        return None
    *before, opened, inner, store = s.body
    if not isinstance(opened, t.Declare) or not isinstance(opened.value, t.Literal) or opened.value.value != 0.0:
        return None
    if not isinstance(inner, t.For) or inner.reduced != (opened.name,) or inner.own or inner.extrema or not inner.body:
        return None
    *own, add = inner.body
    if not isinstance(add, t.Assign) or add.name != opened.name or not add.accumulate:
        return None
    if not are_definitions((*before, *own)) or not isinstance(store, t.Store):
        return None
    known = definitions((*before, *own), {})
    added, value, index = addition(store, known), with_values(add.value, known), with_values(store.index, known)
    if added is None or not same(added, t.Name(opened.name, opened.type)) or value.weight > thresholds.UPDATE_WEIGHT:
        return None
    if opened.name in names_of(value, index):
        return None
    return _Nest(s, inner.index, s.index, with_values(inner.size, known), s.size, store.buffer, index, value)


def _is_plain(loop: t.For) -> bool:
    return not loop.own and not loop.reduced and not loop.extrema


def _matrix(factors: Sequence[t.Expression], i: str, k: str) -> t.Matrix | None:
    """A single factor as a number of a matrix by these indices."""
    match factors:
        case [t.Load(buffer, index)]:
            across = stride_of(index, k)
            down = None if across is None else stride_of(across[0], i)
            if across is None or down is None or ZERO in (across[1], down[1]):
                return None
            matrix = t.Matrix(buffer, *down, across[1])
            parts = (matrix.offset, matrix.row, matrix.column)
            steady = not any([loads(e) for e in parts]) and names_of(*parts).isdisjoint((i, k))
            return matrix if steady else None
        case _:
            return None


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
