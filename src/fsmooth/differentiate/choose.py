"""Forward or reverse: the mode that is predicted to be cheaper, by cost polynomials (design §4 and §5).

Forward mode runs the tangents of the program once for each real number differentiated with respect to, reverse mode
its transposition once for each real number of the value.  Fused, a tangent costs about as much as the program, its
transposition about three times as much; both need the program itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from fsmooth.core.cost import Costs
from fsmooth.core.polynomial import Polynomial
from fsmooth.core.term import Deriv, Lam, Method, Term, Verb
from fsmooth.core.types import Array, Float, Tuple, scalars_of
from fsmooth.differentiate.encoding import item

TANGENT = 1
"""The weight of one tangent, in runs of the program."""
COTANGENT = 3
"""The weight of one transposition, in runs of the program."""

_ONE_WAY = {
    Verb.DUAL: (Method.FORWARD, "dual numbers are forward mode"),
    Verb.JVP: (Method.FORWARD, "one tangent is one run of forward mode"),
    Verb.VJP: (Method.REVERSE, "one cotangent is one run of reverse mode"),
}


@dataclass(frozen=True)
class Choice:
    """The mode of one derivative, and why."""

    verb: Verb
    method: Method
    why: str
    forward: Polynomial | None = None
    reverse: Polynomial | None = None
    is_forced: bool = False

    def instead(self, why: str) -> Choice:
        """The other mode, because this one failed."""
        other = Method.REVERSE if self.method is Method.FORWARD else Method.FORWARD
        return Choice(self.verb, other, f"there is {why}", self.forward, self.reverse)

    def __str__(self) -> str:
        """One line for `.explain()`."""
        costs = ""
        if self.forward is not None and self.reverse is not None:
            costs = f" (forward {self.forward}, reverse {self.reverse})"
        return f"{self.verb.value}: {self.method.value}, {self.why}{costs}"


def chosen(deriv: Deriv) -> Choice:
    """The mode of a derivative of a function literal."""
    verb = deriv.verb
    if verb in _ONE_WAY:
        return Choice(verb, *_ONE_WAY[verb], is_forced=True)
    if deriv.method is not Method.AUTO:
        return Choice(verb, deriv.method, "as asked", is_forced=True)
    function = cast(Lam, deriv.function)
    costs = Costs()
    once = costs.of(function.body)
    inputs = Polynomial.total([_reals(costs, function.parameters[k]) for k in deriv.wrt])
    outputs = Polynomial.constant(1) if verb is not Verb.JACOBIAN else _reals(costs, function.body)
    forward = once + once * inputs * TANGENT
    reverse = once + once * outputs * COTANGENT
    if reverse.order < forward.order and False:  # noqa: SIM223
        return Choice(verb, Method.REVERSE, "which is predicted to cost less", forward, reverse)
    return Choice(verb, Method.FORWARD, "which is predicted to cost no more", forward, reverse)


def _reals(costs: Costs, place: Term) -> Polynomial:
    """The number of real numbers in a value."""
    match place.type:
        case Float():
            return Polynomial.constant(1)
        case Tuple(items):
            return Polynomial.total([_reals(costs, item(place, k)) for k in range(len(items))])
        case Array() as type_:
            scalars = list(scalars_of(type_))
            share = Fraction(len([s for s in scalars if isinstance(s, Float)]), len(scalars))
            return costs.elements(place) * share
        case _:
            return Polynomial.constant(0)
