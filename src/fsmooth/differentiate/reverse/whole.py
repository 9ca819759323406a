"""The region of a whole function, and what leaves it: the cotangents of the parameters that are differentiated."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.build import zero_like
from fsmooth.core.cost import Costs
from fsmooth.core.term import Lam, Term, Var
from fsmooth.differentiate.reverse.region import Region, Seed, Tail, Transpose, reversed_steps
from fsmooth.differentiate.reverse.steps import Steps


def region_of(
    function: Lam,
    chosen: Sequence[Var],
    seed: Seed,
    transpose: Transpose,
    *,
    wanted: bool,
    late: frozenset[Var] = frozenset(),
    tail: Tail | None = None,
) -> Region:
    """The body of a function, reversed with respect to the `chosen` parameters; its binders must be distinct."""
    steps = Steps(frozenset(chosen), {})
    value = steps.value(function.body)
    return reversed_steps(steps, value, seed, transpose, Costs(), wanted=wanted, late=late, at_once=True, tail=tail)


def cotangent_of(region: Region, x: Var) -> Term:
    """The cotangent of a parameter; zero if nothing contributed."""
    found = region.cotangents.take(x)
    return zero_like(x) if found is None else found
