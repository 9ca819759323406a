"""The axes of an array in another order, more of them, or fewer: transpose, expand_dims, squeeze, broadcast_to."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from fsmooth.core.build import get
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Build, Const, MakeTuple, Term, Var
from fsmooth.core.types import INT
from fsmooth.errors import ArgumentMismatchError, RankError
from fsmooth.frontend.python.arrays.arguments import (
    NOTHING,
    array_of,
    axes_of,
    axis_of,
    is_none,
    items,
    rank,
)
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import (
    constant_size,
    count_elements,
    length_of,
    required_size,
    same_size,
    shape_of_array,
)
from fsmooth.frontend.python.values import Value


def shape_of(frame: Frame, array: Term, node: ast.AST) -> list[Term]:
    """The sizes of an array."""
    return [length_of(frame, array, node, k) for k in range(rank(array))]


def indices_of(frame: Frame, count: int, node: ast.AST) -> list[Var]:
    """New indices for axes; they count steps of loops."""
    made = [Var("ijklmn"[k % 6], INT, frame.site(node)) for k in range(count)]
    frame.shared.counters.update(made)
    return made


def nest(sizes: Sequence[Term], indices: Sequence[Var], body: Term) -> Term:
    """Builds around `body`, the first size outermost."""
    for size, index in zip(reversed(sizes), reversed(indices), strict=True):
        body = Build(size, index, body)
    return body


def view(frame: Frame, result: Term, owner: Term) -> Term:
    """`result`, which shares the memory of `owner` in NumPy."""
    result = frame.bind(result, "view")
    frame.shared.views.remember(result, owner)
    return result


def permuted(frame: Frame, array: Term, order: Sequence[int], node: ast.AST) -> Term:
    """The array whose axis k is axis `order[k]` of `array`."""
    if list(order) == list(range(len(order))):
        return array
    array = frame.bind(array, "a")
    sizes, indices = shape_of(frame, array, node), indices_of(frame, len(order), node)
    element = get(array, *[indices[list(order).index(k)] for k in range(len(order))])
    return view(frame, nest([sizes[k] for k in order], indices, element), array)


def ndim(frame: Frame, node: ast.AST, a: Value) -> Value:
    """np.ndim(a)."""
    return Const(rank(array_of(frame, a, node)))


def shape(frame: Frame, node: ast.AST, a: Value) -> Value:
    """np.shape(a)."""
    array = array_of(frame, a, node)
    return shape_of_array(frame, array, node) if rank(array) else MakeTuple(())


def size(frame: Frame, node: ast.AST, a: Value, axis: Value = NOTHING) -> Value:
    """np.size(a), np.size(a, axis)."""
    array = frame.bind(array_of(frame, a, node), "a")
    if is_none(axis):
        return count_elements(frame, array, node)
    return at_least_zero(length_of(frame, array, node, axis_of(frame, axis, rank(array), node)))


def transpose(frame: Frame, node: ast.AST, a: Value, axes: Value = NOTHING) -> Value:
    """np.transpose(a), np.transpose(a, order)."""
    array = array_of(frame, a, node)
    order = tuple(reversed(range(rank(array)))) if is_none(axes) else axes_of(frame, axes, rank(array), node) or ()
    if len(order) != rank(array):
        what = f"{len(order)} axes for an array of rank {rank(array)}"
        frame.fail(ArgumentMismatchError, node, what, "name each axis once")
    return permuted(frame, array, order, node)


def moveaxis(frame: Frame, node: ast.AST, a: Value, source: Value, destination: Value) -> Value:
    """np.moveaxis(a, source, destination)."""
    array = array_of(frame, a, node)
    old, new = axes_of(frame, source, rank(array), node) or (), axes_of(frame, destination, rank(array), node) or ()
    if len(old) != len(new):
        frame.fail(ArgumentMismatchError, node, f"{len(old)} axes for {len(new)} places", "give each axis a place")
    order = [k for k in range(rank(array)) if k not in old]
    for place, k in sorted(zip(new, old, strict=True)):
        order.insert(place, k)
    return permuted(frame, array, order, node)


def swapaxes(frame: Frame, node: ast.AST, a: Value, axis1: Value, axis2: Value) -> Value:
    """np.swapaxes(a, i, j)."""
    array = array_of(frame, a, node)
    first, second = axis_of(frame, axis1, rank(array), node), axis_of(frame, axis2, rank(array), node)
    order = list(range(rank(array)))
    order[first], order[second] = second, first
    return permuted(frame, array, order, node)


def expanded(frame: Frame, array: Term, places: Sequence[int], node: ast.AST) -> Term:
    """The array with axes of size 1 at these places of the result."""
    array = frame.bind(array, "a")
    sizes = iter(shape_of(frame, array, node))
    total = rank(array) + len(places)
    indices = indices_of(frame, total, node)
    own = [i for k, i in enumerate(indices) if k not in places]
    shape = [Const(1) if k in places else next(sizes) for k in range(total)]
    return view(frame, nest(shape, indices, get(array, *own)), array)


def expand_dims(frame: Frame, node: ast.AST, a: Value, axis: Value) -> Value:
    """np.expand_dims(a, axis)."""
    array = array_of(frame, a, node)
    given = items(axis)
    count = 1 if given is None else len(given)
    places = axes_of(frame, axis, rank(array) + count, node) or ()
    return expanded(frame, array, places, node)


def squeeze(frame: Frame, node: ast.AST, a: Value, axis: Value = NOTHING) -> Value:
    """np.squeeze(a), np.squeeze(a, axis): without axes of size 1, which must be known to have it or be named."""
    array = frame.bind(array_of(frame, a, node), "a")
    sizes = shape_of(frame, array, node)
    named = axes_of(frame, axis, rank(array), node)
    dropped = [k for k, s in enumerate(sizes) if constant_size(frame, s) == 1] if named is None else list(named)
    if named is None and not dropped and sizes and all([constant_size(frame, s) is None for s in sizes]):
        what = "none of the sizes of this array is known to be 1 while compiling"
        frame.fail(RankError, node, what, "name the axis: np.squeeze(x, axis=0)")
    for k in dropped:
        array = required_size(frame, array, k, Const(1), node, "an axis that is squeezed")
    indices = indices_of(frame, rank(array), node)
    element = get(array, *[Const(0) if k in dropped else i for k, i in enumerate(indices)])
    kept = [k for k in range(rank(array)) if k not in dropped]
    return view(frame, nest([sizes[k] for k in kept], [indices[k] for k in kept], element), array)


def broadcast_to(frame: Frame, node: ast.AST, array: Value, shape: Value) -> Value:
    """np.broadcast_to(a, shape): axes of size 1 that are known are stretched."""
    given = array_of(frame, array, node)
    parts = items(shape)
    wanted = [frame.term(one, node) for one in ([shape] if parts is None else parts)]
    if len(wanted) < rank(given):
        what = f"an array of rank {rank(given)} in a shape of {len(wanted)}"
        frame.fail(RankError, node, what, "give a size for each axis")
    given = frame.bind(given, "a")
    indices = indices_of(frame, len(wanted), node)
    sizes = list(wanted)
    own = []
    for k, have in enumerate(shape_of(frame, given, node)):
        place = k + len(wanted) - rank(given)
        stretched = constant_size(frame, have) == 1 and constant_size(frame, wanted[place]) != 1
        own.append(Const(0) if stretched else indices[place])
        if not stretched:
            sizes[place] = same_size(frame, have, wanted[place], node, "an array and the shape it is broadcast to")
    return view(frame, nest(sizes, indices, get(given, *own)), given)
