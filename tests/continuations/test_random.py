"""Random programs that call definitions: derivatives by continuations are those of reverse mode, as C and in loops."""

from __future__ import annotations

from typing import cast

import pytest

from fsmooth.core.definitions import has_calls, redefined
from fsmooth.core.term import Lam, Method, Verb
from fsmooth.loops.continuations import machines
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.cases import Case
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, compile_all
from tests.recursion.test_random import cases
from tests.reverse.routes import derivative, made
from tests.strategies import FLOATS

TOLERANCE = 1e-10


def by_continuations(program: Lam) -> Lam:
    """Value and gradient of a random program."""
    return made(derivative(program, FLOATS, Verb.VALUE_AND_GRAD, Method.CONTINUATIONS))


def optimised(term: Lam, schedule: Schedule) -> Lam:
    """It and its definitions."""
    return cast(Lam, redefined(schedule(term), schedule))


def check(batch: list[Case], flags: list[str], schedule: Schedule) -> int:
    """Is what the C gives what the interpreter gives?  In how many of them is something on records?"""
    gradients = [by_continuations(case.program) for case in batch]
    terms = [optimised(gradient, schedule) for gradient in gradients]
    for case, gradient, kernel in zip(batch, gradients, compile_all(terms, flags), strict=True):
        wrong = disagreement(kernel(*case.arguments), bounded(gradient, case.arguments), TOLERANCE)
        assert not wrong, f"seed {case.seed}: {wrong}"
        expected = bounded(made(derivative(case.program, FLOATS, Verb.VALUE_AND_GRAD, Method.REVERSE)), case.arguments)
        wrong = disagreement(kernel(*case.arguments), expected, TOLERANCE)
        assert not wrong, f"seed {case.seed}: {wrong}"
    return sum([bool(machines(lower(t, "f").definitions)) for t in terms if has_calls(t)])


@pytest.mark.parametrize("first", [5_000, 30_000])
@pytest.mark.parametrize(("flags", "schedule"), [(STRICT, NONE), (FAST, DEFAULT)], ids=["strict", "fast"])
def test_c_is_the_interpreter(flags: list[str], schedule: Schedule, first: int) -> None:
    assert check(list(cases(first, 20)), flags, schedule) >= 8
