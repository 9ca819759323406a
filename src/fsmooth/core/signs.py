"""What cannot be negative: sizes, indices of loops, and what is made of them."""

from __future__ import annotations

from collections.abc import Set

from fsmooth.core import primitives as p
from fsmooth.core.term import Check, Const, Length, Prim, Require, Term, Var


def never_negative(size: Term, counters: Set[Var]) -> bool:
    """Is a size made only of what cannot be negative?  `counters` are indices of loops."""
    match size:
        case Const(value):
            return value >= 0
        case Length() | Check():
            return True
        case Var():
            return size in counters
        case Prim(primitive, arguments) if primitive in (p.add, p.multiply, p.floor_divide, p.modulo, p.minimum):
            return all([never_negative(a, counters) for a in arguments])
        case Prim(primitive, arguments) if primitive is p.maximum:
            return any([never_negative(a, counters) for a in arguments])
        case Require(_, inner):
            return never_negative(inner, counters)
        case _:
            return False


def at_least_zero(size: Term) -> Term:
    """A size as a user sees it: that of `range(4, 2)` is 0.

    >>> from fsmooth.core.types import INT
    >>> at_least_zero(Const(-2)), at_least_zero(Var("n", INT))
    (0, maximum n 0)
    """
    if isinstance(size, Const):
        return Const(max(int(size.value), 0))
    return size if never_negative(size, frozenset()) else Prim(p.maximum, (size, Const(0)))
