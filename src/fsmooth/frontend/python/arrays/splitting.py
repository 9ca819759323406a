"""Arrays taken apart: split and its kind, and the arrays that several make together."""

from __future__ import annotations

import ast
from itertools import pairwise

from fsmooth.core import primitives as p
from fsmooth.core.broadcast import aligned
from fsmooth.core.build import get, minus, plus, quotient, times
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Const, Prim, Term
from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.python.arrays.arguments import (
    FIRST,
    NO,
    NOTHING,
    array_of,
    axis_of,
    flag,
    is_none,
    items,
    number,
    rank,
)
from fsmooth.frontend.python.arrays.axes import indices_of, nest, shape_of, view
from fsmooth.frontend.python.broadcasting import agreed
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import constant_size, required_size
from fsmooth.frontend.python.slices import from_end, not_above, not_below
from fsmooth.frontend.python.values import Static, Unrolled, Value

XY = Static("xy")


def piece(frame: Frame, array: Term, axis: int, start: Term, count: Term, node: ast.AST) -> Term:
    """`count` lines of an array from `start` on."""
    sizes, indices = shape_of(frame, array, node), indices_of(frame, rank(array), node)
    places = [plus(start, i) if k == axis else i for k, i in enumerate(indices)]
    sizes[axis] = count
    return view(frame, nest(sizes, indices, get(array, *places)), array)


def cut(frame: Frame, array: Term, places: list[Value], axis: int, node: ast.AST) -> Value:
    """An array in the parts that end before these places, and what follows them."""
    array = frame.bind(array, "a")
    n = shape_of(frame, array, node)[axis]
    bounds = [Const(0), *[_inside(frame, frame.term(place, node), n) for place in places], n]
    counts = [at_least_zero(minus(b, a)) for a, b in pairwise(bounds)]
    return Unrolled(
        tuple([piece(frame, array, axis, a, count, node) for a, count in zip(bounds[:-1], counts, strict=True)])
    )


def even(frame: Frame, array: Term, count: int, axis: int, node: ast.AST) -> Value:
    """An array in parts of equal size."""
    array = frame.bind(array, "a")
    n = shape_of(frame, array, node)[axis]
    size = quotient(n, Const(count))
    array = required_size(frame, array, axis, times(size, Const(count)), node, f"an array split into {count}")
    return Unrolled(tuple([piece(frame, array, axis, times(size, Const(k)), size, node) for k in range(count)]))


def uneven(frame: Frame, array: Term, count: int, axis: int, node: ast.AST) -> Value:
    """An array in parts of which the first are one longer than the last."""
    array = frame.bind(array, "a")
    n = shape_of(frame, array, node)[axis]
    size = quotient(n, Const(count))
    rest = minus(n, times(size, Const(count)))
    starts = [plus(times(size, Const(k)), _smaller(Const(k), rest)) for k in range(count + 1)]
    counts = [minus(b, a) for a, b in pairwise(starts)]
    return Unrolled(
        tuple([piece(frame, array, axis, a, size, node) for a, size in zip(starts[:-1], counts, strict=True)])
    )


def sections(frame: Frame, value: Value, node: ast.AST) -> int:
    """The number of parts."""
    count = number(frame, value, node, "the number of parts")
    if count < 1:
        frame.fail(ArgumentMismatchError, node, f"{count} parts", "split into one part or more")
    return count


def _smaller(a: Term, b: Term) -> Term:
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(min(int(a.value), int(b.value)))
    return Prim(p.minimum, (a, b))


def _inside(frame: Frame, place: Term, n: Term) -> Term:
    """The end of a part as that of a slice: negative ones count from the end, none is beyond either end."""
    return frame.bind(not_above(frame, not_below(frame, from_end(frame, place, n), Const(0)), n), "end")


def split(frame: Frame, node: ast.AST, ary: Value, indices_or_sections: Value, axis: Value = FIRST) -> Value:
    """np.split: parts of equal size, or those that end before the places given."""
    array = array_of(frame, ary, node)
    along, places = axis_of(frame, axis, rank(array), node), items(indices_or_sections)
    if places is not None:
        return cut(frame, array, places, along, node)
    return even(frame, array, sections(frame, indices_or_sections, node), along, node)


