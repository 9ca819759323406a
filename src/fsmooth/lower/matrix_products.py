"""Products of matrices as one statement, which a kernel computes in tiles (core/matrix_products.py; backend/c/products.py)."""

from __future__ import annotations

from fsmooth.core.matrix_products import matrix_product
from fsmooth.core.term import Build
from fsmooth.core.types import Float
from fsmooth.loops import tree as t
from fsmooth.lower.aliases import alias
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Mode, Value, View, leaves


def product_into(ctx: Context, term: Build, dest: Destination, mode: Mode) -> bool:
    """Multiply two matrices into a destination that they do not read; False if the array is not such a product.

    A side that is more than a part of an array is computed first: it takes no more room than what is multiplied with it.
    """
    if not ctx.accumulators or not isinstance(dest, View) or len(dest.sizes) != 2:
        return False
    product = matrix_product(term)
    if product is None:
        return False
    present = [ctx.environment[var] for var in term.free if var in ctx.environment]
    if any([_buffers(value) & {dest.buffer} for value in present]):
        return False
    left, right = [alias(ctx, side) or ctx.value(side) for side in product.matrices]
    if not isinstance(left, View) or not isinstance(right, View):
        return False
    m, n, k = [ctx.extent(ctx.scalar(axis.size)) for axis in (product.rows, product.columns, product.summed)]
    adds = mode is Mode.ACCUMULATE or dest.added
    assert isinstance(dest.leaf, Float)
    ctx.emit(t.Multiply(_matrix(dest), _matrix(left), _matrix(right), m, n, k, dest.leaf, adds))
    return True


def _matrix(view: View) -> t.Matrix:
    return t.Matrix(view.buffer, view.offset, view.strides[0], view.strides[1])


def _buffers(value: Value) -> set[str]:
    return {leaf.buffer for leaf in leaves(value) if isinstance(leaf, View)}
