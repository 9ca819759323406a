"""A program and the derivative of the function that it calls, in two halves: what runs first, and what can run often.

`split` (paper 001, §6.1) takes a function apart; here are the bindings and requirements around its call, which run in
the first half.  What the second half needs of them is handed over with the residuals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from msgspec import Struct

from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import App, Deriv, Failure, Lam, Let, MakeTuple, Proj, Require, Term, Var, let
from fsmooth.core.types import Data, Function, Tuple, scalars_of
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.reverse.handed import handed
from fsmooth.differentiate.reverse.handed_components import by_components
from fsmooth.differentiate.reverse.verbs import Split, split, transposed
from fsmooth.differentiate.saving import Calls

Divided = Callable[[Lam, Deriv], Split]
"""What takes the derivative of a function apart."""


def by_transposition(calls: Calls) -> Divided:
    """In reverse mode, where calls do this for their way back."""
    return lambda function, wanted: split(function, wanted.wrt, wanted.single, transposed(wanted, calls))


class Halves(Struct, frozen=True):
    """`forward` takes what the program takes and gives (value, residuals); `backward` takes the parameters of the
    program that `kept` lists, by position, then the residuals one by one, then the cotangent of the value.
    """

    residuals: tuple[Term, ...]
    giving: Callable[[tuple[Term, ...]], Lam]
    backward: Lam
    kept: tuple[int, ...]

    @property
    def forward(self) -> Lam:
        """What runs first."""
        return cast(Lam, refresh(self.giving(self.residuals)))

    def pared(self, optimised: Lam) -> Halves:
        """The halves with the second one as it is optimised, which may read less, and no residuals but what it reads.

        Raises:
            NoDerivative: if it reads nodes that the first half makes, which are gone by then.

        """
        count = len(self.kept)
        own, saved, cotangent = optimised.parameters[:count], optimised.parameters[count:-1], optimised.parameters[-1]
        body, given = by_components(optimised.body, zip(saved, self.residuals, strict=True))
        second = handed(body, [name for name, _ in given])
        residuals = tuple([substitute(term, dict(given)) for term in second.terms])
        if any([isinstance(s, Data) for term in residuals for s in scalars_of(term.type)]):
            raise NoDerivative("no pullback in reverse mode that keeps nodes that a program makes")
        return Halves(residuals, self.giving, Lam((*own, *second.names, cotangent), second.second), self.kept)


def halves(program: Lam, wanted: Deriv, simplify: Callable[[Term], Term], divided: Divided) -> Halves:
    """The two halves of `program`, whose value is that of a call of the function in `wanted`."""
    around, call = _taken_apart(program.body)
    function = simplify(wanted.function)
    if not isinstance(function, Lam):
        raise NoDerivative("what is differentiated must be a function known at compile time")
    parts = divided(function, wanted)
    assert isinstance(parts.forward.type, Function)
    both = Var("both", parts.forward.type.result)
    assert isinstance(both.type, Tuple)
    residuals = both.type.items[1]
    assert isinstance(residuals, Tuple)
    count = len(residuals.items)
    own = parts.backward.parameters
    first, saved, cotangent = own[: len(parts.kept)], own[len(parts.kept) : -1], own[-1]
    parameters: dict[Var, Var] = {}
    around_it: list[Term] = []
    handed_to: list[Var] = []
    aliases: list[tuple[Var, Term]] = []
    for k, name in zip(parts.kept, first, strict=True):
        argument = call.arguments[k]
        if not isinstance(argument, Var) or argument not in program.parameters:
            around_it.append(argument)
            handed_to.append(name)
        elif argument in parameters:
            aliases.append((name, parameters[argument]))
        else:
            parameters[argument] = name
    for x in sorted(parts.backward.free, key=lambda x: x.id):
        if x not in program.parameters:
            around_it.append(x)
            handed_to.append(x)
        elif x in parameters:
            aliases.append((x, parameters[x]))
        else:
            parameters[x] = x
    given = (*[Proj(Proj(both, 1), k) for k in range(count)], *around_it)

    def giving(residuals: tuple[Term, ...]) -> Lam:
        result = MakeTuple((Proj(both, 0), MakeTuple(residuals)))
        return Lam(program.parameters, around(let(((both, App(parts.forward, call.arguments)),), result)))

    second = _under(_of_indices(program.body), parameters, let(tuple(aliases), parts.backward.body))
    backward = Lam((*parameters.values(), *saved, *handed_to, cotangent), second)
    kept = tuple([program.parameters.index(x) for x in parameters])
    return Halves(given, giving, cast(Lam, refresh(backward)), kept)


def _of_indices(body: Term) -> list[Require]:
    """What a program first requires, if there are index types in it: proofs in the second half rest on that, too."""
    found = []
    while isinstance(body, Require):
        found.append(body)
        body = body.body
    return found if any([r.failure is Failure.ELEMENT for r in found]) else []


def _under(required: list[Require], names: dict[Var, Var], body: Term) -> Term:
    """`body`, under those of these requirements that are about variables which have names there."""
    for r in reversed(required):
        asked = frozenset[Var]().union(r.condition.free, *[n.free for n in r.numbers])
        if asked <= names.keys():
            own = {x: names[x] for x in asked}
            numbers = tuple([substitute(n, own) for n in r.numbers])
            body = Require(substitute(r.condition, own), body, r.failure, numbers, r.site)
    return body


def _taken_apart(body: Term) -> tuple[Callable[[Term], Term], App]:
    """The call at the end of a program, and what puts another term in its place."""
    match body:
        case App():
            return lambda term: term, body
        case Let(bindings, inner):
            around, call = _taken_apart(inner)
            return lambda term: let(bindings, around(term)), call
        case Require(condition, inner):
            around, call = _taken_apart(inner)
            failure, numbers, site = body.failure, body.numbers, body.site
            return lambda term: Require(condition, around(term), failure, numbers, site), call
        case _:
            raise AssertionError(f"a vjp of {type(body).__name__}")
