"""Functions of numbers applied to arrays element by element, as NumPy broadcasts them (core.broadcast)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from fsmooth.core.broadcast import aligned
from fsmooth.core.build import either, equals
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Build, Const, Failure, Length, Require, Term, Var
from fsmooth.core.types import F32, INT, Array, leaf_of, rank_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import constant_size, defined_size, length_of, same_size
from fsmooth.frontend.python.weak import strengthened


def elementwise(frame: Frame, operation: Callable[..., Term], arguments: Sequence[Term], node: ast.AST) -> Term:
    """`operation` on numbers, or on the elements of arrays whose shapes go together; numbers go with any."""
    if not any([isinstance(a.type, Array) for a in arguments]):
        return operation(*arguments)
    if any([leaf_of(a.type) == F32 for a in arguments]):  # a list of Python's floats is an array of float64 here
        arguments = [strengthened(a) if isinstance(a.type, Array) else a for a in arguments]
    bound = [frame.bind(a, "a") if isinstance(a.type, Array) else frame.bind(a, "x") for a in arguments]
    arrays = [a for a in bound if isinstance(a.type, Array)]
    shapes = [[length_of(frame, a, node, axis) for axis in range(rank_of(a.type))] for a in arrays]
    shape = aligned(shapes, lambda size: constant_size(frame, size) == 1, lambda size: is_single(frame, size))
    sizes = [agreed(frame, along, node) for along in shape.sizes]
    for axis, singles in enumerate(shape.singles):
        for count in singles:
            sizes[axis] = stretching(frame, count, sizes[axis], node)
    indices = [Var("ijklmn"[axis % 6], INT, frame.site(node)) for axis in range(len(sizes))]

    def element() -> Term:
        elements = iter([shape.element(k, a, indices) for k, a in enumerate(arrays)])
        return operation(*[next(elements) if isinstance(a.type, Array) else a for a in bound])

    result = frame.inside(element)
    for size, index in zip(reversed(sizes), reversed(indices), strict=True):
        result = Build(size, index, result)
    return result


def agreed(frame: Frame, along: Sequence[Term], node: ast.AST) -> Term:
    """The size that all of these are."""
    size, *others = along
    for other in others:
        size = same_size(frame, size, other, node, "arrays combined element by element")
    return size


def stretching(frame: Frame, count: Term, size: Term, node: ast.AST) -> Term:
    """A size over which an array is stretched that has one element, or none: then the size is 0, too."""
    site = frame.site(node, frame.source.segment(node))
    seen = at_least_zero(size), at_least_zero(count)
    condition = either(equals(count, Const(1)), equals(*seen))
    return frame.bind(Require(condition, size, Failure.SIZE, seen, site), "size")


def is_single(frame: Frame, size: Term) -> bool:
    """Is a size that of `x[k:k+1]`, and so 0 or 1?"""
    match size:
        case Var():
            definition = frame.shared.definitions.get(size)
            return size in frame.shared.singles or (definition is not None and is_single(frame, definition))
        case Length(array, axis):
            defined = defined_size(frame, array, axis)
            return defined is not None and is_single(frame, defined)
        case _:
            return False
