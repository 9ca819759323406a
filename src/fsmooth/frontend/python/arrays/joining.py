"""Arrays one after the other along an axis, or side by side along a new one: concatenate, stack, and their kind."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce

from fsmooth.core import primitives as p
from fsmooth.core.build import get, minus, plus
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Const, If, Prim, Term, Vector
from fsmooth.core.types import Array, Type
from fsmooth.errors import RankError
from fsmooth.frontend.python.arrays.arguments import (
    FIRST,
    NOTHING,
    array_of,
    axis_of,
    element_type,
    parts_of,
    rank,
    refused,
)
from fsmooth.frontend.python.arrays.axes import expanded, indices_of, nest, shape_of
from fsmooth.frontend.python.arrays.reshaping import reshaped
from fsmooth.frontend.python.conversion import convert, join
from fsmooth.frontend.python.displays import display
from fsmooth.frontend.python.dtypes import with_leaf
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import length_of, required_size
from fsmooth.frontend.python.values import Static, Unrolled, Value


def alike(frame: Frame, parts: Sequence[Term], free: int | None, node: ast.AST) -> list[Term]:
    """Arrays of one rank and one kind of elements, whose sizes agree but along the axis `free`."""
    ranks = {rank(part) for part in parts}
    if len(ranks) > 1:
        what = f"arrays of rank {' and '.join([str(r) for r in sorted(ranks)])} cannot be put together"
        frame.fail(RankError, node, what, "give each the same number of axes, with x[None] or reshape")
    wanted: Type = parts[0].type
    for part in parts[1:]:
        wanted = join(frame, wanted, part.type, node, "the elements of the arrays")
    made = [frame.bind(convert(frame, part, wanted, node), "part") for part in parts]
    for k, size in enumerate(shape_of(frame, made[0], node)):
        if k != free:
            made = [made[0], *[required_size(frame, q, k, size, node, "arrays put together") for q in made[1:]]]
    return made


def joined(frame: Frame, parts: Sequence[Term], along: int, node: ast.AST) -> Term:
    """Arrays one after the other along an axis; a part such as x[5:] of three numbers has none."""
    made = alike(frame, parts, along, node)
    if len(made) == 1:
        return made[0]
    shape = shape_of(frame, made[0], node)
    lengths = [at_least_zero(length_of(frame, part, node, along)) for part in made]
    sizes = [*shape[:along], reduce(plus, lengths), *shape[along + 1 :]]
    indices = indices_of(frame, len(sizes), node)
    before, after = indices[:along], indices[along + 1 :]
    starts: list[Term] = [Const(0)]
    for length in lengths[:-1]:
        starts.append(plus(starts[-1], length))
    element = get(made[-1], *before, minus(indices[along], starts[-1]), *after)
    for part, start, end in zip(reversed(made[:-1]), reversed(starts[:-1]), reversed(starts[1:]), strict=True):
        here = get(part, *before, minus(indices[along], start), *after)
        element = If(Prim(p.less, (indices[along], end)), here, element)
    return nest(sizes, indices, element)


def stacked(frame: Frame, parts: Sequence[Term], along: int, node: ast.AST) -> Term:
    """Arrays of one shape side by side along a new axis."""
    made = alike(frame, parts, None, node)
    if along == 0:
        return display(frame, made, node)
    sizes = shape_of(frame, made[0], node)
    indices = indices_of(frame, along, node)
    rows = [get(part, *indices) for part in made]
    return nest(sizes[:along], indices, Vector(tuple(rows)))


def concatenate(
    frame: Frame, node: ast.AST, arrays: Value, axis: Value = FIRST, out: Value = NOTHING, dtype: Value = NOTHING
) -> Value:
    """np.concatenate(parts, axis)."""
    refused(frame, node, out=out)
    rows = _rows(frame, arrays, node)
    if rows is not None and isinstance(axis, Const) and axis.value == 0:
        return of_type(frame, _merged(frame, rows, node), dtype, node)
    parts = parts_of(frame, arrays, node)
    if isinstance(axis, Static) and axis.value is None:
        parts = [flat(frame, part, node) for part in parts]
        return of_type(frame, joined(frame, parts, 0, node), dtype, node)
    if any([rank(part) == 0 for part in parts]):
        frame.fail(RankError, node, "a number cannot be concatenated", "put it into a list: [x]")
    return of_type(frame, joined(frame, parts, axis_of(frame, axis, rank(parts[0]), node), node), dtype, node)


def _rows(frame: Frame, value: Value, node: ast.AST) -> Term | None:
    """An array whose rows are the parts, however many there are; None for parts that are written out."""
    if not isinstance(value, Term) or not isinstance(value.type, Array) or isinstance(value, Vector):
        return None
    if rank(value) < 2:
        frame.fail(RankError, node, "the parts are numbers", "put each into a list: [x]")
    return value


def _merged(frame: Frame, rows: Term, node: ast.AST) -> Term:
    """The rows one after the other."""
    rows = frame.bind(rows, "rows")
    return reshaped(frame, rows, [Const(-1), *shape_of(frame, rows, node)[2:]], NOTHING, node)


def stack(
    frame: Frame, node: ast.AST, arrays: Value, axis: Value = FIRST, out: Value = NOTHING, dtype: Value = NOTHING
) -> Value:
    """np.stack(parts, axis)."""
    refused(frame, node, out=out)
    rows = _rows(frame, arrays, node)
    if rows is not None and isinstance(axis, Const) and axis.value == 0:
        return of_type(frame, rows, dtype, node)
    parts = parts_of(frame, arrays, node)
    made = stacked(frame, parts, axis_of(frame, axis, rank(parts[0]) + 1, node), node)
    return of_type(frame, made, dtype, node)


def hstack(frame: Frame, node: ast.AST, tup: Value, dtype: Value = NOTHING) -> Value:
    """np.hstack(parts): along the second axis, numbers and vectors along their only one."""
    parts = [at_least(frame, part, 1, node) for part in parts_of(frame, tup, node)]
    return of_type(frame, joined(frame, parts, 0 if rank(parts[0]) == 1 else 1, node), dtype, node)


def vstack(frame: Frame, node: ast.AST, tup: Value, dtype: Value = NOTHING) -> Value:
    """np.vstack(parts): rows one under the other."""
    rows = _rows(frame, tup, node)
    if rows is not None:
        return of_type(frame, rows if rank(rows) == 2 else _merged(frame, rows, node), dtype, node)
    parts = parts_of(frame, tup, node)
    if all([rank(part) == 1 for part in parts]):
        return of_type(frame, stacked(frame, parts, 0, node), dtype, node)
    return of_type(frame, joined(frame, [at_least(frame, q, 2, node) for q in parts], 0, node), dtype, node)


def dstack(frame: Frame, node: ast.AST, tup: Value) -> Value:
    """np.dstack(parts): along the third axis."""
    return joined(frame, [_deep(frame, part, node) for part in parts_of(frame, tup, node)], 2, node)


def column_stack(frame: Frame, node: ast.AST, tup: Value) -> Value:
    """np.column_stack(parts): vectors as columns."""
    parts = parts_of(frame, tup, node)
    if all([rank(part) == 1 for part in parts]):
        return stacked(frame, parts, 1, node)
    return joined(frame, [expanded(frame, q, [1], node) if rank(q) == 1 else q for q in parts], 1, node)


def block(frame: Frame, node: ast.AST, arrays: Value) -> Value:
    """np.block(nested lists): the parts of the innermost lists along the last axis, those of the next along the one before."""
    depth = _depth(arrays)
    leaves = [array_of(frame, leaf, node) for leaf in _leaves(arrays)]
    wanted = max([depth, *[rank(leaf) for leaf in leaves]])
    left = iter([at_least(frame, leaf, wanted, node) for leaf in leaves])

    def put_together(value: Value, axis: int) -> Term:
        if not isinstance(value, Unrolled):
            return next(left)
        if not value.items or any([_depth(item) != depth - (axis + depth - wanted) - 1 for item in value.items]):
            frame.fail(RankError, node, "lists of unlike depths", "write every part in as many brackets as the others")
        return joined(frame, [put_together(item, axis + 1) for item in value.items], axis, node)

    return put_together(arrays, wanted - depth)


def _depth(value: Value) -> int:
    """How many lists the first part is in."""
    depth = 0
    while isinstance(value, Unrolled) and value.items:
        value, depth = value.items[0], depth + 1
    return depth


def _leaves(value: Value) -> list[Value]:
    """The parts of nested lists, in their order."""
    return [leaf for item in value.items for leaf in _leaves(item)] if isinstance(value, Unrolled) else [value]


def at_least(frame: Frame, array: Term, wanted: int, node: ast.AST) -> Term:
    """The array with axes of size 1 before its own, so that it has `wanted` axes."""
    return expanded(frame, array, range(wanted - rank(array)), node) if rank(array) < wanted else array


def _deep(frame: Frame, array: Term, node: ast.AST) -> Term:
    """np.atleast_3d: vectors become 1 × n × 1, matrices m × n × 1."""
    missing = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}.get(rank(array), ())
    return expanded(frame, array, missing, node) if missing else array


def atleast_1d(frame: Frame, node: ast.AST, a: Value) -> Value:
    """np.atleast_1d(a)."""
    return at_least(frame, frame.term(a, node), 1, node)


def atleast_2d(frame: Frame, node: ast.AST, a: Value) -> Value:
    """np.atleast_2d(a)."""
    return at_least(frame, frame.term(a, node), 2, node)


def atleast_3d(frame: Frame, node: ast.AST, a: Value) -> Value:
    """np.atleast_3d(a)."""
    return _deep(frame, frame.term(a, node), node)


def flat(frame: Frame, array: Term, node: ast.AST) -> Term:
    """The elements row by row; a number as an array of one."""
    return reshaped(frame, array, [Const(-1)], NOTHING, node) if rank(array) != 1 else array


def of_type(frame: Frame, array: Term, dtype: Value, node: ast.AST) -> Term:
    """The array with its elements converted, if a dtype was given."""
    wanted = element_type(frame, dtype, node)
    return array if wanted is None else with_leaf(frame, array, wanted, node)
