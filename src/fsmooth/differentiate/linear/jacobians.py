"""∂f of the built-in functions: full Jacobians as linear maps (paper 001, Fig. 2).

Those of primitives come from their rows in differentiate/derivatives.py: a row that is given the tangent 1 for one
argument and zero for the others gives the slope along it.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import equals, zero_like
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import Build, Const, Get, If, Let, MakeTuple, Prim, Proj, Term, Var, Zero, scalar_constant
from fsmooth.core.term.linear_maps import HCat, HCatArray, ScaleMap, UnitMap, ZeroMap
from fsmooth.core.types import INT, Float, Tuple, is_scalar, tangent
from fsmooth.differentiate.derivatives import ROWS, NoDerivative


def point_of(term: Term) -> Term:
    """A point of the space of the tangents of `term`: short, and never evaluated."""
    if isinstance(term.type, Float):
        return Zero((), term.type)
    if is_scalar(term.type):
        return MakeTuple(())
    if isinstance(term, Var):
        return term
    try:
        return zero_like(term)
    except Ragged:
        return term


def slope_along(operation: Prim, position: int, result: Term) -> Term:
    """∂op/∂xₖ as a map between numbers: 1, 0, S(k), or a choice of these."""
    tangents: list[Term] = []
    for k, argument in enumerate(operation.arguments):
        if k == position:
            tangents.append(scalar_constant(1.0, argument.type))
        else:
            tangents.append(Zero((), argument.type) if isinstance(argument.type, Float) else MakeTuple(()))
    if operation.arguments[position].type != operation.type:
        raise NoDerivative("linear maps between real numbers of different widths")
    slope = ROWS[operation.primitive](operation.arguments, result, tuple(tangents))
    return _scaling(slope, tangents[position])


def _scaling(slope: Term, one: Term) -> Term:
    match slope:
        case Zero():
            return ZeroMap(slope, slope)
        case If(condition, a, b):
            return If(condition, _scaling(a, one), _scaling(b, one))
        case Let(bindings, body):
            return Let(bindings, _scaling(body, one))
        case Prim(primitive, (a, b)) if primitive is p.multiply and a is one:
            return ScaleMap(b)
        case _ if slope is one:
            return UnitMap(Zero((), slope.type))
        case _:
            return ScaleMap(slope)


def projection(tuple_: Term, position: int) -> Term:
    """∂π: 0 ⋈ … 1 … ⋈ 0."""
    assert isinstance(tuple_.type, Tuple)
    parts = [point_of(Proj(tuple_, k)) for k in range(len(tuple_.type.items))]
    maps = [UnitMap(part) if k == position else ZeroMap(part, parts[position]) for k, part in enumerate(parts)]
    return HCat(tuple(maps), tangent(tuple_.type))


def element(array: Term, index: Term) -> Term:
    """∂ixR: ℋ(build (length v) (λj. if i = j then 1 else 0))."""
    j = Var("j", INT)
    each = point_of(Get(array, Const(0)))
    return HCatArray(Build(size_of(array), j, selected(equals(index, j), each)))


def selected(condition: Term, point: Term) -> Term:
    """`if condition then 1 else 0` on the space of `point`."""
    return If(condition, UnitMap(point), ZeroMap(point, point))


def total(size: Term, point: Term) -> Term:
    """∂sum: ℋ(build n (λi. 1))."""
    return HCatArray(Build(size, Var("i", INT), UnitMap(point)))
