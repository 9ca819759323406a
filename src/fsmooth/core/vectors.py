"""Vector spaces: tangents are added and scaled (paper 001, §2.2), part by part, structural zeros for nothing."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import bind
from fsmooth.core.shape import size_of
from fsmooth.core.term import Build, Delta, Get, MakeTuple, Plus, Prim, Proj, Reduce, Reduction, Term, Var, Vector, Zero
from fsmooth.core.types import INT, Array, Tuple


def is_zero(term: Term) -> bool:
    """Is the term zero by structure?"""
    match term:
        case Zero():
            return True
        case MakeTuple(items) | Vector(items):
            return all([is_zero(item) for item in items])
        case Build(_, _, body):
            return is_zero(body)
        case Delta(_, _, value):
            return is_zero(value)
        case _:
            return False


def add(a: Term, b: Term) -> Term:
    """The sum of two vectors of one space."""
    if is_zero(a):
        return b
    if is_zero(b):
        return a
    match a.type:
        case Tuple(items, _, _):
            count = len(items)
            return bind(
                a,
                lambda x: bind(
                    b,
                    lambda y: MakeTuple(tuple([add(part(x, k), part(y, k)) for k in range(count)]), x.type),
                    "b",
                ),
                "a",
            )
        case Array():
            return Plus((a, b))
        case _:
            return Prim(p.add, (a, b))


def total(vectors: list[Term]) -> Term:
    """The sum of one vector or more, from the left."""
    result = vectors[0]
    for vector in vectors[1:]:
        result = add(result, vector)
    return result


def scale(factor: Term, vector: Term) -> Term:
    """A number times a vector; the factor is a variable or constant."""
    match vector.type:
        case Tuple(items):
            parts = [scale(factor, part(vector, k)) for k in range(len(items))]
            return MakeTuple(tuple(parts), vector.type)
        case Array():
            index = Var("i", INT)
            return Build(size_of(vector), index, scale(factor, Get(vector, index)))
        case _:
            return Prim(p.multiply, (factor, vector))


def dot(a: Term, b: Term) -> Term:
    """a • b; both are variables or paths."""
    match a.type:
        case Tuple(items):
            products = [dot(part(a, k), part(b, k)) for k in range(len(items))]
            return total([Zero(()), *products])
        case Array():
            index = Var("i", INT)
            return Reduce(Reduction.SUM, size_of(a), index, dot(Get(a, index), Get(b, index)))
        case _:
            return Prim(p.multiply, (a, b))


def part(vector: Term, position: int) -> Term:
    """A component of a tuple, at once if that is written out."""
    return vector.items[position] if isinstance(vector, MakeTuple) else Proj(vector, position)
