"""Dual numbers, arrays and tuples: their primal part, their tangent part, and what they are made of (paper 000, Fig. 5)."""

from __future__ import annotations

from fsmooth.core.shape import shape_of
from fsmooth.core.term import (
    Build,
    Get,
    MakeTuple,
    Proj,
    Term,
    Var,
    Zero,
)
from fsmooth.core.types import Array, Float, Int, Tuple, Type, dual


def primal_part(value: Term, type_: Type) -> Term:
    """The primal part of a term of type D_T⟦type_⟧."""
    match type_:
        case Float():
            return first(value)
        case Array(element):
            if dual(element) == element:
                return value
            index = Var("i", Int())
            size = shape_of(value)[0]
            return Build(size, index, primal_part(Get(value, index), element))
        case Tuple(items):
            return MakeTuple(tuple([primal_part(item(value, k), t) for k, t in enumerate(items)]), type_)
        case _:
            return value


def tangent_part(value: Term, type_: Type) -> Term:
    """The tangent part of a term of type D_T⟦type_⟧; () for Int and Bool."""
    match type_:
        case Float():
            return second(value)
        case Array(element):
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, tangent_part(Get(value, index), element))
        case Tuple(items):
            return MakeTuple(tuple([tangent_part(item(value, k), t) for k, t in enumerate(items)]), type_)
        case _:
            return MakeTuple(())


def zipped(value: Term, tangent: Term) -> Term:
    """The dual number, array or tuple made of a value and its tangent (vectorZip of Fig. 5, for any type)."""
    match value.type:
        case Float():
            return MakeTuple((value, tangent))
        case Array():
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, zipped(Get(value, index), Get(tangent, index)))
        case Tuple(items):
            parts = [zipped(item(value, k), item(tangent, k)) for k in range(len(items))]
            return MakeTuple(tuple(parts), value.type)
        case _:
            return value


def lifted(value: Term) -> Term:
    """(e, zero): a value that does not depend on what is differentiated."""
    match value.type:
        case Float() as type_:
            return MakeTuple((value, Zero((), type_)))
        case Array(element):
            if dual(element) == element:
                return value
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, lifted(Get(value, index)))
        case Tuple(items):
            return MakeTuple(tuple([lifted(item(value, k)) for k in range(len(items))]), value.type)
        case _:
            return value


def first(pair: Term) -> Term:
    """fst, of a pair written out at once."""
    return item(pair, 0)


def second(pair: Term) -> Term:
    """snd, of a pair written out at once."""
    return item(pair, 1)


def item(value: Term, k: int) -> Term:
    """Component k."""
    return value.items[k] if isinstance(value, MakeTuple) else Proj(value, k)
