"""Conditions of checks as a person would write them."""

from __future__ import annotations

from collections.abc import Collection

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT, Int
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, same

_OPPOSITE = {
    p.less: p.greater_equal,
    p.less_equal: p.greater,
    p.greater: p.less_equal,
    p.greater_equal: p.less,
    p.equal: p.not_equal,
    p.not_equal: p.equal,
}
_MIRRORED = {p.less: p.greater, p.less_equal: p.greater_equal, p.greater: p.less, p.greater_equal: p.less_equal}
_TRUE, _FALSE = t.Literal(True, BOOL), t.Literal(False, BOOL)


def failing(s: t.Check | t.Demand) -> t.Expression:
    """The condition under which a check fails."""
    if isinstance(s, t.Demand):
        return negated(s.condition)
    if same(s.index, s.size):
        return _TRUE
    above = t.Operation(p.greater_equal, (s.index, s.size), BOOL)
    if isinstance(s.index, t.Literal) and int(s.index.value) >= 0:
        return above
    return t.Conditional(t.Operation(p.less, (s.index, t.Literal(0, INT)), BOOL), _TRUE, above)


def negated(e: t.Expression) -> t.Expression:
    """`!e`; comparisons of integers (floats may be NaN), `&&` and `||` are turned round."""
    match e:
        case t.Operation(q, (t.Literal(), t.Literal() as right)) if q in _OPPOSITE and isinstance(right.type, Int):
            return t.Operation(_OPPOSITE[q], e.arguments, BOOL)
        case t.Operation(q, (t.Literal() as left, right)) if q in _MIRRORED and isinstance(left.type, Int):
            return negated(t.Operation(_MIRRORED[q], (right, left), BOOL))
        case t.Operation(q, (left, _) as sides) if q in _OPPOSITE and isinstance(left.type, Int):
            return t.Operation(_OPPOSITE[q], sides, BOOL)
        case t.Operation(p.logical_not, (inner,)):
            return inner
        case t.Conditional(c, a, t.Literal(False)):
            return t.Conditional(negated(c), _TRUE, negated(a))
        case t.Conditional(c, t.Literal(True), b):
            return t.Conditional(negated(c), negated(b), _FALSE)
        case _:
            return t.Operation(p.logical_not, (e,), BOOL)


def counted_from_end(s: t.CheckAll, lengths: Collection[str]) -> tuple[t.Expression, t.Expression] | None:
    """The index and the size of a check of `index < 0 ? index + size : index`, the last that is computed before it.

    Only of sizes among `lengths`: those are not negative, and no number of elements is near 2**62.
    """
    match s.body, s.check:
        case [*_, t.Declare(name, _, value)], t.Check(t.Name(checked), t.Name(length)) if name == checked:
            found = from_end(value) if length in lengths else None
            return found if found is not None and same(found[1], s.check.size) else None
        case _:
            return None


def within(e: t.Expression, lengths: Collection[str]) -> tuple[t.Expression, t.Expression] | None:
    """The index and the size of `0 <= index && index < size`, whose size, one of the `lengths` or more, is not negative: both can
    be compared as numbers without a sign.
    """
    match e:
        case t.Conditional(
            t.Operation(p.less_equal, (t.Literal(0), first)),
            t.Operation(p.less, (index, t.Name(name) | t.Operation(p.add, (t.Name(name), t.Literal(1))) as size)),
            t.Literal(False),
        ) if isinstance(index.type, Int) and name in lengths and same(first, index):
            return index, size
        case _:
            return None


def from_end(e: t.Expression | None) -> tuple[t.Expression, t.Expression] | None:
    """The index and the size of `index < 0 ? index + size : index`; None of anything else."""
    match e:
        case t.Conditional(condition, t.Operation(p.add, (given, size)), index) if same(given, index):
            is_negative = t.Operation(p.less, (index, integer(0)), BOOL)
            return (index, size) if same(condition, is_negative) else None
        case _:
            return None
