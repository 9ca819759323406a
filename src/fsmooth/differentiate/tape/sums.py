"""Folds that only add up are sums: one entry has them, or a region, where a fold would have an entry for each step.

ifold (s i. s + e) z n  =  z + sum n (i. e)        s not in e
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import IFold, Let, Prim, Reduce, Reduction, Term, Var, let
from fsmooth.core.types import Float


def as_sum(fold: IFold) -> Term | None:
    """The fold as its first value and a sum; None if it does something else."""
    if not isinstance(fold.type, Float):
        return None
    summand = _added(fold.body, fold.state)
    if summand is None:
        return None
    return Prim(p.add, (fold.init, Reduce(Reduction.SUM, fold.size, fold.index, summand)))


def _added(body: Term, state: Var) -> Term | None:
    """What is added to the state."""
    match body:
        case Let(bindings, inner) if not any([state in value.free for _, value in bindings]):
            added = _added(inner, state)
            return None if added is None else let(bindings, added)
        case Prim(p.add, (first, second)) if state not in second.free:
            if first is state:
                return second
            added = _added(first, state)
            return None if added is None else Prim(p.add, (added, second))
        case Prim(p.add, (first, second)) if second is state and state not in first.free:
            return first
        case _:
            return None
