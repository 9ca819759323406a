"""The transpose of a product of matrices: r Bᵀ for A and Aᵀ r for B, each a product of its own.

The general rules would make one nest of loops that adds to both cotangents in each of its steps; no order of its loops
suits both, and no tile serves them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.build import get
from fsmooth.core.matrix_products import Axis, MatrixProduct, multiplied
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import Build, Delta, Get, Prim, Proj, Reduce, Reduction, Term, Var, let


def passed_on(product: MatrixProduct, r: Term, is_active: Callable[[Term], bool]) -> Sequence[tuple[Term, Term]] | None:
    """The arrays that the active factors are elements of, and what each receives; None if one is no element at its indices."""
    rows, columns, summed = product.rows, product.columns, product.summed
    found: list[tuple[Term, Term]] = []
    for own, other, outer, inner, gone in (
        (product.left, product.right, rows, summed, columns),
        (product.right, product.left, summed, columns, rows),
    ):
        for k, factor in enumerate(own):
            if not is_active(factor):
                continue
            place = _array(factor, outer, inner)
            if place is None:
                return None
            array, axes = place
            across = Reduce(
                Reduction.SUM,
                gone.size,
                gone.index,
                Prim(p.multiply, (get(r, rows.index, columns.index), multiplied(other))),
            )
            rest = own[:k] + own[k + 1 :]
            value: Term = Prim(p.multiply, (across, multiplied(rest))) if rest else across
            try:
                found.append((array, _received(array, axes, value)))
            except Ragged:
                return None
    return found


def _array(factor: Term, *axes: Axis) -> tuple[Term, list[Axis]] | None:
    """The array of which a factor is the element at the indices of both axes, in the order in which they follow."""
    if not isinstance(factor, Get) or not isinstance(factor.array, Get):
        return None
    by_index = {axis.index: axis for axis in axes}
    array = factor.array.array
    indices = [factor.array.index, factor.index]
    if set(indices) != by_index.keys() or not _is_path(array) or not by_index.keys().isdisjoint(array.free):
        return None
    return array, [by_index[i] for i in indices if isinstance(i, Var)]


def _is_path(term: Term) -> bool:
    while isinstance(term, Get | Proj):
        if isinstance(term, Get) and not isinstance(term.index, Var):
            return False
        term = term.array if isinstance(term, Get) else term.tuple
    return isinstance(term, Var)


def _received(array: Term, axes: Sequence[Axis], value: Term) -> Term:
    """What an array receives at the indices of its axes; where they cover these, laws make it the product itself."""
    whole = value
    for axis in reversed(axes):
        whole = Build(axis.size, axis.index, whole)
    product = Var("product", whole.type)
    result: Term = get(product, *[axis.index for axis in axes])
    for axis, position in zip(reversed(axes), (1, 0), strict=True):
        result = Delta(size_of(array, position), axis.index, result)
        result = Reduce(Reduction.SUM, axis.size, axis.index, result)
    return refresh(let(((product, whole),), result))
