"""Numeric weights of terms: the cost of evaluating once, with 1000 for every symbolic size (design §5).

The optimiser compares these; `core/cost.py` gives the same costs as polynomials for people.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import (
    Build,
    Check,
    Collect,
    Const,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Term,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.traverse import children
from fsmooth.core.types import Int

SYMBOLIC = 1000.0


def trip_count(size: Term) -> float:
    """The number that stands for a size."""
    match size:
        case Const(value):
            return max(float(value), 0.0)
        case Prim(primitive, (a, b)) if primitive is p.multiply:
            return trip_count(a) * trip_count(b)
        case Prim(primitive, (a, Const() as c)) if primitive in (p.add, p.subtract):
            return max(trip_count(a) + (c.value if primitive is p.add else -c.value), 0.0)
        case Prim(primitive, (a, Const() as c)) if primitive is p.floor_divide and c.value > 0:
            return trip_count(a) / c.value
        case _:
            return SYMBOLIC


class Weights:
    """Weights memoised by node."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Term, float]] = {}

    def of(self, term: Term) -> float:
        """The weight of evaluating `term` once."""
        found = self._known.get(id(term))
        if found is not None:
            return found[1]
        result = self._of(term)
        self._known[id(term)] = (term, result)
        return result

    def _of(self, term: Term) -> float:
        match term:
            case Const() | Var() | Length() | Zero():
                return 0.0
            case Prim(primitive, arguments):
                own = 0.25 if isinstance(term.type, Int) else float(primitive.weight)
                return own + sum([self.of(a) for a in arguments])
            case Get(array, index):
                load = 0.0 if isinstance(array.type.element, type(array.type)) else 1.0  # type: ignore[union-attr]
                return load + self.of(array) + self.of(index)
            case Build(size, _, body):
                return trip_count(size) * (self.of(body) + 1.0)
            case Reduce(_, size, _, body):
                return trip_count(size) * (self.of(body) + 1.0)
            case IFold(size, init, _, _, body):
                return self.of(init) + trip_count(size) * (self.of(body) + 1.0)
            case Collect(count, generators, guard, body):
                total = self.of(guard) + self.of(body) + 1.0
                for size, _ in generators:
                    total *= trip_count(size)
                return total + self.of(count)
            case If(condition, then, otherwise):
                return self.of(condition) + max(self.of(then), self.of(otherwise))
            case Check(index, _):
                return 0.5 + self.of(index)
            case Lam(_, body):
                return self.of(body)
            case Proj() | MakeTuple() | Let():
                return sum([self.of(c) for c in children(term)])
            case Vector(items):
                return sum([self.of(c) + 1.0 for c in items])
            case _:
                return 1.0 + sum([self.of(c) for c in children(term)])


def element_count(term: Term) -> float:
    """The number of scalar elements of an array term, at 1000 for every symbolic size."""
    try:
        sizes = shape_of(term)
    except Ragged:
        return SYMBOLIC
    total = 1.0
    for size in sizes:
        total *= trip_count(size)
    return total
