"""A range of indices around a window of arrays, and the components of tuples that are arrays.

What is not zero (optimise/windows/supports.py) and what is read (optimise/windows/demands.py) are told by the same ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Length, Prim, Term, Var
from fsmooth.core.types import Array, Float, Tuple, Type, leaf_of

Path = tuple[int, ...]


class Support(NamedTuple):
    """From `before` indices below a window to `after` above it; infinite: not bounded there."""

    before: float
    after: float

    def join(self, other: Support) -> Support:
        """What is in one or the other."""
        return Support(max(self.before, other.before), max(self.after, other.after))

    def meet(self, other: Support) -> Support:
        """What is in both."""
        return Support(min(self.before, other.before), min(self.after, other.after))

    def moved(self, by: int) -> Support:
        """The i for which i + `by` is in it: of a[i + by], where a is not zero there."""
        return Support(self.before + by, self.after - by)


NOWHERE = Support(-inf, -inf)
EVERYWHERE = Support(inf, inf)
CONE = Support(0, 0)


def joined(supports: Sequence[Support]) -> Support:
    """What is in any of them."""
    return Support(max([s.before for s in supports], default=-inf), max([s.after for s in supports], default=-inf))


def arrays_in(type_: Type, path: Path = ()) -> list[Path]:
    """The components that are arrays of numbers."""
    if isinstance(type_, Tuple):
        return [inner for k, item in enumerate(type_.items) for inner in arrays_in(item, (*path, k))]
    return [path] if isinstance(type_, Array) and isinstance(leaf_of(type_), Float) else []


def is_simple(anchor: Term) -> bool:
    """Is it a number that takes no time to compute, and may be computed anywhere?"""
    match anchor:
        case Var() | Const():
            return True
        case Length(array):
            return isinstance(array, Var)
        case Prim(primitive, arguments):
            return primitive in (p.add, p.subtract, p.negate) and all([is_simple(a) for a in arguments])
        case _:
            return False
