"""Sizes as a program sees them: those of arrays that are made with a size below 0 are 0."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.shape import size_of
from fsmooth.core.term import Const, Prim, Term
from fsmooth.rewrite.facts import Facts


def seen_size(array: Term, axis: int, facts: Facts) -> Term:
    """The length of an array along an axis.

    Raises:
        Ragged: if that length depends on an index bound inside the array.

    """
    size = size_of(array, axis)
    return size if facts.nonnegative(size) else Prim(p.maximum, (size, Const(0)))
