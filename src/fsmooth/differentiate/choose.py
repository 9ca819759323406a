"""Forward or reverse: the mode that is predicted to be cheaper, by cost polynomials (design §4 and §5).

Forward mode runs the tangents of the program once for each real number differentiated with respect to, reverse mode
its transposition once for each real number of the value.  Both need the program itself.  Where the modes are predicted
to cost the same it is forward mode, which stores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import cast

from msgspec import Struct, field

from fsmooth.core.cost import Costs
from fsmooth.core.polynomial import Number, Polynomial
from fsmooth.core.shape import Ragged, shape_of, size_of
from fsmooth.core.term import App, Const, Custom, Deriv, Get, IFold, Lam, Length, Let, Method, Proj, Term, Var, Verb
from fsmooth.core.traverse import children, subterms, transform
from fsmooth.core.types import Array, Float, Tuple, scalars_of
from fsmooth.differentiate.encoding import item

TANGENT: Number = 1
"""The weight of one tangent, in runs of the program."""
SPARSE_TANGENT: Number = Fraction(1, 2)
"""The weight of one tangent where their number is known and each is written out: they are sparse and share much."""
COTANGENT: Number = 3
"""The weight of one transposition, in runs of the program."""

Sizes = Mapping[tuple[Var, int], int]
"""The lengths of arguments that are built in, by variable and axis."""


class Known(Struct):
    """What is known where a derivative stands: what variables are, and lengths that are built in."""

    sizes: Sizes
    definitions: dict[Var, Term] = field(default_factory=dict)

    def enter(self, term: Term) -> None:
        """Learn what the variables in a term are."""
        for part in subterms(term):
            match part:
                case Let(bindings):
                    self.definitions.update(bindings)
                case IFold(_, init, state):
                    self.definitions[state] = init  # its arrays keep their lengths
                case App(Lam(parameters), arguments) | App(Deriv(Lam(parameters)), arguments):
                    given = zip(parameters, arguments, strict=False)
                    self.definitions.update({x: value for x, value in given if x not in value.free})
                case App(Custom() as custom, arguments):
                    for own in children(custom):
                        given = zip(own.parameters if isinstance(own, Lam) else (), arguments, strict=False)
                        self.definitions.update({x: value for x, value in given if x not in value.free})

    def length(self, length: Term) -> Term:
        """A length in which those that are built in are numbers."""

        def change(term: Term) -> Term:
            match term:
                case Length(Var() as array, axis) if (array, axis) in self.sizes:
                    return Const(self.sizes[array, axis])
                case Length(array, axis):
                    place = self._defined(array)
                    return term if place is None else self.length(size_of(place, axis))
                case _:
                    return term

        return transform(length, change)

    def _defined(self, path: Term) -> Term | None:
        """A path as the same part of what its variable is; None if that is not known."""
        match path:
            case Var():
                return self.definitions.get(path)
            case Proj(inner, position):
                whole = self._defined(inner)
                return None if whole is None else item(whole, position)
            case Get(inner, index):
                whole = self._defined(inner)
                return None if whole is None else Get(whole, index)
            case _:
                return None


_ONE_WAY = {
    Verb.DUAL: (Method.FORWARD, "dual numbers are forward mode"),
    Verb.JVP: (Method.FORWARD, "one tangent is one run of forward mode"),
    Verb.VJP: (Method.REVERSE, "one cotangent is one run of reverse mode"),
}


class Choice(Struct, frozen=True):
    """The mode of one derivative, and why."""

    verb: Verb
    method: Method
    why: str
    forward: Polynomial | None = None
    reverse: Polynomial | None = None
    is_forced: bool = False

    def instead(self, why: str, other: Method | None = None) -> Choice:
        """Another mode, because this one failed: the other of the two, if it is not said which."""
        if other is None:
            other = Method.REVERSE if self.method is Method.FORWARD else Method.FORWARD
        return Choice(self.verb, other, f"there is {why}", self.forward, self.reverse)

    def __str__(self) -> str:
        """One line for `.explain()`."""
        costs = ""
        if self.forward is not None and self.reverse is not None:
            costs = f" (forward {self.forward}, reverse {self.reverse})"
        return f"{self.verb.value}: {self.method.value}, {self.why}{costs}"


def chosen(deriv: Deriv, known: Known) -> Choice:
    """The mode of a derivative of a function literal."""
    verb = deriv.verb
    if verb in _ONE_WAY and deriv.method is not Method.TAPE:
        return Choice(verb, *_ONE_WAY[verb], is_forced=True)
    if deriv.method is not Method.AUTO:
        return Choice(verb, deriv.method, "as asked", is_forced=True)
    function = cast(Lam, deriv.function)
    costs = Costs()
    once = costs.of(function.body)
    along = [function.parameters[k] for k in deriv.wrt]
    inputs = Polynomial.total([_reals(costs, x, known) for x in along])
    outputs = Polynomial.constant(1) if verb is not Verb.JACOBIAN else _reals(costs, function.body, known)
    one = TANGENT if inputs.number in (None, 1) else SPARSE_TANGENT
    forward = once + once * inputs * one
    reverse = once + once * outputs * COTANGENT
    if reverse.order < forward.order:
        return Choice(verb, Method.REVERSE, "which is predicted to cost less", forward, reverse)
    return Choice(verb, Method.FORWARD, "which is predicted to cost no more", forward, reverse)


def _reals(costs: Costs, place: Term, known: Known) -> Polynomial:
    """The number of real numbers in a value."""
    match place.type:
        case Float():
            return Polynomial.constant(1)
        case Tuple(items):
            return Polynomial.total([_reals(costs, item(place, k), known) for k in range(len(items))])
        case Array() as type_:
            total = Polynomial.constant(len([s for s in scalars_of(type_) if isinstance(s, Float)]))
            try:
                lengths = shape_of(place)
            except Ragged:
                return costs.elements(place)
            for length in lengths:
                found = known.length(length)
                total = total * costs.trips.of(found if isinstance(found, Const) else length)
            return total
        case _:
            return Polynomial.constant(0)
