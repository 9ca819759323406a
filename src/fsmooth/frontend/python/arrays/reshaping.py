"""np.reshape: the elements row by row in another shape.

The axes of both shapes are matched in groups whose products are equal: (n, 6) to (n, 2, 3) leaves n alone, and 6 is read
at 3 i + j; only an axis that joins several is taken apart by division.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce

from fsmooth.core import primitives as p
from fsmooth.core.build import get, plus, times
from fsmooth.core.term import Const, Prim, Term
from fsmooth.core.types import Int
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.arrays.arguments import (
    BY_ROWS,
    array_of,
    is_none,
    items,
)
from fsmooth.frontend.python.arrays.axes import indices_of, nest, shape_of, view
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import constant_size, equal_sizes, if_equal
from fsmooth.frontend.python.values import Static, Value
from fsmooth.rewrite.linear import polynomial

ONE: Term = Const(1)


def reshape(frame: Frame, node: ast.AST, a: Value, shape: Value, order: Value = BY_ROWS) -> Value:
    """np.reshape(a, shape); one size may be -1."""
    given = items(shape)
    sizes = [frame.term(one, node) for one in ([shape] if given is None else given)]
    return reshaped(frame, array_of(frame, a, node), sizes, order, node)


def ravel(frame: Frame, node: ast.AST, a: Value, order: Value = BY_ROWS) -> Value:
    """np.ravel(a): the elements row by row."""
    return reshaped(frame, array_of(frame, a, node), [Const(-1)], order, node)


def reshaped(frame: Frame, array: Term, wanted: list[Term], order: Value, node: ast.AST) -> Term:
    """The elements of `array`, row by row, in a shape of these sizes."""
    if not is_none(order) and not (isinstance(order, Static) and order.value in ("C", "A", "K")):
        frame.unsupported(node, "an order of memory", "arrays are stored row by row; transpose before and after")
    for size in wanted:
        if not isinstance(size.type, Int):
            frame.fail(TypeMismatchError, node, "a size is an integer", "use int(…)")
    array = frame.bind(array, "a")
    old = shape_of(frame, array, node)
    new = [Const(known) if (known := constant_size(frame, size)) is not None else size for size in wanted]
    unknown = [k for k, size in enumerate(new) if isinstance(size, Const) and size.value == -1]
    if len(unknown) > 1:
        frame.fail(ArgumentMismatchError, node, "a shape with several -1", "leave one size to be found")
    if unknown:
        new[unknown[0]] = _found(frame, old, [size for k, size in enumerate(new) if k not in unknown])
    indices = indices_of(frame, len(new), node)
    places: list[Term] = []
    for these, those in _groups(old, new):
        have, want = [old[k] for k in these], [new[k] for k in those]
        if not _provably(have, want):
            array = _required(frame, array, _product(have), _product(want), node)
        places.extend(_places(have, want, [indices[k] for k in those]))
    return view(frame, nest(new, indices, get(array, *places)), array)


def _product(sizes: Sequence[Term]) -> Term:
    return reduce(times, sizes, ONE)


def _provably(have: Sequence[Term], want: Sequence[Term]) -> bool:
    return polynomial(_product(have)).plus(polynomial(_product(want)), -1).is_zero()


def _found(frame: Frame, old: list[Term], others: list[Term]) -> Term:
    """The size that is written -1: the sizes of the array without the other sizes of the shape."""
    left = list(old)
    rest: list[Term] = []
    for size in others:
        same = next((k for k, one in enumerate(left) if _provably([one], [size])), None)
        if same is None:
            rest.append(size)
        else:
            left.pop(same)
    total, divisor = _product(left), _product(rest)
    if isinstance(divisor, Const) and divisor.value == 1:
        return total
    if isinstance(total, Const) and isinstance(divisor, Const) and divisor.value != 0:
        return Const(int(total.value) // int(divisor.value))
    return frame.bind(Prim(p.floor_divide, (total, Prim(p.maximum, (divisor, Const(1))))), "size")


def _groups(old: list[Term], new: list[Term]) -> list[tuple[list[int], list[int]]]:
    """The axes of both shapes, in the fewest per group such that the products are known to be equal."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        a, b = _next(old[i:], new[j:])
        groups.append((list(range(i, i + a)), list(range(j, j + b))))
        i, j = i + a, j + b
    return groups


def _next(old: list[Term], new: list[Term]) -> tuple[int, int]:
    for count in range(1, len(old) + len(new) + 1):
        for a in range(max(0, count - len(new)), min(count, len(old)) + 1):
            if _provably(old[:a], new[: count - a]):
                return a, count - a
    return len(old), len(new)


def _places(have: Sequence[Term], want: Sequence[Term], indices: Sequence[Term]) -> list[Term]:
    """The indices of the element of axes of sizes `have` that stands at `indices` of axes of sizes `want`."""
    if not have:
        return []
    place: Term = Const(0)
    for size, index in zip(want, indices, strict=True):
        place = plus(times(place, size), index) if not (isinstance(place, Const) and place.value == 0) else index
    found: list[Term] = []
    for size in reversed(have[1:]):
        if isinstance(size, Const) and size.value == 1:
            found.append(Const(0))
            continue
        found.append(Prim(p.modulo, (place, size)))
        place = Prim(p.floor_divide, (place, size))
    return [place, *reversed(found)]


def _required(frame: Frame, array: Term, have: Term, want: Term, node: ast.AST) -> Term:
    """`array`, which exists only if it has as many elements as the shape."""
    if equal_sizes(frame, have, want, node, "the elements of an array and of its new shape"):
        return array
    return if_equal(frame, array, have, want, node)
