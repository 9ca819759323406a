"""Products of matrices as one statement, which a kernel computes in tiles (core/matrix_products.py; backend/c/products.py)."""

from __future__ import annotations

from fsmooth.core.matrix_products import matrix_product
from fsmooth.core.term import Build
from fsmooth.core.types import BOOL, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import positive
from fsmooth.loops.usage import loads
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
    m, n, k = [ctx.extent(ctx.scalar(axis.size)) for axis in (product.rows, product.columns, product.summed)]
    adds = mode is Mode.ACCUMULATE or dest.added
    assert isinstance(dest.leaf, Float)
    views = [_part(ctx, side) for side in product.matrices]
    outer = ctx.open_block() if None in views else None  # what is computed is in bounds only if there is an element
    left, right = [view or ctx.value(side) for view, side in zip(views, product.matrices, strict=True)]
    assert isinstance(left, View)
    assert isinstance(right, View)
    ctx.emit(t.Multiply(_matrix(dest), _matrix(left), _matrix(right), m, n, k, dest.leaf, adds))
    if outer is not None:
        body = ctx.close_block(outer)
        is_there = t.Conditional(positive(m), positive(n), t.Literal(False, BOOL))
        ctx.emit(t.If(is_there, tuple(body)))
    return True


def _part(ctx: Context, side: Build) -> View | None:
    """A side that is part of an array; None if it is to be computed, or if it takes reading to know where it is."""
    view = alias(ctx, side)
    if view is None or any([loads(e) for e in (view.offset, *view.strides)]):
        return None
    return view


def _matrix(view: View) -> t.Matrix:
    return t.Matrix(view.buffer, view.offset, view.strides[0], view.strides[1])


def _buffers(value: Value) -> set[str]:
    return {leaf.buffer for leaf in leaves(value) if isinstance(leaf, View)}
