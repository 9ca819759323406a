"""Reductions along axes, and functions of vectors applied along an axis: sum, max, mean, softmax, and their kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce

from fsmooth.core import primitives as p
from fsmooth.core.build import get, number, times
from fsmooth.core.term import Const, If, Prim, Term, Var
from fsmooth.core.types import INT, Bool, Float, Int, leaf_of, rank_of
from fsmooth.core.types import array_of as array_type
from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.arrays.arguments import (
    FIRST,
    NO,
    NOTHING,
    array_of,
    axes_of,
    element_type,
    flag,
    is_none,
    rank,
    refused,
)
from fsmooth.frontend.python.arrays.axes import indices_of, nest, permuted, shape_of
from fsmooth.frontend.python.arrays.reshaping import reshaped
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.conversion import convert, real, truth
from fsmooth.frontend.python.dtypes import with_leaf
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.joins import branch
from fsmooth.frontend.python.library import inlined
from fsmooth.frontend.python.scalars import OWN_SCALAR
from fsmooth.frontend.python.sizes import required_size
from fsmooth.frontend.python.values import Value

ONE: Term = Const(1)
Reducing = Callable[[Term], Term]


def reduced(
    frame: Frame, array: Term, chosen: Sequence[int] | None, keepdims: bool, apply: Reducing, node: ast.AST
) -> Term:
    """`apply`, which makes a value of an array, along the chosen axes (None: all of them)."""
    over = tuple(range(rank(array))) if chosen is None else tuple(sorted(chosen))
    array = frame.bind(array, "a")
    sizes, indices = shape_of(frame, array, node), indices_of(frame, rank(array), node)
    kept = [k for k in range(rank(array)) if k not in over]
    result = frame.inside(lambda: apply(_part(array, sizes, indices, over)))
    shown = range(rank(array)) if keepdims else kept
    return nest([sizes[k] if k in kept else Const(1) for k in shown], [indices[k] for k in shown], result)


def _part(array: Term, sizes: Sequence[Term], indices: Sequence[Term], over: Sequence[int]) -> Term:
    """The elements along the axes `over` at the indices of the others."""
    first = over[0] if over else len(indices)
    if list(over) == list(range(first, len(indices))):
        return get(array, *indices[:first])
    inner = {k: Var("ijklmn"[k % 6], INT) for k in over}
    element = get(array, *[inner.get(k, i) for k, i in enumerate(indices)])
    return nest([sizes[k] for k in over], [inner[k] for k in over], element)


def along(frame: Frame, array: Term, axis: int, apply: Reducing, node: ast.AST) -> Term:
    """`apply`, which makes a vector of a vector, along one axis."""
    if rank(array) == 1:
        return apply(array)
    array = frame.bind(array, "a")
    sizes, indices = shape_of(frame, array, node), indices_of(frame, rank(array), node)
    kept = [k for k in range(rank(array)) if k != axis]
    result = frame.inside(lambda: apply(_part(array, sizes, indices, (axis,))))
    whole = nest([sizes[k] for k in kept], [indices[k] for k in kept], result)
    if axis == rank(array) - 1:
        return whole
    order = list(range(rank(array) - 1))
    order.insert(axis, rank(array) - 1)
    return permuted(frame, whole, order, node)


def reduction(name: str) -> Callable[..., Value]:
    """np.sum, np.prod, np.mean; with other parameters np.all, np.any."""

    def call(
        frame: Frame,
        node: ast.AST,
        a: Value,
        axis: Value = NOTHING,
        dtype: Value = NOTHING,
        out: Value = NOTHING,
        keepdims: Value = NO,
        initial: Value = NOTHING,
        where: Value = NOTHING,
    ) -> Value:
        refused(frame, node, out=out)
        array = numbers(frame, name, array_of(frame, a, node), dtype, node)
        over = axes_of(frame, axis, rank(array), node)
        keeps = flag(frame, keepdims, node, "keepdims")
        count: Term | None = None
        if not is_none(where):
            array, mask = _masked(frame, name, array, where, node)
            count = reduced(frame, mask, over, keeps, lambda part: inlined(frame, "sum", [part], node), node)
        if name == "mean" and count is not None:
            total = reduced(frame, array, over, keeps, lambda part: inlined(frame, "sum", [part], node), node)
            return binary(frame, ast.Div(), total, count, node)
        made = reduced(frame, array, over, keeps, lambda part: inlined(frame, name, [part], node), node)
        if is_none(initial):
            return made
        operator = {"sum": ast.Add(), "prod": ast.Mult()}.get(name)
        if operator is None:
            frame.unsupported(node, f"the keyword initial of {name}", "leave it out")
        return binary(frame, operator, frame.term(initial, node), made, node)

    return call


def of_truths(name: str) -> Callable[..., Value]:
    """np.all, np.any."""
    reduce_ = reduction(name)

    def call(
        frame: Frame,
        node: ast.AST,
        a: Value,
        axis: Value = NOTHING,
        out: Value = NOTHING,
        keepdims: Value = NO,
        where: Value = NOTHING,
    ) -> Value:
        return reduce_(frame, node, a, axis, NOTHING, out, keepdims, NOTHING, where)

    return call


def numbers(frame: Frame, name: str, array: Term, dtype: Value, node: ast.AST) -> Term:
    """The array of numbers that is reduced: truth values are counted, all and any ask for truth."""
    wanted = element_type(frame, dtype, node)
    if wanted is not None:
        return with_leaf(frame, array, wanted, node)
    is_truth = isinstance(leaf_of(array.type), Bool)
    if name in ("all", "any"):
        return array if is_truth else elementwise(frame, lambda x: truth(frame, x, node), [array], node)
    return convert(frame, array, array_type(INT, rank_of(array.type)), node) if is_truth else array


_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "all": True, "any": False}


def _masked(frame: Frame, name: str, array: Term, where: Value, node: ast.AST) -> tuple[Term, Term]:
    """The array with what changes nothing where the mask does not hold, and the mask as integers."""
    array = frame.bind(array, "a")
    mask = frame.bind(array_of(frame, where, node), "mask")

    def choose(holds: Term, x: Term) -> Term:
        nothing = Const(_NEUTRAL[name]) if isinstance(x.type, Bool) else number(_NEUTRAL[name], x.type)
        return branch(frame, truth(frame, holds, node), x, nothing, node)

    def counted(holds: Term, x: Term) -> Term:
        return If(truth(frame, holds, node), Const(1), Const(0))

    return elementwise(frame, choose, [mask, array], node), elementwise(frame, counted, [mask, array], node)


def extremum(name: str) -> Callable[..., Value]:
    """np.max, np.min: with `initial`, of nothing too."""
    better = OWN_SCALAR["maximum" if name == "max" else "minimum"]

    def call(
        frame: Frame,
        node: ast.AST,
        a: Value,
        axis: Value = NOTHING,
        out: Value = NOTHING,
        keepdims: Value = NO,
        initial: Value = NOTHING,
        where: Value = NOTHING,
    ) -> Value:
        refused(frame, node, out=out)
        array = array_of(frame, a, node)
        over = axes_of(frame, axis, rank(array), node)
        keeps = flag(frame, keepdims, node, "keepdims")
        if isinstance(leaf_of(array.type), Bool):
            counted = numbers(frame, name, array, NOTHING, node)
            made = frame.term(call(frame, node, counted, axis, out, keepdims, initial, where), node)
            return elementwise(frame, lambda x: truth(frame, x, node), [made], node)
        if is_none(initial):
            if not is_none(where):
                frame.fail(ArgumentMismatchError, node, f"where= of {name} needs initial=", "say what nothing gives")
            return reduced(frame, array, over, keeps, lambda part: inlined(frame, name, [part], node), node)
        least = frame.bind(frame.term(initial, node), "initial")
        leaf = leaf_of(array.type)
        if isinstance(least.type, Int) and isinstance(leaf, Float):
            least = frame.bind(real(frame, least, leaf), "initial")
        if not is_none(where):
            mask = frame.bind(array_of(frame, where, node), "mask")
            array = elementwise(
                frame, lambda c, x: branch(frame, truth(frame, c, node), x, least, node), [mask, array], node
            )

        def of(part: Term) -> Term:
            part = frame.bind(part, "a")
            count = reduce(times, shape_of(frame, part, node), ONE)
            found = frame.inside(lambda: Prim(better, (inlined(frame, name, [part], node), least)), conditional=True)
            return If(Prim(p.less, (Const(0), count)), found, least)

        return reduced(frame, array, over, keeps, of, node)

    return call


def place(name: str) -> Callable[..., Value]:
    """np.argmax, np.argmin: of an array, its elements row by row."""

    def call(
        frame: Frame,
        node: ast.AST,
        a: Value,
        axis: Value = NOTHING,
        out: Value = NOTHING,
        keepdims: Value = NO,
    ) -> Value:
        refused(frame, node, out=out)
        array = numbers(frame, name, array_of(frame, a, node), NOTHING, node)
        over = axes_of(frame, axis, rank(array), node)
        keeps = flag(frame, keepdims, node, "keepdims")
        return reduced(frame, array, over, keeps, lambda part: inlined(frame, name, [part], node), node)

    return call


def spread(name: str) -> Callable[..., Value]:
    """np.var, np.std: the sum of squared distances from the mean, divided by the number of values less `ddof`."""

    def call(
        frame: Frame,
        node: ast.AST,
        a: Value,
        axis: Value = NOTHING,
        dtype: Value = NOTHING,
        out: Value = NOTHING,
        ddof: Value = FIRST,
        keepdims: Value = NO,
    ) -> Value:
        refused(frame, node, out=out)
        array = numbers(frame, name, array_of(frame, a, node), dtype, node)
        over = axes_of(frame, axis, rank(array), node)
        made = reduced(
            frame,
            array,
            over,
            flag(frame, keepdims, node, "keepdims"),
            lambda part: inlined(frame, name, [part], node),
            node,
        )
        fewer = frame.term(ddof, node)
        if isinstance(fewer, Const) and fewer.value == 0:
            return made
        sizes = shape_of(frame, frame.bind(array, "a"), node)
        count = reduce(times, [s for k, s in enumerate(sizes) if over is None or k in over], ONE)
        factor = binary(frame, ast.Div(), count, binary(frame, ast.Sub(), count, fewer, node), node)
        if name == "std":
            factor = Prim(p.sqrt, (factor,))
        return binary(frame, ast.Mult(), made, factor, node)

    return call


def vector_function(name: str, usual: Value) -> Callable[..., Value]:
    """softmax, log_softmax: along an axis, or of all elements together (None); `usual` where none is named."""

    def call(frame: Frame, node: ast.AST, x: Value, axis: Value = usual) -> Value:
        array = array_of(frame, x, node)
        over = axes_of(frame, axis, rank(array), node)
        over = tuple(range(rank(array))) if over is None else over
        if not over or len(over) not in (1, rank(array)):
            frame.unsupported(node, f"{name} along these axes", "name one axis, or None for all of them")

        def of(vector: Term) -> Term:
            return inlined(frame, name, [vector], node)

        if len(over) == 1:
            return along(frame, array, over[0], of, node)
        array = frame.bind(array, "a")
        made = of(reshaped(frame, array, [Const(-1)], NOTHING, node))
        return reshaped(frame, made, shape_of(frame, array, node), NOTHING, node)

    return call


def logsumexp(frame: Frame, node: ast.AST, a: Value, axis: Value = NOTHING, keepdims: Value = NO) -> Value:
    """log(sum(exp(a))), which does not overflow."""
    array = array_of(frame, a, node)
    over = axes_of(frame, axis, rank(array), node)

    def of(part: Term) -> Term:
        return inlined(frame, "logsumexp", [inlined(frame, "ravel", [part], node)], node)

    return reduced(frame, array, over, flag(frame, keepdims, node, "keepdims"), of, node)


def average(
    frame: Frame,
    node: ast.AST,
    a: Value,
    axis: Value = NOTHING,
    weights: Value = NOTHING,
    returned: Value = NO,
    keepdims: Value = NO,
) -> Value:
    """np.average: the mean, or that by weights, of the shape of the array or one for each place along its axis."""
    if flag(frame, returned, node, "returned"):
        frame.unsupported(node, "returned=True", "sum the weights")
    if is_none(weights):
        return reduction("mean")(frame, node, a, axis, keepdims=keepdims)
    array, weight = array_of(frame, a, node), frame.bind(array_of(frame, weights, node), "w")
    over = axes_of(frame, axis, rank(array), node)
    if rank(weight) < rank(array):
        if over is None or len(over) != 1 or rank(weight) != 1:
            frame.fail(ArgumentMismatchError, node, "weights of another shape need one axis", "name it: axis=0")
        array = required_size(
            frame, frame.bind(array, "a"), over[0], shape_of(frame, weight, node)[0], node, "an array and its weights"
        )
        index = indices_of(frame, rank(array), node)
        weight = nest(shape_of(frame, array, node), index, get(weight, index[over[0]]))
    keeps = flag(frame, keepdims, node, "keepdims")

    def total(part: Term) -> Term:
        return inlined(frame, "sum", [part], node)

    weight = frame.bind(numbers(frame, "sum", weight, NOTHING, node), "w")
    both = binary(frame, ast.Mult(), array, weight, node)
    sums = [reduced(frame, q, over, keeps, total, node) for q in (both, weight)]
    return binary(frame, ast.Div(), sums[0], sums[1], node)
