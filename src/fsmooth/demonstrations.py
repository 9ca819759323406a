"""A program's derivative as the notes print it, as linear maps (paper 001, §9): the stages that compile it do not need these."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.definitions import has_derivative
from fsmooth.core.own_rules import without_rules
from fsmooth.core.term import App, Deriv, Lam, Let, Method, Require
from fsmooth.core.types import has_float
from fsmooth.differentiate.linear.demonstration import Demonstration, Passes, demonstrate
from fsmooth.differentiate.remove import Removal
from fsmooth.errors import ArgumentError
from fsmooth.frontend.elaborate import Elaborated
from fsmooth.optimise.linear_maps import COMPOSED, ELIMINATE, JACOBIAN, SHARE
from fsmooth.optimise.schedules import DEFAULT


def demonstrated(elaborated: Elaborated, wrt: str | tuple[str, ...] | None, auto: Method) -> Demonstration:
    """The derivative of a program by its first argument of real numbers, if `wrt` names no others; if it is a derivative, of
    the function that it is the derivative of.  `auto` is the mode of derivatives inside.
    """
    whole = _differentiated(elaborated)
    removal = Removal(DEFAULT.before, auto=auto)
    function = whole.function if isinstance(whole, Deriv) else whole
    if has_derivative(function):
        function = removal.before(removal.run(function))
    function = without_rules(function)  # the definitions of the notes differentiate bodies
    assert isinstance(function, Lam)
    names = [q.name for q in function.parameters]
    real = [q.name for q in function.parameters if has_float(q.type)]
    if wrt is None and isinstance(whole, Deriv):
        chosen = whole.wrt
    else:
        wanted = (wrt,) if isinstance(wrt, str) else tuple(real[:1]) if wrt is None else wrt
        if not wanted or not set(wanted) <= set(real):
            raise ArgumentError(_no_argument(wrt, names, real))
        chosen = tuple([names.index(name) for name in wanted])
    return demonstrate(function, Passes(JACOBIAN, COMPOSED, ELIMINATE, SHARE), chosen)


def _no_argument(wrt: str | tuple[str, ...] | None, names: Sequence[str], real: Sequence[str]) -> str:
    if wrt is None:
        of = f"of {', '.join(names)}" if names else "without arguments"
        return f"a function {of} has no derivative: none of its arguments has real numbers\n  hint: pass 3.0, not 3"
    there_are = f"those with real numbers are {', '.join(real)}" if real else "none of them has real numbers"
    return f"wrt={wrt!r} of a function of {', '.join(names)}\n  hint: {there_are}"


def _differentiated(elaborated: Elaborated) -> Lam | Deriv:
    """The program, or the derivative that it only calls."""
    if elaborated.pullback is not None:
        return elaborated.pullback
    body = elaborated.term.body
    while isinstance(body, Require):
        body = body.body
    match body:
        case Let(((var, App(Deriv() as derivative, _)),), result) if result is var:
            return derivative
        case _:
            return elaborated.term
