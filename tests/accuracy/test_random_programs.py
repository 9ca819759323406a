"""500 random programs: derivatives are right to 1e-10 of a running error bound, the C to 1e-12 of it."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core.term import Lam
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.cases import cases
from tests.accuracy.judge import Answer, excess, flat, within
from tests.accuracy.slopes import by_complex_step, by_duals
from tests.lower.harness import STRICT, compile_all
from tests.strategies import FLOATS

BATCH = 25
BATCHES = [50_000 + 1_000 * k for k in range(20)]

INTERPRETER, DERIVATIVE = 1e-12, 1e-10


def check(found: np.ndarray | str, expected: Answer, tolerance: float, what: str) -> None:
    assert not isinstance(found, str), f"{what}: {found}"
    assert within(found, expected.value, expected.bound, tolerance), (
        f"{what}: {excess(found, expected.value, expected.bound)}"
    )


@pytest.mark.parametrize("first", BATCHES)
def test_derivatives_are_those_of_dual_numbers_and_of_the_complex_step(first: int) -> None:
    depends = 0
    for case in cases(first, BATCH):
        exact = by_duals(case.program, case.arguments, FLOATS)
        assert exact.is_sure, f"seed {case.seed}"
        stepped = by_complex_step(case.program, case.arguments, FLOATS)
        check(stepped, exact, DERIVATIVE, f"seed {case.seed}, complex step")
        derived = case.slopes.value[case.value.value.size :]
        check(derived, exact, DERIVATIVE, f"seed {case.seed}, D")
        depends += bool(exact.value.any())
    assert depends > 0.5 * BATCH


@pytest.mark.parametrize("first", BATCHES)
def test_c_is_the_interpreter(first: int) -> None:
    batch = list(cases(first, BATCH))
    compiled = compile_all(
        [term for case in batch for term in (optimised(case.program), optimised(case.gradient))], STRICT
    )
    for case, value, gradient in zip(batch, compiled[::2], compiled[1::2], strict=True):
        check(flat(value(*case.arguments)), case.value, INTERPRETER, f"seed {case.seed}")
        check(flat(gradient(*case.arguments)), case.slopes, INTERPRETER, f"seed {case.seed}, differentiated")


def optimised(term: Lam) -> Lam:
    result = DEFAULT(term)
    assert isinstance(result, Lam)
    return result
