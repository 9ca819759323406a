"""The sizes of what the branches of an `if` give, which are the same in both."""

from __future__ import annotations

from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import Const, If, Prim, Proj, Term
from fsmooth.core.types import Array, Bool, Int, Tuple, has_array


def sizes_in(term: Term) -> list[Term]:
    """The sizes of the arrays that a term is, or has as components; none of those that are ragged."""
    match term.type:
        case Array():
            try:
                return list(shape_of(term))
            except Ragged:
                return []
        case Tuple(items):
            parts = [Proj(term, k) for k, item in enumerate(items) if has_array(item)]
            return [size for part in parts for size in sizes_in(part)]
        case _:
            return []


def may_tell_sizes(condition: Term) -> bool:
    """May a condition say something of integers, which sizes are?"""
    match condition:
        case Const():
            return False
        case Prim(_, arguments) if not isinstance(arguments[0].type, Bool):
            return any([isinstance(a.type, Int) for a in arguments])
        case Prim(_, parts):
            return any([may_tell_sizes(part) for part in parts])
        case If(test, then, otherwise):
            return any([may_tell_sizes(part) for part in (test, then, otherwise)])
        case _:
            return True
