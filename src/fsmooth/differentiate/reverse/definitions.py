"""c̄ = bwd h ē r: the cotangents of what a definition is given, by a definition of its own for each set of varying arguments.

The body of bwd h runs that of h forwards, as far as its own way back reads it, and then backwards; where it met a call, it calls
bwd.  Nothing is handed over from a call to its derivative: what a call gave is computed again where it is read.
"""

from __future__ import annotations

from typing import cast

from fsmooth.core.build import zero_like
from fsmooth.core.subst import refresh
from fsmooth.core.term import Header, Lam, MakeTuple, Term, Var, let
from fsmooth.core.types import has_array, has_float, tangent
from fsmooth.differentiate.definitions import definition_of, derived
from fsmooth.differentiate.reverse.region import Reverser, Transpose, scope
from fsmooth.differentiate.reverse.whole import cotangent_of, region_of


def cotangents_of(header: Header, active: tuple[bool, ...], transpose: Transpose) -> Header:
    """The header of bwd h: of the arguments of h and the cotangent of its value, the cotangents of the active arguments."""

    def made() -> Header:
        given = [Var(f"x{k}", t) for k, t in enumerate(header.parameters)]
        zeros = _tuple([zero_like(x) for x, moves in zip(given, active, strict=True) if moves])
        types = (*header.parameters, tangent(header.result))
        model = Lam((*given, Var("r", types[-1])), zeros) if has_array(zeros.type) else None
        return Header(f"{header.name}_back", types, zeros.type, header.site, model)

    def backwards() -> Lam:
        function = cast(Lam, refresh(definition_of(header)))
        chosen = [x for x, moves in zip(function.parameters, active, strict=True) if moves]
        r = Var("cotangent", tangent(header.result))

        def seed(walk: Reverser, value: Term) -> None:
            walk.contribute(value, r)

        region = region_of(function, chosen, seed, transpose, wanted=False)
        back = let(region.backward, _tuple([cotangent_of(region, x) for x in chosen]))
        return cast(Lam, refresh(Lam((*function.parameters, r), scope(region.forward, back))))

    return derived(header, (transpose, active), made, backwards)


def varying(arguments: tuple[Term, ...], walk: Reverser) -> tuple[bool, ...]:
    """Which arguments depend on what is differentiated."""
    return tuple([has_float(a.type) and walk.steps.is_active(a) for a in arguments])


def _tuple(items: list[Term]) -> Term:
    return items[0] if len(items) == 1 else MakeTuple(tuple(items))
