"""Sums of products: einsum and what it says of matrices and tensors of any rank."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce as folded

from fsmooth.core.broadcast import aligned
from fsmooth.core.build import get
from fsmooth.core.term import Const, Reduce, Reduction, Term
from fsmooth.errors import ArgumentMismatchError, RankError
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.arrays.arguments import (
    LAST,
    NO,
    NOTHING,
    array_of,
    axes_of,
    axis_of,
    is_none,
    items,
    number,
    rank,
    refused,
)
from fsmooth.frontend.python.arrays.axes import indices_of, nest, permuted, shape_of
from fsmooth.frontend.python.arrays.reshaping import reshaped
from fsmooth.frontend.python.broadcasting import agreed
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.library import inlined
from fsmooth.frontend.python.sizes import constant_size
from fsmooth.frontend.python.values import Static, Value

Labels = tuple[str, ...]
TWO = Const(2)


def contracted(frame: Frame, operands: Sequence[Term], given: Sequence[Labels], wanted: Labels, node: ast.AST) -> Term:
    """The sums over the labels that are not wanted of the products of the elements at labels.

    Of more than two operands, two at a time: those first whose product has the fewest axes.
    """
    arrays, labels = [frame.bind(a, "a") for a in operands], list(given)
    while len(arrays) > 2:
        i, j, kept = _cheapest(labels, wanted)
        product = _of_two(frame, [arrays[i], arrays[j]], [labels[i], labels[j]], kept, node)
        rest = [k for k in range(len(arrays)) if k not in (i, j)]
        arrays = [*[arrays[k] for k in rest], frame.bind(product, "product")]
        labels = [*[labels[k] for k in rest], kept]
    return _of_two(frame, arrays, labels, wanted, node)


def _cheapest(labels: Sequence[Labels], wanted: Labels) -> tuple[int, int, Labels]:
    """The pair to multiply first, and the labels that its product keeps."""
    found: list[tuple[int, int, int, int, Labels]] = []
    for i in range(len(labels)):
        for j in range(i + 1, len(labels)):
            others = {x for k, own in enumerate(labels) if k not in (i, j) for x in own} | set(wanted)
            both = dict.fromkeys((*labels[i], *labels[j]))
            kept = tuple([x for x in both if x in others])
            found.append((len(both), len(kept), i, j, kept))
    _, _, i, j, kept = min(found)
    return i, j, kept


def _of_two(frame: Frame, arrays: Sequence[Term], labels: Sequence[Labels], wanted: Labels, node: ast.AST) -> Term:
    sizes: dict[str, list[Term]] = {}
    for array, own in zip(arrays, labels, strict=True):
        for label, size in zip(own, shape_of(frame, array, node), strict=True):
            sizes.setdefault(label, []).append(size)
    ones = {x: [constant_size(frame, size) == 1 for size in found] for x, found in sizes.items()}
    longer = {x: [s for s, one in zip(sizes[x], ones[x], strict=True) if not one] or sizes[x][:1] for x in sizes}
    size_of = {x: agreed(frame, found, node) for x, found in longer.items()}
    summed = [x for x in sizes if x not in wanted]
    order = (*wanted, *summed)
    index = dict(zip(order, indices_of(frame, len(order), node), strict=True))

    def place(array: Term, label: str, axis: int) -> Term:
        stretched = constant_size(frame, shape_of(frame, array, node)[axis]) == 1 and not all(ones[label])
        return Const(0) if stretched else index[label]

    def element() -> Term:
        elements = [get(a, *[place(a, x, k) for k, x in enumerate(own)]) for a, own in zip(arrays, labels, strict=True)]
        return folded(lambda a, b: binary(frame, ast.Mult(), a, b, node), elements)

    body = frame.inside(element)
    for x in reversed(summed):
        body = Reduce(Reduction.SUM, size_of[x], index[x], body)
    return nest([size_of[x] for x in wanted], [index[x] for x in wanted], body)


def einsum(
    frame: Frame,
    node: ast.AST,
    subscripts: Value,
    a1: Value,
    a2: Value = NOTHING,
    a3: Value = NOTHING,
    a4: Value = NOTHING,
    a5: Value = NOTHING,
    a6: Value = NOTHING,
    optimize: Value = NO,
    out: Value = NOTHING,
) -> Value:
    """np.einsum("ij,jk->ik", a, b): the text is read while compiling."""
    refused(frame, node, out=out)
    if not isinstance(subscripts, Static) or not isinstance(subscripts.value, str):
        frame.fail(ArgumentMismatchError, node, "the subscripts must be a text", 'write np.einsum("ij,jk->ik", a, b)')
    operands = [array_of(frame, a, node) for a in (a1, a2, a3, a4, a5, a6) if not is_none(a)]
    given, wanted = read_subscripts(frame, subscripts.value, [rank(a) for a in operands], node)
    return contracted(frame, operands, given, wanted, node)


def read_subscripts(frame: Frame, text: str, ranks: Sequence[int], node: ast.AST) -> tuple[list[Labels], Labels]:
    """The labels of each operand and of the result; `...` stands for axes that are aligned from the last one."""
    left, arrow, right = text.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        what = f"{len(parts)} operands in {text!r}, {len(ranks)} given"
        frame.fail(ArgumentMismatchError, node, what, "separate the operands by commas")
    most = max([r - len(part) + 3 for part, r in zip(parts, ranks, strict=True) if "..." in part], default=0)
    given = [_labels(frame, part, r, text, node) for part, r in zip(parts, ranks, strict=True)]
    dots = tuple([f".{k}" for k in reversed(range(most))])
    flat = [x for own in given for x in own]
    if not arrow:
        return given, (*dots, *sorted({x for x in flat if flat.count(x) == 1 and not x.startswith(".")}))
    before, _, after = right.partition("...")
    wanted = (*before, *(dots if "..." in right else ()), *after)
    unknown = [x for x in wanted if x not in flat]
    if unknown or len(set(wanted)) < len(wanted):
        what = f"the result of {text!r} names {unknown[0]!r}, which no operand has" if unknown else f"{text!r}"
        frame.fail(ArgumentMismatchError, node, what, "name each axis of the result once, by labels of the operands")
    return given, wanted


def _labels(frame: Frame, part: str, wanted: int, text: str, node: ast.AST) -> Labels:
    before, dots, after = part.partition("...")
    hidden = wanted - len(before) - len(after)
    if not (before + after).isalpha() and before + after:
        frame.fail(ArgumentMismatchError, node, f"{part!r} in {text!r}", "axes are named by letters")
    if hidden < 0 or (hidden > 0 and not dots):
        what = f"{part!r} in {text!r} names {len(before + after)} axes of an array of rank {wanted}"
        frame.fail(RankError, node, what, "give each axis a letter, or write ...")
    return (*before, *[f".{k}" for k in reversed(range(hidden))], *after)


def matmul(frame: Frame, node: ast.AST, x1: Value, x2: Value) -> Value:
    """The matrix product of arrays of any rank: of the last two axes, at each index of the others, which are broadcast."""
    a, b = frame.bind(array_of(frame, x1, node), "a"), frame.bind(array_of(frame, x2, node), "b")
    if rank(a) <= 2 and rank(b) <= 2:
        return inlined(frame, "matmul", [a, b], node)
    if not rank(a) or not rank(b):
        frame.fail(RankError, node, "a matrix product with a number", "write *")
    own = [min(rank(x), 2) for x in (a, b)]
    shapes = [shape_of(frame, x, node)[: rank(x) - k] for x, k in zip((a, b), own, strict=True)]
    shape = aligned(shapes, lambda size: constant_size(frame, size) == 1)
    sizes, indices = [agreed(frame, along, node) for along in shape.sizes], indices_of(frame, len(shape.sizes), node)

    def product() -> Term:
        parts = [shape.element(0, a, indices), shape.element(1, b, indices)]
        return inlined(frame, "matmul", [frame.bind(q, "part") for q in parts], node)

    return nest(sizes, indices, frame.inside(product))


def dot(frame: Frame, node: ast.AST, a: Value, b: Value, out: Value = NOTHING) -> Value:
    """np.dot: over the last axis of a and the last but one of b."""
    refused(frame, node, out=out)
    x, y = array_of(frame, a, node), array_of(frame, b, node)
    if not rank(x) or not rank(y):
        return binary(frame, ast.Mult(), x, y, node)
    if rank(x) <= 2 and rank(y) <= 2:
        return inlined(frame, "dot", [frame.bind(x, "a"), frame.bind(y, "b")], node)
    return tensor_product(frame, x, y, [rank(x) - 1], [max(rank(y) - 2, 0)], node)


def tensor_product(frame: Frame, x: Term, y: Term, left: Sequence[int], right: Sequence[int], node: ast.AST) -> Term:
    """The sum over pairs of axes of the products of elements."""
    names = {k: f"s{n}" for n, k in enumerate(left)}
    others = {k: f"s{n}" for n, k in enumerate(right)}
    first = tuple([names.get(k, f"x{k}") for k in range(rank(x))])
    second = tuple([others.get(k, f"y{k}") for k in range(rank(y))])
    wanted = tuple([q for q in (*first, *second) if not q.startswith("s")])
    return contracted(frame, [x, y], [first, second], wanted, node)


def tensordot(frame: Frame, node: ast.AST, a: Value, b: Value, axes: Value = TWO) -> Value:
    """np.tensordot: over the last axes of a and the first of b, or the pairs of axes given."""
    x, y = array_of(frame, a, node), array_of(frame, b, node)
    pair = items(axes)
    if pair is None:
        count = number(frame, axes, node, "the number of axes")
        return tensor_product(frame, x, y, range(rank(x) - count, rank(x)), range(count), node)
    left, right = [axes_of(frame, one, rank(t), node) or () for one, t in zip(pair, (x, y), strict=True)]
    if len(left) != len(right):
        what = f"{len(left)} axes of one array and {len(right)} of the other"
        frame.fail(ArgumentMismatchError, node, what, "name as many axes of each")
    return tensor_product(frame, x, y, left, right, node)


def inner(frame: Frame, node: ast.AST, a: Value, b: Value) -> Value:
    """np.inner: over the last axes of both."""
    x, y = array_of(frame, a, node), array_of(frame, b, node)
    if not rank(x) or not rank(y):
        return binary(frame, ast.Mult(), x, y, node)
    return tensor_product(frame, x, y, [rank(x) - 1], [rank(y) - 1], node)


def outer(frame: Frame, node: ast.AST, a: Value, b: Value, out: Value = NOTHING) -> Value:
    """np.outer: each element of a times each of b."""
    refused(frame, node, out=out)
    x, y = [reshaped(frame, array_of(frame, v, node), [Const(-1)], NOTHING, node) for v in (a, b)]
    return tensor_product(frame, x, y, [], [], node)


def vdot(frame: Frame, node: ast.AST, a: Value, b: Value) -> Value:
    """np.vdot: the sum of the products of elements, row by row."""
    x, y = [reshaped(frame, array_of(frame, v, node), [Const(-1)], NOTHING, node) for v in (a, b)]
    return tensor_product(frame, x, y, [0], [0], node)


def vecdot(frame: Frame, node: ast.AST, x1: Value, x2: Value, axis: Value = LAST) -> Value:
    """np.vecdot: the sum of products along an axis, at each index of the others, which are broadcast."""
    a, b = array_of(frame, x1, node), array_of(frame, x2, node)
    last = [_last(frame, t, axis_of(frame, axis, rank(t), node), node) for t in (a, b)]
    rows = [(*[f".{k}" for k in reversed(range(rank(t) - 1))], "s") for t in last]
    wanted = max(rows, key=len)[:-1]
    return contracted(frame, last, rows, wanted, node)


def _last(frame: Frame, array: Term, axis: int, node: ast.AST) -> Term:
    """The array with this axis behind the others."""
    return permuted(frame, array, [*[k for k in range(rank(array)) if k != axis], axis], node)
