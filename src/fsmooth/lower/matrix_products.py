"""Products of matrices as one statement, which a kernel computes in tiles (core/matrix_products.py; backend/c/products.py)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import reduce

from msgspec.structs import replace

from fsmooth.core.build import get, zero_like
from fsmooth.core.matrix_products import Axis, MatrixProduct, built, matrix_product, multiplied
from fsmooth.core.term import Build, Get, Term, Var
from fsmooth.core.types import BOOL, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, plus, positive, same, times
from fsmooth.loops.usage import loads
from fsmooth.lower.aliases import alias
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Mode, Value, View, leaves, readable
from fsmooth.lower.loop import Loop
from fsmooth.lower.storage import storage_for


def product_into(ctx: Context, term: Build, dest: Destination, mode: Mode) -> bool:
    """Multiply two matrices into a destination that they do not read; False if the array is not such a product.

    Of more axes there is a product in each iteration of loops over all but three.
    """
    if not ctx.accumulators or not isinstance(dest, View):
        return False
    product = matrix_product(term)
    if product is None or len(dest.sizes) != len(product.nest):
        return False
    present = [ctx.environment[var] for var in term.free if var in ctx.environment]
    if any([_buffers(value) & {dest.buffer} for value in present]):
        return False
    product = _in_order(ctx, product)
    with ExitStack() as loops:
        axes = list(product.nest)
        for axis in product.around:
            size = ctx.extent(ctx.scalar(axis.size))
            at = loops.enter_context(Loop(ctx, axis.index, size, t.Kind.PARALLEL)).index
            dest = _along(dest, axes.index(axis), at)
            axes.remove(axis)
        _summed_into(ctx, product, dest, mode)
    return True


def _in_order(ctx: Context, product: MatrixProduct) -> MatrixProduct:
    """A product of which a side that would be read across its array, again and again, is copied once, in the order of its
    matrices.
    """
    around = (*product.around, *product.repeated)
    every = (*product.outer, *product.sums)
    sides = []
    for side, axes, last in (
        (product.left, (product.rows, product.summed), (product.rows, product.summed)),
        (product.right, (product.summed, product.columns), (product.columns,)),
    ):
        own = (*[axis for axis in around if axis.index in multiplied(side).free], *axes)
        if len(own) - len(axes) < len(around) and _is_across(side, own, [axis.index for axis in last]):
            matrices = built(own, multiplied(side))
            storage = storage_for(ctx, matrices, "in_order")
            sizes = [ctx.extent(ctx.scalar(axis.size)) for axis in every if axis not in own]
            outer = ctx.open_block()
            ctx.into(matrices, storage, Mode.ASSIGN)
            ctx.emit(t.If(reduce(_and, [positive(size) for size in sizes]), tuple(ctx.close_block(outer))))
            var = Var("in_order", matrices.type)
            ctx.environment[var] = readable(storage)
            side = (get(var, *[axis.index for axis in own]),)
        sides.append(side)
    return replace(product, left=sides[0], right=sides[1])


def _is_across(side: Sequence[Term], axes: Sequence[Axis], last: Sequence[Var]) -> bool:
    """Is a side an element of an array, another one for each index of its axes, and none of `last` the array's last index?"""
    if len(side) != 1 or not isinstance(side[0], Get) or side[0].index in last:
        return False
    factor: Term = side[0]
    found = []
    while isinstance(factor, Get) and isinstance(factor.index, Var):
        found.append(factor.index)
        factor = factor.array
    return isinstance(factor, Var) and {axis.index for axis in axes} == set(found) and len(found) == len(axes)


def _summed_into(ctx: Context, product: MatrixProduct, dest: View, mode: Mode) -> None:
    """The products of two matrices, summed up over the axes that are repeated."""
    if not product.repeated:
        _multiply(ctx, product, dest, mode is Mode.ACCUMULATE or dest.added)
        return
    matrix = replace(product, nest=(product.rows, product.columns)).array
    if any([same(stride, ONE) for stride in dest.strides]):
        into = dest
    else:  # it takes time to add to elements that are far from one another
        own = storage_for(ctx, matrix, "product")
        assert isinstance(own, View)
        into = own
    if into is not dest or not (mode is Mode.ACCUMULATE or dest.added):
        ctx.into(zero_like(matrix), into, Mode.ASSIGN)
    with ExitStack() as loops:
        for axis in product.repeated:
            loops.enter_context(Loop(ctx, axis.index, ctx.extent(ctx.scalar(axis.size)), t.Kind.REDUCTION))
        _multiply(ctx, product, into, adds=True)
    if into is not dest:
        sums = Var("product", matrix.type)
        ctx.environment[sums] = into
        rows, columns = product.rows, product.columns
        ctx.into(built((rows, columns), get(sums, rows.index, columns.index)), dest, mode)
        del ctx.environment[sums]


def _multiply(ctx: Context, product: MatrixProduct, dest: View, adds: bool) -> None:
    """A product of two matrices.

    A side that is more than a part of an array is computed first: it takes no more room than what is multiplied with it.
    """
    m, n, k = [ctx.extent(ctx.scalar(axis.size)) for axis in (product.rows, product.columns, product.summed)]
    assert isinstance(dest.leaf, Float)
    views = [_part(ctx, side) for side in product.matrices]
    outer = ctx.open_block() if None in views else None  # what is computed is in bounds only if there is an element
    left, right = [view or ctx.value(side) for view, side in zip(views, product.matrices, strict=True)]
    assert isinstance(left, View)
    assert isinstance(right, View)
    ctx.emit(t.Multiply(_matrix(dest), _matrix(left), _matrix(right), m, n, k, dest.leaf, adds))
    if outer is not None:
        body = ctx.close_block(outer)
        ctx.emit(t.If(_and(positive(m), positive(n)), tuple(body)))


def _along(view: View, position: int, at: t.Expression) -> View:
    """A part of a view, at an index of one of its axes."""
    offset = plus(view.offset, times(at, view.strides[position]))
    strides, sizes = [(*x[:position], *x[position + 1 :]) for x in (view.strides, view.sizes)]
    return View(view.buffer, offset, strides, sizes, view.leaf, dense=False, added=view.added)


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


def _and(a: t.Expression, b: t.Expression) -> t.Expression:
    return t.Conditional(a, b, t.Literal(False, BOOL))
