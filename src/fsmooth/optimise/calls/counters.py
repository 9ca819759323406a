"""How often a loop runs that ends by a comparison of a counter, an integer that changes by the same amount in each step."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus
from fsmooth.core.term import Const, If, Prim, Term, Var

_TURNED = {
    p.not_equal: p.not_equal, p.less: p.greater, p.greater: p.less, p.less_equal: p.greater_equal,
    p.greater_equal: p.less_equal,
}  # fmt: skip
_NEGATED = {
    p.equal: p.not_equal, p.less: p.greater_equal, p.greater: p.less_equal, p.less_equal: p.greater,
    p.greater_equal: p.less,
}  # fmt: skip
_AT_EQUAL = {
    (p.not_equal, -1): 0, (p.not_equal, 1): 0, (p.greater, -1): 0, (p.less, 1): 0, (p.greater_equal, -1): 1,
    (p.less_equal, 1): 1,
}  # fmt: skip
"""Comparisons that end as a counter with this slope comes to what it is compared with, and the steps from there on."""
_AWAY = {p.greater: 1, p.greater_equal: 1, p.less: -1, p.less_equal: -1}
"""Comparisons that, where they hold, hold for ever with a counter that goes this way."""


def distance(goes_on: Term, slopes: Mapping[Var, int], carried: Collection[Var]) -> Term | None:
    """The number of steps while `goes_on` holds; a negative one if that is for ever.  None if no counter says so.

    Args:
        goes_on: the condition, in the variables that each step changes, as they are before the first.
        slopes: the counters among these, and what each step adds to them.
        carried: all variables that a step changes.

    """
    match goes_on:
        case If(Prim(primitive, (left, right)), Const(then), Const(otherwise)) if then != otherwise:
            holds = _NEGATED.get(primitive) if otherwise else primitive
        case Prim(primitive, (left, right)):
            holds = primitive
        case _:
            return None
    if holds is not None and right in carried:
        left, right, holds = right, left, _TURNED.get(holds)
    if holds is None or not isinstance(left, Var) or left not in slopes or not right.free.isdisjoint(carried):
        return None
    if _AWAY.get(holds, 0) * slopes[left] > 0:
        return If(Prim(holds, (left, right)), Const(-1), Const(0))
    after = _AT_EQUAL.get((holds, slopes[left]))
    if after is None:
        return None
    away = plus(minus(left, right) if slopes[left] == -1 else minus(right, left), Const(after))
    return away if holds is p.not_equal else If(Prim(holds, (left, right)), away, Const(0))
