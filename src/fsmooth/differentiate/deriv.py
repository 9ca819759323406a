"""Derivatives as the user asks for them, by forward mode (paper 000, Fig. 5, Fig. 6, Table 2).

Fig. 5 applies D⟦fun v… -> e⟧ to the dual encoding of its free variables: the one-hot array for the variable
differentiated with respect to, zeros for the others.  Here the hot arrays are `delta` and the zeros are
structural, for arrays of any rank and for tuples; inactive arguments are not made dual at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsmooth.core.build import get, nested_build, zero_like
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Delta,
    Deriv,
    Get,
    Lam,
    Let,
    MakeTuple,
    Term,
    Var,
    Verb,
    scalar_constant,
)
from fsmooth.core.types import INT, Array, Float, Tuple, Type, rank_of, tangent, unzipped
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.dual import differentiate, dual_of
from fsmooth.differentiate.encoding import item, tangent_part, zipped
from fsmooth.differentiate.leaves import element_at, in_width, leaf, leaf_shape

Hot = Callable[[Term], Term]


def forward(deriv: Deriv) -> Lam:
    """The function that a `Deriv` of a function literal stands for, by forward mode."""
    function = cast(Lam, refresh(deriv.function))
    match deriv.verb:
        case Verb.DUAL:
            return differentiate(function)
        case Verb.JVP:
            return _jvp(function, deriv.wrt)
        case Verb.GRAD | Verb.VALUE_AND_GRAD:
            parts = [_over_inputs(function, k, lambda value: value) for k in deriv.wrt]
            gradient = parts[0] if deriv.single else MakeTuple(tuple(parts))
            if deriv.verb is Verb.GRAD:
                return Lam(function.parameters, gradient)
            return Lam(function.parameters, MakeTuple((refresh(function.body), gradient)))
        case Verb.VJP:
            raise NoDerivative("a vjp is a derivative in reverse mode")
        case Verb.HVP:
            raise NoDerivative("an hvp is a derivative of a derivative")
        case Verb.JACOBIAN:
            return Lam(function.parameters, _jacobian(function, deriv.wrt, deriv.single))


def _jvp(function: Lam, wrt: tuple[int, ...]) -> Lam:
    chosen = [function.parameters[k] for k in wrt]
    directions = [Var(x.name + "_t", tangent(x.type), x.site) for x in chosen]
    encoded = {x: zipped(x, d) for x, d in zip(chosen, directions, strict=True)}
    named = {x: Var(x.name, value.type, x.site) for x, value in encoded.items()}
    result = dual_of(function.body, named)
    whole = Var("result", result.type)
    bindings = [(named[x], value) for x, value in encoded.items()]
    body = Let(
        (*bindings, (whole, result)),
        MakeTuple((refresh(function.body), tangent_part(whole, function.body.type))),
    )
    return Lam((*function.parameters, *directions), body)


def _over_inputs(function: Lam, position: int, pick: Callable[[Term], Term]) -> Term:
    """𝒢⟦e⟧x: for each real number in x, `pick` of the tangent of e along it, in the structure of x."""
    x = function.parameters[position]

    def along(hot: Term) -> Term:
        own = cast(Lam, refresh(Lam((x,), function.body)))
        encoded = Var(x.name, zipped(x, hot).type, x.site)
        result = dual_of(own.body, {own.parameters[0]: encoded})
        whole = Var("result", result.type)
        picked = pick(tangent_part(whole, function.body.type))
        return Let(((encoded, zipped(x, hot)), (whole, result)), picked)

    return _walk(x, x.type, lambda hot: hot, along)


def _walk(place: Term, type_: Type, hot: Hot, along: Callable[[Term], Term]) -> Term:
    match type_:
        case Float():
            return in_width(along(hot(scalar_constant(1.0, type_))), type_)
        case Array(element):
            size = size_of(place)
            index = Var("r", INT)
            return Build(size, index, _walk(Get(place, index), element, lambda h: hot(Delta(size, index, h)), along))
        case Tuple(items):

            def inside(k: int) -> Hot:
                def one(h: Term) -> Term:
                    zeros = [zero_like(item(place, j)) for j in range(len(items))]
                    return hot(MakeTuple((*zeros[:k], h, *zeros[k + 1 :]), type_))

                return one

            parts = [_walk(item(place, k), t, inside(k), along) for k, t in enumerate(items)]
            return MakeTuple(tuple(parts), type_)
        case _:
            return MakeTuple(())


# -- Jacobians ---------------------------------------------------------------------------------------------------------


def _jacobian(function: Lam, wrt: tuple[int, ...], single: bool) -> Term:
    """Output structure, then `wrt` structure, then output indices, then input indices (core.types.jacobian)."""
    output = function.body.type
    return _outputs(unzipped(tangent(output)), (), function, wrt, single)


def _outputs(type_: Type, path: tuple[int, ...], function: Lam, wrt: tuple[int, ...], single: bool) -> Term:
    if isinstance(type_, Tuple):
        parts = [_outputs(t, (*path, k), function, wrt, single) for k, t in enumerate(type_.items)]
        return MakeTuple(tuple(parts), type_)
    blocks = [_block(function, k, path) for k in wrt]
    return blocks[0] if single else MakeTuple(tuple(blocks))


def _block(function: Lam, position: int, path: tuple[int, ...]) -> Term:
    """One output leaf along one argument, in the unzipped structure of the argument."""
    x = function.parameters[position]
    sizes = leaf_shape(function.body, path)

    def pick(value: Term) -> Term:
        return leaf(value, path)

    return _transposed(_over_inputs(function, position, pick), x, unzipped(tangent(x.type)), (), sizes)


def _transposed(value: Term, x: Term, structure: Type, path: tuple[int, ...], sizes: tuple[Term, ...]) -> Term:
    """Output indices outside, input indices inside: JT is bound once and read transposed."""
    if isinstance(structure, Tuple):
        whole = Var("JT", value.type)
        parts = [_transposed(whole, x, t, (*path, k), sizes) for k, t in enumerate(structure.items)]
        return Let(((whole, value),), MakeTuple(tuple(parts), structure))
    rank = rank_of(structure)
    inputs = leaf_shape(x, path)
    assert len(inputs) == rank
    if not sizes:
        return _select_input(value, x.type, path, inputs) if path else value
    if not rank and not path:
        return value
    whole = value if isinstance(value, Var) else Var("JT", value.type)
    body = nested_build(
        sizes,
        lambda outer: nested_build(inputs, lambda inner: get(element_at(whole, x.type, path, inner), *outer), "r"),
        "o",
    )
    return body if whole is value else Let(((whole, value),), body)


def _select_input(value: Term, type_: Type, path: tuple[int, ...], inputs: tuple[Term, ...]) -> Term:
    return nested_build(inputs, lambda inner: element_at(value, type_, path, inner), "r")
