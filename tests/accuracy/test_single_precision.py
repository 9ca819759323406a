"""Random programs in single precision: the C agrees with the interpreter to a running error bound of that precision."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core.term import Lam, Verb
from fsmooth.core.types import F32
from fsmooth.laws.random_terms.scope import SINGLE
from fsmooth.optimise.schedules import DEFAULT, NONE, REAL
from tests.accuracy.cases import differentiated
from tests.accuracy.judge import Answer, bounded, disagreement, outcome
from tests.lower.harness import FAST, STRICT, compile_all
from tests.strategies import FLOATS, random_program

COUNT = 20
TOLERANCE = 1e-14
"""Of a bound in units of double precision, 2²⁹ of which are one of single: 90 roundings."""


def _answer(program: Lam, arguments: list[object]) -> Answer | None:
    """The interpreter's, unless rounding may decide a comparison."""
    answer = bounded(program, arguments)
    return answer if answer.margin >= TOLERANCE and np.isfinite(answer.bound).all() else None


def _cases(first: int) -> list[tuple[int, Lam, list[object], Answer]]:
    """Programs and their gradients with the interpreter's answers."""
    found: list[tuple[int, Lam, list[object], Answer]] = []
    for seed in range(first, first + COUNT):
        program, arguments = random_program(seed, 4, F32, SINGLE)
        if isinstance(outcome(program, arguments), str):
            continue
        for term in (program, differentiated(program, FLOATS, Verb.VALUE_AND_GRAD)):
            answer = _answer(term, arguments)
            if answer is not None:
                found.append((seed, term, arguments, answer))
    return found


@pytest.mark.parametrize(
    ("schedule", "flags"), [(NONE, STRICT), (DEFAULT, STRICT), (REAL, FAST)], ids=["none", "default", "real"]
)
@pytest.mark.parametrize("first", [70_000, 71_000, 72_000])
def test_c_is_the_interpreter(first: int, schedule, flags) -> None:
    found = _cases(first)
    assert len(found) > COUNT
    kernels = compile_all([schedule(term) for _, term, _, _ in found], flags)
    for kernel, (seed, term, arguments, answer) in zip(kernels, found, strict=True):
        wrong = disagreement(kernel(*arguments), answer, TOLERANCE)
        assert not wrong, f"seed {seed}: {wrong} in\n{term}"
