"""Every schedule keeps the meaning of random programs, differentiated and not, to 1e-12 of a running error bound."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from fsmooth.core.term import Lam
from fsmooth.optimise.schedules import SCHEDULES
from tests.accuracy.cases import cases
from tests.accuracy.judge import Answer, bounded, excess, outcome, within
from tests.strategies import fixed, programs

BLOCKS = range(10)
PER_BLOCK = 12
TOLERANCE = 1e-12


pytestmark = pytest.mark.usefixtures("deep")


def keeps(schedule: str, term: Lam, arguments: list[object], expected: Answer) -> str:
    """Nothing, or what the schedule made of the value."""
    optimised = SCHEDULES[schedule](term)
    assert isinstance(optimised, Lam)
    assert optimised.type == term.type
    found = outcome(optimised, arguments)
    if isinstance(found, str):
        return found
    if within(found, expected.value, expected.bound, TOLERANCE):
        return ""
    return excess(found, expected.value, expected.bound)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("schedule", ["LF", "LN", "LICM", "REAL", "DEFAULT"])
def test_value_is_kept(block: int, schedule: str) -> None:
    for case in cases(1_000 * block, PER_BLOCK):
        assert not keeps(schedule, case.program, case.arguments, case.value), f"seed {case.seed}"


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("schedule", ["NONE", "DEFAULT"])
def test_gradient_is_kept(block: int, schedule: str) -> None:
    for case in cases(1_000 * block, PER_BLOCK):
        assert not keeps(schedule, case.gradient, case.arguments, case.slopes), f"seed {case.seed}"


@fixed
@given(programs())
def test_value_is_kept_of_what_hypothesis_finds(given_program: tuple[Lam, list[object]]) -> None:
    program, arguments = given_program
    assume(not isinstance(outcome(program, arguments), str))
    expected = bounded(program, arguments)
    assume(expected.is_sure)
    assert not keeps("DEFAULT", program, arguments, expected)
