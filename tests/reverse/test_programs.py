"""500 random programs: reverse mode, forward mode, dual numbers and the complex step agree to 1e-10 of an error bound."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given

from fsmooth.core.term import Lam, Verb
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.cases import Case, case_at, cases
from tests.accuracy.judge import Answer, bounded, disagreement, excess, within
from tests.accuracy.slopes import by_complex_step, by_duals
from tests.lower.harness import STRICT, compile_all
from tests.reverse.routes import reversed_
from tests.strategies import FLOATS, fixed, programs

BATCH = 25
BATCHES = [250_000 + 1_000 * k for k in range(20)]
TOLERANCE = 1e-10
QUICKLY = tuple(["-O0" if flag == "-O1" else flag for flag in STRICT])


def check(case: Case) -> bool:
    """Does every route agree?  False if the program is in doubt in one of them."""
    exact = by_duals(case.program, case.arguments, FLOATS)
    backwards = bounded(reversed_(case.program, FLOATS, Verb.VALUE_AND_GRAD), case.arguments)
    if not exact.is_sure or not backwards.is_sure:
        return False
    value = case.value.value.size
    found = Answer(backwards.value[value:], backwards.bound[value:], backwards.margin)
    forwards = Answer(case.slopes.value[value:], case.slopes.bound[value:], case.slopes.margin)
    assert within(backwards.value[:value], case.value.value, case.value.bound, TOLERANCE), (
        f"seed {case.seed}: the value"
    )
    _agree(found, exact, f"seed {case.seed}: reverse and dual numbers")
    _agree(found, forwards, f"seed {case.seed}: reverse and forward")
    stepped = by_complex_step(case.program, case.arguments, FLOATS)
    _agree(found, replace(exact, value=stepped), f"seed {case.seed}: reverse and complex step")
    return True


def _agree(found: Answer, other: Answer, what: str) -> None:
    bound = found.bound + other.bound
    assert within(found.value, other.value, bound, TOLERANCE), f"{what}: {excess(found.value, other.value, bound)}"


@pytest.mark.parametrize("first", BATCHES)
def test_every_route_agrees(first: int) -> None:
    judged = sum([check(case) for case in cases(first, BATCH)])
    assert judged >= BATCH - 1


@fixed
@given(programs())
def test_what_hypothesis_finds(given_program: tuple[Lam, list[object]]) -> None:
    case = case_at(0, *given_program)
    assume(case is not None)
    assume(check(case))


@pytest.mark.parametrize("first", BATCHES[::4])
def test_c_is_the_interpreter(first: int) -> None:
    batch = list(cases(first, BATCH))
    gradients = [reversed_(case.program, FLOATS, Verb.VALUE_AND_GRAD) for case in batch]
    kernels = compile_all([DEFAULT(gradient) for gradient in gradients], QUICKLY)
    for case, gradient, kernel in zip(batch, gradients, kernels, strict=True):
        expected = bounded(gradient, case.arguments)
        wrong = disagreement(kernel(*case.arguments), expected, TOLERANCE)
        assert not wrong, f"seed {case.seed}: {wrong}"
