"""The Jacobian in reverse mode: one row for each real number of the output, from a cotangent that is one-hot.

Each leaf of the output has, for each argument, a region of its own, whose forward part runs once, before all rows: so
that a block which is zero but in few places costs no more than these.  What the blocks have in common is found by the
optimiser.
"""

from __future__ import annotations

from typing import cast

from fsmooth import thresholds
from fsmooth.core.build import get, nested_build, zero_like
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import Build, Const, Delta, Get, Lam, Let, MakeTuple, Term, Var, Vector, let, scalar_constant
from fsmooth.core.types import Array, Float, Tuple, Type, rank_of, tangent, unzipped
from fsmooth.differentiate.encoding import item
from fsmooth.differentiate.leaves import element_at, leaf_shape
from fsmooth.differentiate.reverse.region import Region, Reverser, Transpose, scope
from fsmooth.differentiate.reverse.whole import cotangent_of, region_of


def jacobian(function: Lam, wrt: tuple[int, ...], single: bool, how: Transpose) -> Term:
    """Output structure, then `wrt` structure, then output indices, then input indices (core.types.jacobian)."""
    return _outputs(unzipped(tangent(function.body.type)), (), function, wrt, single, how)


def _outputs(
    type_: Type, path: tuple[int, ...], function: Lam, wrt: tuple[int, ...], single: bool, how: Transpose
) -> Term:
    if isinstance(type_, Tuple):
        parts = [_outputs(t, (*path, k), function, wrt, single, how) for k, t in enumerate(type_.items)]
        return MakeTuple(tuple(parts), type_)
    blocks = [_rows(function, path, k, how) for k in wrt]
    return blocks[0] if single else MakeTuple(tuple(blocks))


def _rows(function: Lam, path: tuple[int, ...], position: int, how: Transpose) -> Term:
    """One leaf of the output along one argument: a row of cotangents at each index of the leaf."""
    own = cast(Lam, refresh(function))
    x = own.parameters[position]
    sizes = leaf_shape(own.body, path)
    found: list[Region] = []

    def row(indices: tuple[Var, ...]) -> Term:
        def seed(walk: Reverser, value: Term) -> None:
            walk.contribute(value, one_hot(own.body, own.body.type, path, indices))

        region = region_of(own, [x], seed, how, wanted=False, late=frozenset(indices))
        found.append(region)
        cotangent = cotangent_of(region, x)
        return let(region.backward, cotangent)

    block = _laid_out(_over(sizes, nested_build(sizes, row, "o")), x, sizes)
    whole = cast(Lam, refresh(Lam(own.parameters, scope(found[0].forward, block))))
    return substitute(whole.body, dict(zip(whole.parameters, function.parameters, strict=True)))


def _over(sizes: tuple[Term, ...], rows: Term) -> Term:
    """A few rows are written out, each without what the zeros of its cotangent make zero."""
    match rows, sizes:
        case Build(Const(int(count)), index, row), (_,) if count <= thresholds.JACOBIAN_ROWS:
            return Vector(tuple([substitute(row, {index: Const(k)}) for k in range(count)])) if count else rows
        case _:
            return rows


def _laid_out(rows: Term, x: Var, sizes: tuple[Term, ...]) -> Term:
    """The structure of the argument, then output indices, then input indices."""
    structure = unzipped(tangent(x.type))
    if not isinstance(structure, Tuple):
        return rows
    whole = Var("J", rows.type)
    return Let(((whole, rows),), _leaves(whole, x, structure, (), sizes))


def _leaves(rows: Var, x: Var, structure: Type, path: tuple[int, ...], sizes: tuple[Term, ...]) -> Term:
    if isinstance(structure, Tuple):
        parts = [_leaves(rows, x, t, (*path, k), sizes) for k, t in enumerate(structure.items)]
        return MakeTuple(tuple(parts), structure)
    inputs = leaf_shape(x, path)
    assert len(inputs) == rank_of(structure)

    def at(outer: tuple[Var, ...]) -> Term:
        row = get(rows, *outer)
        return nested_build(inputs, lambda inner: element_at(row, tangent(x.type), path, inner), "r")

    return nested_build(sizes, at, "o")


def one_hot(place: Term, type_: Type, path: tuple[int, ...], indices: tuple[Term, ...]) -> Term:
    """The cotangent of `place` that is 1 at `indices` of the leaf `path`, and zero elsewhere."""
    match type_:
        case Float():
            return scalar_constant(1.0, type_)
        case Array(element):
            return Delta(size_of(place), indices[0], one_hot(Get(place, indices[0]), element, path, indices[1:]))
        case Tuple(items):
            parts: list[Term] = []
            for k, component in enumerate(items):
                part = item(place, k)
                parts.append(one_hot(part, component, path[1:], indices) if k == path[0] else zero_like(part))
            return MakeTuple(tuple(parts), tangent(type_))
        case _:
            raise AssertionError(f"a cotangent of type {type_!r}")
