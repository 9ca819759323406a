"""Indices as functions of the index of a loop: start + stride * index, and r * size + index in tables of rows."""

from __future__ import annotations

from collections.abc import Collection

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, integer, is_integer, minus, plus, positive, same, times
from fsmooth.loops.usage import names_of

_TRUE = t.Literal(True, BOOL)
_LONGEST = 256
"""No index that anybody writes has more weight, but what is made of chains of definitions doubles with each."""


def stride_of(e: t.Expression, index: str) -> tuple[t.Expression, t.Expression] | None:
    """Start and stride of `e` in `index`, both without it; None if it is not of this form.

    >>> from fsmooth.core.types import INT
    >>> i, n = t.Name("i", INT), t.Name("n", INT)
    >>> start, stride = stride_of(plus(times(i, n), n), "i")
    >>> (start.name, stride.name)
    ('n', 'n')
    """
    if index not in names_of(e):
        return e, ZERO
    if e.weight > _LONGEST:
        return None
    match e:
        case t.Name():
            return ZERO, ONE
        case t.Operation(p.negate, (a,)):
            found = stride_of(a, index)
            return None if found is None else (minus(ZERO, found[0]), minus(ZERO, found[1]))
        case t.Operation(p.add | p.subtract | p.multiply as primitive, (a, b)):
            left, right = stride_of(a, index), stride_of(b, index)
            if left is None or right is None:
                return None
            if primitive is p.add:
                return plus(left[0], right[0]), plus(left[1], right[1])
            if primitive is p.subtract:
                return minus(left[0], right[0]), minus(left[1], right[1])
            for (start, stride), (other, none) in ((left, right), (right, left)):
                if none is ZERO:
                    return times(start, other), times(stride, other)
            return None
        case _:
            return None


def is_affine(e: t.Expression, index: str) -> bool:
    """Does it grow by the same in each step?"""
    return stride_of(e, index) is not None


def start_of_next(e: t.Expression, index: str) -> t.Expression | None:
    """The start of what grows by one in each step; None for anything else."""
    found = stride_of(e, index)
    return found[0] if found is not None and is_integer(found[1], 1) else None


def is_next(e: t.Expression, index: str, varying: Collection[str] = ()) -> bool:
    """Does it grow by one in each step, from a start that does not vary?"""
    start = start_of_next(e, index)
    return start is not None and names_of(start).isdisjoint(varying)


def slope(e: t.Expression, index: str) -> t.Expression:
    """By how much an Int expression that is affine in `index` grows with it."""
    match e:
        case t.Name(name) if name == index:
            return ONE
        case t.Operation(p.add, (a, b)):
            return plus(slope(a, index), slope(b, index))
        case t.Operation(p.subtract, (a, b)):
            return minus(slope(a, index), slope(b, index))
        case t.Operation(p.negate, (a,)):
            return minus(ZERO, slope(a, index))
        case t.Operation(p.multiply, (a, b)):
            return plus(times(slope(a, index), b), times(a, slope(b, index)))
        case _:
            return ZERO


def row_of(e: t.Expression, index: str, size: t.Expression) -> t.Expression | None:
    """The r of an index `r * size + index` (0 for `index` itself); None if it has another form."""
    match e:
        case t.Name(name) if name == index:
            return ZERO
        case t.Operation(p.add, (first, t.Name(name))) if name == index and index not in names_of(first):
            return rows_of(first, size)
        case _:
            return None


def rows_of(count: t.Expression, size: t.Expression) -> t.Expression | None:
    """The r of `r * size`; None if it has another form."""
    if same(count, size):
        return ONE
    match count:
        case t.Literal(0):
            return ZERO
        case t.Operation(p.multiply, (a, b)):
            return a if same(b, size) else b if same(a, size) else None
        case _:
            return None


def without_constant(e: t.Expression) -> tuple[t.Expression, int]:
    """An index as a start and a constant."""
    match e:
        case t.Operation(p.add, (start, t.Literal(constant))):
            return start, int(constant)
        case _:
            return e, 0


def distinct_elements(
    row: t.Expression, column: t.Expression, rows: t.Expression, columns: t.Expression
) -> t.Expression | None:
    """What says that the elements of a matrix, so far from row to row and from column to column, are at places of their own.

    A literal where that is known, and None where it is false or would take more than a comparison.

    >>> from fsmooth.core.types import INT
    >>> m, n = t.Name("m", INT), t.Name("n", INT)
    >>> distinct_elements(n, ONE, m, n).value
    True
    >>> distinct_elements(ONE, ONE, m, n) is None
    True
    """
    row, column = _length(row), _length(column)
    tests = [
        (narrow, times(narrow, many), wide) for wide, narrow, many in ((row, column, columns), (column, row, rows))
    ]
    for narrow, span, wide in tests:
        if same(span, wide) and not is_integer(narrow, 0):
            return _if_positive(narrow, _TRUE)
    for narrow, span, wide in tests:
        if isinstance(wide, t.Literal) and isinstance(span, t.Literal):
            if 0 < int(span.value) <= int(wide.value):
                return _TRUE
        elif not is_integer(narrow, 0) and not is_integer(wide, 0) and not is_integer(wide, 1):
            return _if_positive(narrow, t.Operation(p.less_equal, (span, wide), BOOL))
    return None


def _if_positive(stride: t.Expression, condition: t.Expression) -> t.Expression:
    if isinstance(stride, t.Literal):
        return condition
    return t.Conditional(positive(stride), condition, t.Literal(False, BOOL))


def _length(stride: t.Expression) -> t.Expression:
    """A stride, or its opposite if that is what it is written as."""
    match stride:
        case t.Literal(value):
            return integer(abs(int(value)))
        case t.Operation(p.negate, (size,)) | t.Operation(p.subtract, (t.Literal(0), size)):
            return size
        case _:
            return stride
