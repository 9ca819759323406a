"""c̄ = bwd h ē r: the cotangents of what a definition is given, by a definition of its own for each set of varying arguments.

The body of bwd h runs that of h forwards, as far as its own way back reads it, and then backwards; where it met a call, it calls
bwd.  Where what a call gives is read too, and its cotangent is known before the call, one call gives both; else it saves what
its way back reads (differentiate/reverse/saved.py).
"""

from __future__ import annotations

from typing import cast

from fsmooth.core.build import blank_of, tuple_of, zero_like
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import Header, Lam, Term, Var, let
from fsmooth.core.types import has_array, has_float, tangent
from fsmooth.differentiate.definitions import definition_of, derived
from fsmooth.differentiate.reverse.region import Reverser, Transpose, scope
from fsmooth.differentiate.reverse.whole import cotangent_of, region_of


def cotangents_of(header: Header, active: tuple[bool, ...], transpose: Transpose, *, wanted: bool) -> Header:
    """The header of bwd h: of the arguments of h and the cotangent of its value, the cotangents of the active arguments.

    If the value is `wanted` too, that comes first.
    """

    def made() -> Header:
        given = [Var(f"x{k}", t) for k, t in enumerate(header.parameters)]
        like = [zero_like(x) for x, moves in zip(given, active, strict=True) if moves]
        if wanted:
            like.insert(0, value_like(header, given))
        types = (*header.parameters, tangent(header.result))
        model = Lam((*given, Var("r", types[-1])), tuple_of(like)) if any([has_array(x.type) for x in like]) else None
        name = f"{header.name}_{'both' if wanted else 'back'}"
        return Header(name, types, tuple_of(like).type, header.site, model, header.running)

    def backwards() -> Lam:
        function = cast(Lam, refresh(definition_of(header)))
        chosen = [x for x, moves in zip(function.parameters, active, strict=True) if moves]
        r = Var("cotangent", tangent(header.result))

        def seed(walk: Reverser, value: Term) -> None:
            walk.contribute(value, r)

        region = region_of(function, chosen, seed, transpose, wanted=wanted)
        value = [region.value] if wanted else []
        back = let(region.backward, tuple_of([*value, *[cotangent_of(region, x) for x in chosen]]))
        return cast(Lam, refresh(Lam((*function.parameters, r), scope(region.forward, back))))

    return derived(header, (transpose, active, wanted), made, backwards)


def value_like(header: Header, given: list[Var]) -> Term:
    """Something of the type and the sizes of its value."""
    if header.model is None:
        return blank_of(header.result)
    return substitute(header.model.body, dict(zip(header.model.parameters, given, strict=True)))


def varying(arguments: tuple[Term, ...], walk: Reverser) -> tuple[bool, ...]:
    """Which arguments depend on what is differentiated."""
    return tuple([has_float(a.type) and walk.steps.is_active(a) for a in arguments])
