"""The transpose of a product: r Bᵀ for A and Aᵀ r for B, each a product of its own; of a matrix and a vector, r xᵀ and Aᵀ r.

The general rules would make one nest of loops that adds to both cotangents in each of its steps; no order of its loops
suits both, and no tile serves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fsmooth.core.build import get
from fsmooth.core.matrix_products import Axis, MatrixProduct, Product, multiplied
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import Build, Delta, Get, Proj, Reduce, Reduction, Term, Var, let


def passed_on(product: Product, r: Term, is_active: Callable[[Term], bool]) -> Sequence[tuple[Term, Term]] | None:
    """The arrays that the active factors are elements of, and what each receives; None if one is no element at its indices."""
    at = get(r, *[axis.index for axis in product.outer])
    found: list[tuple[Term, Term]] = []
    for own, other, axes, gone in _sides(product):
        for k, factor in enumerate(own):
            if not is_active(factor):
                continue
            place = _array(factor, axes)
            if place is None:
                return None
            value: Term = multiplied((at, *other))
            if gone is not None:
                value = Reduce(Reduction.SUM, gone.size, gone.index, value)
            try:
                found.append((place[0], _received(*place, multiplied((value, *own[:k], *own[k + 1 :])))))
            except Ragged:
                return None
    return found


def _sides(product: Product) -> Iterator[tuple[tuple[Term, ...], tuple[Term, ...], Sequence[Axis], Axis | None]]:
    """Each side, the other one, the axes of its matrix or vector, and the axis of the product that it does not have."""
    rows, summed = product.rows, product.summed
    columns = (product.columns,) if isinstance(product, MatrixProduct) else ()
    yield product.left, product.right, (rows, summed), columns[0] if columns else None
    yield product.right, product.left, (summed, *columns), rows


def _array(factor: Term, axes: Sequence[Axis]) -> tuple[Term, list[Axis]] | None:
    """The array of which a factor is the element at the indices of axes, each once, and these in their order there."""
    by_index: dict[Term, Axis] = {axis.index: axis for axis in axes}
    order: list[Axis] = []
    while isinstance(factor, Get) and len(order) < len(axes):
        if factor.index not in by_index:
            return None
        order.append(by_index.pop(factor.index))
        factor = factor.array
    if by_index or not _is_path(factor) or not factor.free.isdisjoint([axis.index for axis in axes]):
        return None
    return factor, order[::-1]


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
    for position, axis in reversed(list(enumerate(axes))):
        result = Delta(size_of(array, position), axis.index, result)
        result = Reduce(Reduction.SUM, axis.size, axis.index, result)
    return refresh(let(((product, whole),), result))
