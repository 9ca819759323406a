"""The derivatives that CasADi asks of a function, as terms: of all results by all arguments.

A program has its arguments first among its parameters, and was read as one that is differentiated once, or for `second` twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.core.term import App, Deriv, Lam, Method, Proj, Term, Var, Verb
from fsmooth.core.types import tangent
from fsmooth.frontend.elaborate import Elaborated, Parameter


def jacobian(program: Elaborated, arguments: int) -> Elaborated:
    """Of each result by each argument."""
    own = _variables(program)
    return _made(program, own, [], App(_of(program, arguments, Verb.JACOBIAN, Method.AUTO), own))


def forward(program: Elaborated, arguments: int) -> Elaborated:
    """The tangents of the results; behind the parameters it takes tangents of the arguments."""
    own = _variables(program)
    along = [Var(f"d{v.name}", tangent(v.type)) for v in own[:arguments]]
    both = App(_of(program, arguments, Verb.JVP, Method.FORWARD), (*own, *along))
    return _made(program, own, along, Proj(both, 1))


def reverse(program: Elaborated, arguments: int) -> Elaborated:
    """The cotangents of the arguments; behind the parameters it takes the cotangent of what the program gives."""
    own = _variables(program)
    back = Var("seed", tangent(program.term.body.type))
    both = App(_of(program, arguments, Verb.VJP, Method.REVERSE), (*own, back))
    return _made(program, own, [back], Proj(both, 1))


def second(program: Elaborated, arguments: int) -> Elaborated:
    """The Jacobian of `reverse`, by the arguments and by the cotangent."""
    made = reverse(program, arguments)
    own = _variables(made)
    derivative = Deriv(made.term, (*range(arguments), len(own) - 1), Verb.JACOBIAN, Method.AUTO)
    return replace(made, term=Lam(own, App(derivative, own)))


def _variables(program: Elaborated) -> tuple[Var, ...]:
    return tuple([v.renamed() for v in program.term.parameters])


def _of(program: Elaborated, arguments: int, verb: Verb, method: Method) -> Deriv:
    return Deriv(program.term, tuple(range(arguments)), verb, method)


def _made(program: Elaborated, own: Sequence[Var], more: Sequence[Var], body: Term) -> Elaborated:
    parameters = (*program.parameters, *[Parameter(v.name, v.type) for v in more])
    return replace(program, term=Lam((*own, *more), body), parameters=parameters)
