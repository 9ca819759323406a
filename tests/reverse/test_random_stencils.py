"""Random stencils of which a few elements are looked at: reverse mode runs its loops where something is not zero, and is read."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
import pytest

from fsmooth.core.term import Lam, Method, Verb
from fsmooth.optimise.schedules import DEFAULT
from fsmooth.rewrite.trace import Trace
from tests.frontend.python.test_programs import elaborated
from tests.lower.test_loops import run
from tests.reverse.random_stencils import arguments, program
from tests.reverse.routes import derivative, made, result, vector
from tests.reverse.unread import has_unread, poisoned

PROGRAMS = 100
WRT = (0, 1, 2)


def moved(seed: int, given: Sequence[Any], direction: np.ndarray) -> tuple[float, float]:
    """The value, and its slope in a direction, of the program as Python runs it with complex numbers."""
    arrays = [x + 1e-30j * d for x, d in zip(given[:3], np.split(direction, 3), strict=True)]
    value = program(seed)(*arrays, *given[3:])
    assert isinstance(value, complex | float)
    return value.real, value.imag / 1e-30


def gradient(seed: int, mode: Method) -> Lam:
    """(value, gradient) of a program, not optimised."""
    return made(derivative(elaborated(program(seed), *arguments(seed)).term, WRT, Verb.VALUE_AND_GRAD, mode))


def assert_close(found: object, wanted: object, case: object) -> None:
    """Up to rounding, by the largest number."""
    flat = vector(wanted)
    np.testing.assert_allclose(
        vector(found), flat, rtol=0.0, atol=1e-10 * np.max(np.abs(flat), initial=1.0), err_msg=f"{case}"
    )


@pytest.mark.parametrize("start", range(0, PROGRAMS, 50))
@np.errstate(all="ignore")
def test_gradients_of_random_stencils(start: int) -> None:
    """As a term, and as loops; NaN is what nothing is said to read, and what memory is before it is written."""
    narrowed = unread = 0
    for seed in range(start, start + 50):
        raw = gradient(seed, Method.REVERSE)
        trace = Trace()
        optimised = DEFAULT(raw, trace)
        bad = poisoned(optimised)
        unread += has_unread(optimised)
        narrowed += bool(trace.fired["windows"])
        for attempt in range(2):
            given = arguments(10 * seed + attempt, most=18)
            wanted = result(raw, *given)
            flat = vector(wanted)
            if not np.max(np.abs(flat)) < 1e8:
                continue  # it grows too fast
            case = (seed, attempt)
            assert_close(tuple(run(optimised, *given, unwritten=nan)), wanted, case)
            assert_close(result(bad, *given), wanted, case)
            direction = np.random.default_rng(seed).normal(size=len(flat) - 1)
            value, slope = moved(seed, given, direction)
            assert_close(flat[0], value, case)
            assert abs(flat[1:] @ direction - slope) < 1e-9 * np.max(np.abs(flat), initial=1.0), case
    assert narrowed >= 8
    assert unread >= 2


@pytest.mark.parametrize("start", range(0, 40, 20))
@np.errstate(all="ignore")
def test_forward_mode_agrees(start: int) -> None:
    """Of few elements, in the interpreter of terms."""
    for seed in range(start, start + 20):
        given = arguments(seed, most=3)
        wanted = result(gradient(seed, Method.FORWARD), *given)
        if np.max(np.abs(vector(wanted))) < 1e8:
            assert_close(tuple(run(DEFAULT(gradient(seed, Method.REVERSE)), *given, unwritten=nan)), wanted, seed)
