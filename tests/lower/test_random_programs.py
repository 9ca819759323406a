"""Random programs: the C of terms optimised or not, differentiated or not, agrees with the interpreter."""

from __future__ import annotations

import pytest

from fsmooth.core.term import Lam
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT, NONE, REAL
from tests.accuracy.cases import cases
from tests.accuracy.judge import disagreement
from tests.lower.harness import FAST, STRICT, compile_all

BATCH = 25
TOLERANCE = 1e-12


pytestmark = pytest.mark.usefixtures("deep")


@pytest.mark.parametrize(
    ("flags", "schedule"), [(STRICT, NONE), (FAST, DEFAULT), (FAST, REAL)], ids=["strict", "fast", "real"]
)
@pytest.mark.parametrize("first", range(30_000, 34_000, 1_000))
def test_c_agrees_with_the_interpreter(first, flags, schedule):
    batch = list(cases(first, BATCH))
    terms = [schedule(term) for case in batch for term in (case.program, case.gradient)]
    assert all(isinstance(t, Lam) for t in terms)
    kernels = compile_all(terms, flags, lambda term, name: lower(term, name, passes=schedule.loops))
    for k, case in enumerate(batch):
        for kernel, expected in ((kernels[2 * k], case.value), (kernels[2 * k + 1], case.slopes)):
            wrong = disagreement(kernel(*case.arguments), expected, TOLERANCE)
            assert not wrong, f"seed {case.seed}: {wrong}"
