"""500 random programs: derivatives are right to 1e-10 of a running error bound, the C to 1e-12 of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from fsmooth.core.term import Lam
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.cases import Case, case_at, cases
from tests.accuracy.judge import Answer, disagreement, excess, within
from tests.accuracy.slopes import by_complex_step, by_duals
from tests.lower.harness import STRICT, compile_all
from tests.strategies import FLOATS, fixed, programs

BATCH = 25
BATCHES = [50_000 + 1_000 * k for k in range(20)]

QUICKLY = tuple(["-O0" if flag == "-O1" else flag for flag in STRICT])
"""What the C says is the question here; that compilers keep it, with vector math too, is tested in tests/lower."""

INTERPRETER, DERIVATIVE = 1e-12, 1e-10


def check(found: np.ndarray, expected: Answer, what: str) -> None:
    assert within(found, expected.value, expected.bound, DERIVATIVE), (
        f"{what}: {excess(found, expected.value, expected.bound)}"
    )


def derivative(case: Case) -> np.ndarray:
    """The gradient alone."""
    return case.slopes.value[case.value.value.size :]


def with_bounds_of(case: Case, exact: Answer) -> Answer:
    """The bounds of both ways: D's own formula may cancel where another does not (1 - tanh² for large arguments)."""
    return replace(exact, bound=exact.bound + case.slopes.bound[case.value.value.size :])


@pytest.mark.parametrize("first", BATCHES)
def test_derivatives_are_those_of_dual_numbers_and_of_the_complex_step(first: int) -> None:
    depends = 0
    for case in cases(first, BATCH):
        exact = by_duals(case.program, case.arguments, FLOATS)
        assert exact.is_sure, f"seed {case.seed}"
        stepped = by_complex_step(case.program, case.arguments, FLOATS)
        check(stepped, exact, f"seed {case.seed}, complex step")
        check(derivative(case), with_bounds_of(case, exact), f"seed {case.seed}, D")
        depends += bool(exact.value.any())
    assert depends > 0.5 * BATCH


@fixed
@given(programs())
def test_derivatives_of_what_hypothesis_finds(given_program: tuple[Lam, list[object]]) -> None:
    program, arguments = given_program
    case = case_at(0, program, arguments)
    assume(case is not None)
    exact = by_duals(program, arguments, FLOATS)
    assume(exact.is_sure)
    check(by_complex_step(program, arguments, FLOATS), exact, "complex step")
    check(derivative(case), with_bounds_of(case, exact), "D")


@pytest.mark.parametrize("first", BATCHES)
def test_c_is_the_interpreter(first: int) -> None:
    batch = list(cases(first, BATCH))
    kernels = compile_all([optimised(term) for case in batch for term in (case.program, case.gradient)], QUICKLY)
    for case, value, gradient in zip(batch, kernels[::2], kernels[1::2], strict=True):
        for kernel, expected in ((value, case.value), (gradient, case.slopes)):
            wrong = disagreement(kernel(*case.arguments), expected, INTERPRETER)
            assert not wrong, f"seed {case.seed}: {wrong}"


def optimised(term: Lam) -> Lam:
    result = DEFAULT(term)
    assert isinstance(result, Lam)
    return result