def array_split(frame: Frame, node: ast.AST, ary: Value, indices_or_sections: Value, axis: Value = FIRST) -> Value:
    """np.array_split: parts whose sizes differ by one at most, or those that end before the places given."""
    array = array_of(frame, ary, node)
    along, places = axis_of(frame, axis, rank(array), node), items(indices_or_sections)
    if places is not None:
        return cut(frame, array, places, along, node)
    return uneven(frame, array, sections(frame, indices_or_sections, node), along, node)


def hsplit(frame: Frame, node: ast.AST, ary: Value, indices_or_sections: Value) -> Value:
    """np.hsplit: along the second axis; of a vector, along its only one."""
    array = array_of(frame, ary, node)
    return split(frame, node, array, indices_or_sections, Const(min(rank(array) - 1, 1)))


def vsplit(frame: Frame, node: ast.AST, ary: Value, indices_or_sections: Value) -> Value:
    """np.vsplit: along the first axis."""
    return split(frame, node, ary, indices_or_sections, FIRST)


def dsplit(frame: Frame, node: ast.AST, ary: Value, indices_or_sections: Value) -> Value:
    """np.dsplit: along the third axis."""
    return split(frame, node, ary, indices_or_sections, Const(2))


def unstack(frame: Frame, node: ast.AST, x: Value, axis: Value = FIRST) -> Value:
    """np.unstack: the lines along an axis of a size that is known."""
    array = frame.bind(array_of(frame, x, node), "a")
    along = axis_of(frame, axis, rank(array), node)
    count = constant_size(frame, shape_of(frame, array, node)[along])
    if count is None:
        what = "the number of parts is not known while compiling"
        frame.fail(ArgumentMismatchError, node, what, "annotate the argument, or loop over it")
    sizes, indices = shape_of(frame, array, node), indices_of(frame, rank(array), node)
    kept = [k for k in range(rank(array)) if k != along]

    def line(place: int) -> Term:
        element = get(array, *[Const(place) if k == along else i for k, i in enumerate(indices)])
        return view(frame, nest([sizes[k] for k in kept], [indices[k] for k in kept], element), array)

    return Unrolled(tuple([line(place) for place in range(count)]))


def meshgrid(
    frame: Frame,
    node: ast.AST,
    x1: Value,
    x2: Value = NOTHING,
    x3: Value = NOTHING,
    x4: Value = NOTHING,
    copy: Value = NO,
    sparse: Value = NO,
    indexing: Value = XY,
) -> Value:
    """np.meshgrid: the coordinates of the points of a grid, by columns and rows, or (indexing="ij") by rows and columns."""
    given = [frame.bind(array_of(frame, x, node), "x") for x in (x1, x2, x3, x4) if not is_none(x)]
    if not (isinstance(indexing, Static) and indexing.value in ("xy", "ij")):
        frame.fail(ArgumentMismatchError, node, "indexing of a grid", 'write indexing="xy" or indexing="ij"')
    order = list(range(len(given)))
    if indexing.value == "xy" and len(given) > 1:
        order[:2] = [1, 0]
    places = [order.index(k) for k in range(len(given))]
    sizes = [shape_of(frame, given[k], node)[0] for k in order]
    thin = flag(frame, sparse, node, "sparse")
    grids = []
    for x, place in zip(given, places, strict=True):
        indices = indices_of(frame, len(given), node)
        shape = [size if k == place or not thin else Const(1) for k, size in enumerate(sizes)]
        grids.append(nest(shape, indices, get(x, indices[place])))
    return Unrolled(tuple([frame.bind(grid, "grid") for grid in grids]))


def broadcast_arrays(
    frame: Frame, node: ast.AST, a1: Value, a2: Value = NOTHING, a3: Value = NOTHING, a4: Value = NOTHING
) -> Value:
    """np.broadcast_arrays: arrays in the shape they have together."""
    given = [frame.bind(array_of(frame, a, node), "a") for a in (a1, a2, a3, a4) if not is_none(a)]
    shape = aligned([shape_of(frame, a, node) for a in given], lambda size: constant_size(frame, size) == 1)
    sizes = [agreed(frame, along, node) for along in shape.sizes]
    made = []
    for k, a in enumerate(given):
        indices = indices_of(frame, len(sizes), node)
        made.append(view(frame, nest(sizes, indices, shape.element(k, a, indices)), a))
    return Unrolled(tuple(made))
