"""Loops that may have no element: may what is in them be computed though they do not run?"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import Build, Check, Const, Delta, Get, If, Prim, Reduce, Require, Term, Update, Zero
from fsmooth.core.types import Float, Int, leaf_of
from fsmooth.optimise.accesses import Accesses
from fsmooth.optimise.failing import EXTREMA, is_certain, postorder


def may_fail(loop: Build, accesses: Accesses) -> bool:
    """Is anything in it not certain to exist, whatever loop it stands in?"""
    order = postorder(loop)
    accesses.learn(order)
    for node in order:
        match node:
            case Check() | Require():
                return True
            case Reduce(reduction, size) if reduction in EXTREMA and not is_certain(size):
                return True
            case Get() | Update() | Delta() if not accesses.proved(node):
                return True
    return False


def if_it_runs(loop: Build, new: Term) -> Term | None:
    """`new` where the loop has elements, an empty array where it has none; None if that cannot be written."""
    leaf = leaf_of(loop.type)
    try:
        sizes = shape_of(loop)
    except Ragged:
        return None
    if not isinstance(leaf, Float | Int) or any([not size.free <= loop.free for size in sizes]):
        return None
    return If(Prim(p.less, (Const(0), loop.size)), new, Zero(sizes, leaf))
