"""Random programs and their gradients as Futhark text, against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.backend.futhark.entry import futhark
from fsmooth.core.term import Lam
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.cases import Case, cases
from tests.accuracy.judge import Answer, excess, within
from tests.futhark.harness import Read, flat_arguments, numbers

BATCH = 25
TOLERANCE = 1e-10

pytestmark = pytest.mark.usefixtures("deep")


@pytest.mark.parametrize("first", range(70_000, 82_000, 1_000))
def test_text_agrees_with_the_interpreter(first: int) -> None:
    """300 programs, as they are and optimised, and their gradients."""
    for case in cases(first, BATCH):
        _compare(case, NONE(case.program), case.value)
        _compare(case, DEFAULT(case.program), case.value)
        _compare(case, DEFAULT(case.gradient), case.slopes)


def _compare(case: Case, term: object, wanted: Answer) -> None:
    assert isinstance(term, Lam)
    program = Read(futhark(term, "program"))
    found = program.run(flat_arguments(case.arguments, [q.type for q in term.parameters]))
    values = np.array([x for value in found for x in numbers(value)], dtype=float)
    ok = within(values, wanted.value, wanted.bound, TOLERANCE)
    assert ok, f"seed {case.seed}: {excess(values, wanted.value, wanted.bound)}"
