"""How an index expression depends on a loop index: start + stride * index."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, minus, plus, times
from fsmooth.loops.usage import names_in


def stride_of(e: t.Expression, index: str) -> tuple[t.Expression, t.Expression] | None:
    """Start and stride of `e` in `index`, both without it; None if it is not of this form.

    >>> from fsmooth.core.types import INT
    >>> i, n = t.Name("i", INT), t.Name("n", INT)
    >>> start, stride = stride_of(plus(times(i, n), n), "i")
    >>> (start.name, stride.name)
    ('n', 'n')
    """
    names: set[str] = set()
    names_in(e, names)
    if index not in names:
        return e, ZERO
    match e:
        case t.Name():
            return ZERO, ONE
        case t.Operation(p.add, (a, b)):
            left, right = stride_of(a, index), stride_of(b, index)
            if left is None or right is None:
                return None
            return plus(left[0], right[0]), plus(left[1], right[1])
        case t.Operation(p.subtract, (a, b)):
            left, right = stride_of(a, index), stride_of(b, index)
            if left is None or right is None:
                return None
            return minus(left[0], right[0]), minus(left[1], right[1])
        case t.Operation(p.multiply, (a, b)):
            left, right = stride_of(a, index), stride_of(b, index)
            if left is None or right is None:
                return None
            for (start, stride), (other, none) in ((left, right), (right, left)):
                if none is ZERO:
                    return times(start, other), times(stride, other)
            return None
        case _:
            return None
