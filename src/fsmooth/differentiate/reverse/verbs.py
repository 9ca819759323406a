"""Derivatives as the user asks for them, by reverse mode: rev$f of paper 001, Fig. 6, for each verb."""

from __future__ import annotations

from typing import cast

from msgspec import Struct

from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Deriv,
    Lam,
    MakeTuple,
    Term,
    Var,
    Verb,
    let,
    scalar_constant,
)
from fsmooth.core.types import tangent
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.reverse.checkpoints import transpose_in_blocks
from fsmooth.differentiate.reverse.handed import handed
from fsmooth.differentiate.reverse.jacobians import jacobian
from fsmooth.differentiate.reverse.region import Region, Transpose, scope
from fsmooth.differentiate.reverse.transpose import transpose, transpose_anew, transpose_in_halves
from fsmooth.differentiate.reverse.whole import cotangent_of, region_of
from fsmooth.differentiate.saving import Calls


def reverse(deriv: Deriv, calls: Calls = Calls.SAVE) -> Lam:
    """The function that a `Deriv` of a function literal stands for, by reverse mode."""
    function = cast(Lam, refresh(deriv.function))
    chosen = [function.parameters[k] for k in deriv.wrt]
    how = transposed(deriv, calls)

    def gradient(region: Region) -> Term:
        parts = [cotangent_of(region, x) for x in chosen]
        return parts[0] if deriv.single else MakeTuple(tuple(parts))

    match deriv.verb:
        case Verb.GRAD | Verb.VALUE_AND_GRAD:
            one = scalar_constant(1.0, function.body.type)
            wanted = deriv.verb is Verb.VALUE_AND_GRAD
            region = region_of(function, chosen, lambda walk, value: walk.contribute(value, one), how, wanted=wanted)
            result = gradient(region)
            return Lam(function.parameters, _whole(region, MakeTuple((region.value, result)) if wanted else result))
        case Verb.VJP:
            r = Var("cotangent", tangent(function.body.type))
            region = region_of(function, chosen, lambda walk, value: walk.contribute(value, r), how, wanted=True)
            return Lam((*function.parameters, r), _whole(region, MakeTuple((region.value, gradient(region)))))
        case Verb.JACOBIAN:
            return Lam(function.parameters, jacobian(function, deriv.wrt, deriv.single, how))
        case _:
            raise NoDerivative(f"no reverse derivative for {deriv.verb.value}")


def transposed(deriv: Deriv, calls: Calls = Calls.SAVE) -> Transpose:
    """How a derivative passes cotangents on: with folds in blocks, or saving for each step."""
    if deriv.checkpoint:
        return transpose_in_blocks
    return transpose if calls is Calls.SAVE else transpose_anew


class Split(Struct, frozen=True):
    """revf$f and revr$f of paper 001, §6.1.

    `forward` takes the arguments of f and gives (value, residuals); `backward` takes the `kept` arguments of f (by
    position), the residuals one by one, and the cotangent of the value, and gives the cotangents of the `wrt` arguments.
    """

    forward: Lam
    backward: Lam
    kept: tuple[int, ...]


def split(function: Lam, wrt: tuple[int, ...], single: bool, how: Transpose = transpose) -> Split:
    """The derivative of a function in two parts: the second can be called often without running f again."""
    function = cast(Lam, refresh(function))
    chosen = [function.parameters[k] for k in wrt]
    r = Var("cotangent", tangent(function.body.type))
    how = transpose_in_halves if how is transpose else how
    region = region_of(
        function, chosen, lambda walk, value: walk.contribute(value, r), how, wanted=True, late=frozenset((r,))
    )
    definitions = region.definitions()
    parts = [cotangent_of(region, x) for x in chosen]
    back = let(region.backward, parts[0] if single else MakeTuple(tuple(parts)))
    second = handed(back, definitions)
    kept = tuple([k for k, x in enumerate(function.parameters) if x in back.free])
    forward = Lam(function.parameters, scope(region.forward, MakeTuple((region.value, MakeTuple(second.terms)))))
    parameters = (*[function.parameters[k] for k in kept], *second.names, r)
    return Split(cast(Lam, refresh(forward)), cast(Lam, refresh(Lam(parameters, second.second))), kept)


def _whole(region: Region, result: Term) -> Term:
    return refresh(scope(region.forward, let(region.backward, result)))
