"""Arrays that are parts of other arrays: slices, transposes, diagonals are views, without a copy (design §6)."""

from __future__ import annotations

from fsmooth.core.term import Build, Term, Var
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of
from fsmooth.loops.arithmetic import ONE, same, times
from fsmooth.lower.cardinality import is_path
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Scalar, Value, View


def alias(ctx: Context, term: Build) -> View | None:
    """`build n (i. build m (j. a[…]))` as a view of a, if every index is affine in i and j; else None."""
    levels: list[Build] = []
    body: Term = term
    while isinstance(body, Build):
        levels.append(body)
        body = body.body
    indices = [level.index for level in levels]
    if not is_path(body) or isinstance(body, Var) or any([not level.size.free.isdisjoint(indices) for level in levels]):
        return None
    names = [t.Name(ctx.fresh("at"), INT) for _ in levels]
    saved: list[tuple[Var, Value | None]] = [(index, ctx.environment.get(index)) for index in indices]
    for index, name in zip(indices, names, strict=True):
        ctx.environment[index] = Scalar(name)
    outer = ctx.open_block()
    value = ctx.value(body)
    needed = ctx.close_block(outer)
    ctx.restore(saved)
    if needed or not isinstance(value, View):
        return None
    offset, strides = value.offset, list(value.strides)
    for k, name in enumerate(names):
        found = stride_of(offset, name.name)
        if found is None:
            return None
        offset = found[0]
        strides.insert(k, found[1])
    sizes = (*[ctx.extent(ctx.scalar(level.size)) for level in levels], *value.sizes)
    return View(value.buffer, offset, tuple(strides), sizes, value.leaf, _is_dense(strides, sizes))


def _is_dense(strides: list[t.Expression], sizes: tuple[t.Expression, ...]) -> bool:
    """Row-major without gaps?"""
    step: t.Expression = ONE
    for stride, size in zip(reversed(strides), reversed(sizes), strict=True):
        if not same(stride, step):
            return False
        step = times(size, step)
    return True
