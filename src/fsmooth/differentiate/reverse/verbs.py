"""Derivatives as the user asks for them, by reverse mode: rev$f of paper 001, Fig. 6, for each verb."""

from __future__ import annotations

from typing import cast

from fsmooth.core.build import zero_like
from fsmooth.core.cost import Costs
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Const,
    Delta,
    Deriv,
    Get,
    Lam,
    MakeTuple,
    Proj,
    Term,
    Var,
    Verb,
    let,
    scalar_constant,
)
from fsmooth.core.types import INT, Array, Float, Tuple, tangent
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.reverse.region import Region, Seed, reversed_steps, scope
from fsmooth.differentiate.reverse.steps import Steps
from fsmooth.differentiate.reverse.transpose import transpose


def reverse(deriv: Deriv) -> Lam:
    """The function that a `Deriv` of a function literal stands for, by reverse mode."""
    function = cast(Lam, refresh(deriv.function))
    chosen = [function.parameters[k] for k in deriv.wrt]

    def gradient(region: Region) -> Term:
        parts = [_cotangent(region, x) for x in chosen]
        return parts[0] if deriv.single else MakeTuple(tuple(parts))

    match deriv.verb:
        case Verb.GRAD | Verb.VALUE_AND_GRAD:
            one = scalar_constant(1.0, function.body.type)
            wanted = deriv.verb is Verb.VALUE_AND_GRAD
            region = _region(function, chosen, lambda walk, value: walk.contribute(value, one), wanted=wanted)
            result = gradient(region)
            return Lam(function.parameters, _whole(region, MakeTuple((region.value, result)) if wanted else result))
        case Verb.VJP:
            r = Var("cotangent", tangent(function.body.type))
            region = _region(function, chosen, lambda walk, value: walk.contribute(value, r), wanted=True)
            return Lam((*function.parameters, r), _whole(region, MakeTuple((region.value, gradient(region)))))
        case _:
            raise NoDerivative(f"no reverse derivative for {deriv.verb.value}")


def _region(function: Lam, chosen: list[Var], seed: Seed, *, wanted: bool) -> Region:
    steps = Steps(frozenset(chosen), frozenset())
    value = steps.value(function.body)
    return reversed_steps(steps, value, seed, transpose, Costs(), wanted=wanted)


def _cotangent(region: Region, x: Var) -> Term:
    found = region.cotangents.take(x)
    return zero_like(x) if found is None else found


def _whole(region: Region, result: Term) -> Term:
    return refresh(scope(region.forward, let(region.backward, result)))


__all__ = ["Array", "Build", "Const", "Delta", "Float", "Get", "INT", "Proj", "Tuple", "reverse", "size_of"]
