"""Nests that are products of matrices, as users write them who assign to elements, are computed as such.

    for i: for l: for j: C[i, j] += A[i, l] * B[l, j]    ~>    C += A B

in any order of the loops, and so is a nest that adds to several arrays.  (Where the array is a comprehension, terms say it
before they are loops: core/matrix_products.py.)
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of
from fsmooth.loops.arithmetic import ZERO, with_values
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import addition, are_definitions, definitions, loads, names_of

Place = tuple[str, t.Expression, Sequence[t.Expression]]
"""A buffer, where one begins there, and how far it is to the next place by each index."""


def multiply_nests(function: t.Function, _: Names) -> t.Function:
    """Compute products of matrices at once."""
    places = Places.of(function.body)

    def changed(loop: t.For) -> Sequence[t.Statement]:
        return _products(loop, places) or (loop,)

    return each_loop(function, changed)


def _products(loop: t.For, places: Places) -> list[t.Statement]:
    """The products that a nest of three loops is; none if it is anything else."""
    loops: list[t.For] = []
    known: dict[str, t.Expression] = {}
    body: t.Body = (loop,)
    while len(loops) < 3:
        *before, inner = body or (None,)
        if not isinstance(inner, t.For) or inner.own or inner.reduced or inner.extrema or not are_definitions(before):
            return []
        known = definitions(before, known)
        loops.append(inner)
        body = inner.body
    stores = [s for s in body if isinstance(s, t.Store)]
    others = [s for s in body if not isinstance(s, t.Store)]
    if not are_definitions(others):
        return []
    known = definitions(others, known)
    indices = [s.index for s in loops]
    sizes = [with_values(s.size, known) for s in loops]
    if not names_of(*sizes).isdisjoint(indices) or any([loads(size) or _is_small(size) for size in sizes]):
        return []
    found = [_product(s, indices, sizes, known) for s in stores]
    made = [product for product in found if product is not None]
    read = {m.buffer for product in made for m in (product.left, product.right)}
    if len(made) < len(found) or not places.all_apart([x.target.buffer for x in made], read):
        return []
    return list(made)


def _is_small(size: t.Expression) -> bool:
    return isinstance(size, t.Literal) and size.value < thresholds.MATRIX_SIDE


def _product(
    store: t.Store, indices: Sequence[str], sizes: Sequence[t.Expression], known: dict[str, t.Expression]
) -> t.Multiply | None:
    """A store of such a nest as a product of all of its iterations."""
    value = addition(store, known)
    target = _place(store.buffer, with_values(store.index, known), indices)
    match value:
        case t.Operation(p.multiply, (t.Load(), t.Load()) as both):
            factors = [_place(x.buffer, x.index, indices) for x in both if isinstance(x, t.Load)]
        case _:
            return None
    axes = [] if target is None else [k for k, stride in enumerate(target[2]) if stride is not ZERO]
    if len(axes) != 2 or not isinstance(value.type, Float):
        return None
    (l,) = set(range(3)) - set(axes)
    for i, j in (axes, axes[::-1]):
        left, right = _matrix(factors[0], i, l, j), _matrix(factors[1], l, j, i)
        into = _matrix(target, i, j, l)
        if left is not None and right is not None and into is not None:
            return t.Multiply(into, left, right, sizes[i], sizes[j], sizes[l], value.type, True)
    return None


def _place(buffer: str, index: t.Expression, indices: Sequence[str]) -> Place | None:
    strides: list[t.Expression] = []
    for name in indices:
        found = stride_of(index, name)
        if found is None:
            return None
        index, stride = found
        strides.append(stride)
    if any([loads(e) for e in (index, *strides)]) or not names_of(index, *strides).isdisjoint(indices):
        return None  # what says where it is may be there only if the loops run
    return buffer, index, strides


def _matrix(place: Place | None, row: int, column: int, other: int) -> t.Matrix | None:
    """A matrix with these loops as its axes, if it does not vary in the other one, and does in both."""
    if place is None or place[2][other] is not ZERO or place[2][row] is ZERO or place[2][column] is ZERO:
        return None
    return t.Matrix(place[0], place[1], place[2][row], place[2][column])
