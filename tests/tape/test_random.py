"""Random programs: the tape agrees with dual numbers and the complex step, in the interpreter, the loops and the C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from fsmooth.core.definitions import redefined
from fsmooth.core.term import Lam
from fsmooth.optimise.calls.loops import calls_as_loops
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.cases import Case, cases
from tests.accuracy.judge import Answer, bounded, disagreement, excess, within
from tests.accuracy.slopes import by_complex_step, by_duals
from tests.lower.harness import FAST, STRICT, compile_all
from tests.recursion.test_random import cases as recursive_cases
from tests.strategies import FLOATS
from tests.tape.programs import taped

TOLERANCE = 1e-10


def check(case: Case) -> bool:
    """Do the routes agree?  False if the program is in doubt in one of them."""
    exact = by_duals(case.program, case.arguments, FLOATS)
    backwards = bounded(taped(case.program), case.arguments)
    if not exact.is_sure or not backwards.is_sure:
        return False
    value = case.value.value.size
    found = Answer(backwards.value[value:], backwards.bound[value:], backwards.margin)
    assert within(backwards.value[:value], case.value.value, case.value.bound, TOLERANCE), (
        f"seed {case.seed}: the value"
    )
    stepped = replace(exact, value=by_complex_step(case.program, case.arguments, FLOATS))
    for other, name in ((exact, "dual numbers"), (stepped, "complex step")):
        bound = found.bound + other.bound
        assert within(found.value, other.value, bound, TOLERANCE), (
            f"seed {case.seed}: tape and {name}: {excess(found.value, other.value, bound)}"
        )
    return True


@pytest.mark.parametrize("first", [270_000 + 1_000 * k for k in range(6)])
def test_the_tape_agrees(first: int) -> None:
    judged = sum([check(case) for case in cases(first, 25)])
    assert judged >= 23


@pytest.mark.parametrize("first", [20_000, 21_000, 22_000])
def test_the_tape_of_what_calls_itself_agrees(first: int) -> None:
    judged = sum([check(case) for case in recursive_cases(first, 15)])
    assert judged >= 13


def check_compiled(batch: Sequence[Case], flags: Sequence[str], schedule: Schedule) -> None:
    """Is what the C gives what the interpreter gives?"""
    gradients = [taped(cast(Lam, calls_as_loops(case.program)(case.program))) for case in batch]
    terms = [cast(Lam, redefined(schedule(t), schedule)) for t in gradients]
    for case, gradient, kernel in zip(batch, gradients, compile_all(terms, flags), strict=True):
        wrong = disagreement(kernel(*case.arguments), bounded(gradient, case.arguments), TOLERANCE)
        assert not wrong, f"seed {case.seed}: {wrong}"


@pytest.mark.parametrize("first", [280_000, 281_000])
@pytest.mark.parametrize(("flags", "schedule"), [(STRICT, NONE), (FAST, DEFAULT)], ids=["strict", "fast"])
def test_c_is_the_interpreter(flags: Sequence[str], schedule: Schedule, first: int) -> None:
    check_compiled(list(cases(first, 20)), flags, schedule)


@pytest.mark.parametrize(("flags", "schedule"), [(STRICT, NONE), (FAST, DEFAULT)], ids=["strict", "fast"])
def test_c_of_what_calls_itself_is_the_interpreter(flags: Sequence[str], schedule: Schedule) -> None:
    check_compiled(list(recursive_cases(25_000, 20)), flags, schedule)
