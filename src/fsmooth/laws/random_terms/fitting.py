"""Arrays brought to the sizes of others: the branches of an `if` and the rows of an array agree in every program."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import both, nested_build
from fsmooth.core.shape import shape_of
from fsmooth.core.term import Check, Const, Get, If, Length, Let, MakeTuple, Prim, Proj, Term, Var
from fsmooth.core.types import Array, Float, Int, Tuple, Type, rank_of
from fsmooth.rewrite.linear import polynomial


def fitted(value: Term, model: Term) -> Term:
    """`value` with its arrays repeated or cut to the sizes of those of `model`, which is of the same type."""
    match value.type:
        case Tuple(items) if any([isinstance(t, Array | Tuple) for t in items]):
            whole = Var("w", value.type)
            parts = [fitted(Proj(whole, k), _part(model, k)) for k in range(len(items))]
            return Let(((whole, value),), MakeTuple(tuple(parts), value.type))
        case Array() if not _same(shape_of(value), shape_of(model)):
            whole = Var("w", value.type)
            rank = rank_of(value.type)
            lengths = [Length(whole, axis) for axis in range(rank)]
            there: Term = Const(True)
            for size in lengths:
                there = both(there, Prim(p.less, (Const(0), size)))

            def element(indices: tuple[Var, ...]) -> Term:
                place: Term = whole
                for index, size in zip(indices, lengths, strict=True):
                    place = Get(place, Check(Prim(p.modulo, (index, size)), size))
                return If(there, place, _default(place.type))

            return Let(((whole, value),), nested_build(shape_of(model), element))
        case _:
            return value


def _part(model: Term, k: int) -> Term:
    return model.items[k] if isinstance(model, MakeTuple) else Proj(model, k)


def _same(sizes: tuple[Term, ...], others: tuple[Term, ...]) -> bool:
    return all([polynomial(a).plus(polynomial(b), -1).is_zero() for a, b in zip(sizes, others, strict=True)])


def _default(type_: Type) -> Term:
    match type_:
        case Tuple(items):
            return MakeTuple(tuple([_default(t) for t in items]), type_)
        case Float():
            return Const(0.25, type_)
        case Int():
            return Const(0)
    raise AssertionError(type_)
