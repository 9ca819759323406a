"""Random programs whose arrays need not agree in size: the C fails where the interpreter does, and nowhere else.

They are written as text and read back, so that the front-end adds what must be required.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from fsmooth.core.pretty import show
from fsmooth.core.term import Lam, Require, Term
from fsmooth.core.traverse import subterms
from fsmooth.core.types import INT, Array, Tuple
from fsmooth.frontend.text import TextError, parse
from fsmooth.laws.random_terms.generator import Generator
from fsmooth.laws.random_terms.scope import DOUBLE, V
from fsmooth.optimise.schedules import DEFAULT, NONE, REAL
from tests.accuracy.judge import Answer, bounded, disagreement, outcome
from tests.lower.harness import STRICT, Failed, compile_all
from tests.strategies import arguments_from, parameters

TYPES = (V, Array(V), Tuple((V, V, INT)), Array(DOUBLE.point), Tuple((Array(V), V)))
COUNT, TOLERANCE = 30, 1e-12


class Careless(Generator):
    """Arrays that meet have the sizes that chance gives them."""

    def like(self, value: Term, model: Term) -> Term:
        """As it is."""
        return value


@dataclass(frozen=True)
class Case:
    """A program with requirements, and what the interpreter makes of it: None if one of them fails."""

    seed: int
    program: Lam
    arguments: list[object]
    answer: Answer | None


def _cases(first: int) -> Iterator[Case]:
    for seed in range(first, first + COUNT):
        rng = random.Random(seed)
        variables = parameters()
        body = Careless(rng, list(variables)).conditional(rng.choice(TYPES))(3)
        try:
            program = parse(show(Lam(variables, body)))
        except TextError as error:
            if "differ" not in error.message:
                raise
            continue
        if not any([isinstance(t, Require) for t in subterms(program)]):
            continue
        assert isinstance(program, Lam)
        arguments = arguments_from(rng)
        found = outcome(program, arguments)
        if isinstance(found, str):
            assert found == "RequirementFailed"
            yield Case(seed, program, arguments, None)
            continue
        answer = bounded(program, arguments)
        if answer.is_sure:
            yield Case(seed, program, arguments, answer)


@pytest.mark.parametrize("schedule", [NONE, DEFAULT, REAL], ids=["none", "default", "real"])
@pytest.mark.parametrize("first", [400_050, 400_130])
def test_the_c_fails_where_the_interpreter_does(first: int, schedule) -> None:
    cases = list(_cases(first))
    failing = sum([case.answer is None for case in cases])
    assert 5 < failing < len(cases) - 5
    kernels = compile_all([schedule(case.program) for case in cases], STRICT)
    for case, kernel in zip(cases, kernels, strict=True):
        if case.answer is None:
            with pytest.raises(Failed, match="SIZE"):
                kernel(*case.arguments)
            continue
        wrong = disagreement(kernel(*case.arguments), case.answer, TOLERANCE)
        assert not wrong, f"seed {case.seed}: {wrong} in\n{show(case.program)}"
