"""How the examples are run: text to term, derivatives removed, a named schedule, and the term that comes out."""

from collections.abc import Callable

import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam, Require, Term
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.library import parse
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE

Optimise = Callable[[str, Schedule], Term]


def _optimised(text: str, schedule: Schedule) -> Term:
    return schedule(remove_derivatives(parse(text), BEFORE_DERIVATIVE))


def _without_requirements(term: Term) -> Term:
    """The same function on well-formed arguments: the papers say "if the input program is well formed"."""
    assert isinstance(term, Lam)
    body = term.body
    while isinstance(body, Require):
        body = body.body
    return Lam(term.parameters, body)


@pytest.fixture
def becomes() -> Callable[[str, Schedule, str], None]:
    """`becomes(program, schedule, expected)`: what the schedule makes of a program, its size requirements apart."""

    def check(text: str, schedule: Schedule, expected: str) -> None:
        result = _without_requirements(_optimised(text, schedule))
        wanted = parse(expected)
        assert alpha_equal(result, wanted), f"{result}\n\nis not\n\n{wanted}"

    return check


@pytest.fixture
def gives() -> Callable[..., object]:
    """`gives(program, *arguments)`: the value of a function with its derivatives removed, in the interpreter."""

    def run(text: str, *arguments: object) -> object:
        term = remove_derivatives(parse(text), BEFORE_DERIVATIVE)
        assert isinstance(term, Lam)
        given = {q: value_of(x, q.type) for q, x in zip(term.parameters, arguments, strict=True)}
        return plain(evaluate(term.body, given), term.body.type)

    return run
