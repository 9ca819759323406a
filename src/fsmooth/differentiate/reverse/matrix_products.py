"""The transpose of a product: r Bᵀ for A and Aᵀ r for B, each a product of its own; of a matrix and a vector, r xᵀ and Aᵀ r.

The general rules would make one nest of loops that adds to both cotangents in each of its steps; no order of its loops
suits both, and no tile serves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from fsmooth.core.build import get
from fsmooth.core.matrix_products import Axis, MatrixProduct, Product, built, multiplied, summed_over
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import Delta, Get, Proj, Term, Var, let


class Place(Struct, frozen=True, eq=False):
    """An array and the indices at which a factor is its element."""

    array: Term
    indices: tuple[Term, ...]

    def mentions(self, axis: Axis) -> bool:
        """Is it another place for another index?"""
        return any([axis.index in index.free for index in self.indices])


def passed_on(product: Product, r: Term, is_active: Callable[[Term], bool]) -> Sequence[tuple[Term, Term]] | None:
    """The arrays that the active factors are elements of, and what each receives; None if one is no element of an array."""
    at = get(r, *[axis.index for axis in product.outer])
    every = (*product.outer, *product.sums)
    found: list[tuple[Term, Term]] = []
    for own, other, axes in _sides(product):
        for k, factor in enumerate(own):
            if not is_active(factor):
                continue
            place = _place(factor, every)
            if place is None or not all([place.mentions(axis) for axis in axes]):
                return None
            gone = [axis for axis in every if not place.mentions(axis)]
            besides = (*own[:k], *own[k + 1 :])
            summed = [f for f in besides if not f.free.isdisjoint([axis.index for axis in gone])]
            value = summed_over(gone, multiplied((at, *other, *summed)))
            value = multiplied((value, *[f for f in besides if f not in summed]))
            try:
                found.append((place.array, _received(place, [axis for axis in every if axis not in gone], axes, value)))
            except Ragged:
                return None
    return found


def _sides(product: Product) -> Iterator[tuple[tuple[Term, ...], tuple[Term, ...], Sequence[Axis]]]:
    """Each side, the other one, and the axes of its matrix or vector."""
    columns = (product.columns,) if isinstance(product, MatrixProduct) else ()
    yield product.left, product.right, (product.rows, product.summed)
    yield product.right, product.left, (product.summed, *columns)


def _place(factor: Term, every: Sequence[Axis]) -> Place | None:
    """Where a factor is in an array that is the same along all axes of a product."""
    varying = [axis.index for axis in every]
    indices: list[Term] = []
    while isinstance(factor, Get) and not factor.free.isdisjoint(varying):
        indices.append(factor.index)
        factor = factor.array
    return Place(factor, tuple(indices[::-1])) if _is_path(factor) and factor.free.isdisjoint(varying) else None


def _is_path(term: Term) -> bool:
    while isinstance(term, Get | Proj):
        if isinstance(term, Get) and not isinstance(term.index, Var):
            return False
        term = term.array if isinstance(term, Get) else term.tuple
    return isinstance(term, Var)


def _received(place: Place, every: Sequence[Axis], axes: Sequence[Axis], value: Term) -> Term:
    """What an array receives at a place that varies along `every` axis, of which `axes` are those of a matrix.

    If the indices are axes, each once, there is one product for all; where they cover the array, laws make it that.  Else,
    as in a convolution, there is one for each index along the other axes.
    """
    by_index: dict[Term, Axis] = {axis.index: axis for axis in every}
    order = [by_index[index] for index in place.indices if index in by_index]
    if len(place.indices) == len(every) == len({axis.index for axis in order}):
        axes = order
    product = Var("product", built(axes, value).type)
    result: Term = get(product, *[axis.index for axis in axes])
    for position, index in reversed(list(enumerate(place.indices))):
        result = Delta(size_of(place.array, position), index, result)
        before = Place(place.array, place.indices[:position])
        result = summed_over([x for x in axes if x.index in index.free and not before.mentions(x)], result)
    result = let(((product, built(axes, value)),), result)
    return refresh(summed_over([axis for axis in every if axis not in axes], result))
