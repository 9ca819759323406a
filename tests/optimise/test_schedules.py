"""Every schedule keeps the meaning of random programs, differentiated and not."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from fsmooth.core.arithmetic import COMPLEX
from fsmooth.core.evaluate import ArrayValue, OutOfBounds, RequirementFailed, evaluate
from fsmooth.core.term import App, Deriv, Lam, Term, Verb
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, SCHEDULES
from tests.strategies import random_program

BLOCKS = range(20)
PER_BLOCK = 15


@pytest.fixture(autouse=True)
def deep():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(limit)


def value_of(x: object) -> object:
    if isinstance(x, np.ndarray):
        if x.ndim == 1:
            return ArrayValue(x.shape, tuple([float(v) for v in x]))
        return ArrayValue(x.shape, tuple([value_of(row) for row in x]))
    return x


def run(term: Lam, arguments: list[object]) -> float | str:
    env = {q: value_of(a) for q, a in zip(term.parameters, arguments, strict=True)}
    try:
        return float(evaluate(term.body, env))  # type: ignore[arg-type]
    except (OutOfBounds, RequirementFailed) as error:
        return type(error).__name__
    except ValueError as error:
        return "ragged" if "ragged" in str(error) else str(error)


def close(a: float | str, b: float | str) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("schedule", ["LF", "DEFAULT"])
def test_value_is_kept(block, schedule):
    for seed in range(block * PER_BLOCK, (block + 1) * PER_BLOCK):
        program, arguments = random_program(seed)
        expected = run(program, arguments)
        if isinstance(expected, str):
            continue
        optimised = SCHEDULES[schedule](program)
        assert isinstance(optimised, Lam)
        assert optimised.type == program.type
        found = run(optimised, arguments)
        assert close(expected, found), f"seed {seed}: {expected} became {found}"


@pytest.mark.parametrize("block", BLOCKS)
def test_derivative_is_that_of_the_complex_step(block):
    for seed in range(block * PER_BLOCK, (block + 1) * PER_BLOCK):
        program, arguments = random_program(seed + 10_000)
        position = 3
        if isinstance(run(program, arguments), str):
            continue
        env = {q: lift(value_of(a)) for q, a in zip(program.parameters, arguments, strict=True)}
        step = 1e-150
        env[program.parameters[position]] = complex(arguments[position], step)  # type: ignore[arg-type]
        exact = evaluate(program.body, env, COMPLEX).imag / step  # type: ignore[union-attr]
        gradient = derivative(program, position)
        for term in (gradient, SCHEDULES["DEFAULT"](gradient)):
            assert isinstance(term, Lam)
            found = run(term, arguments)
            assert close(exact, found), f"seed {seed}: {exact} became {found}"


def derivative(program: Lam, position: int) -> Lam:
    deriv = Deriv(program, (position,), Verb.GRAD, single=True)
    whole = Lam(program.parameters, App(deriv, program.parameters))
    removed: Term = remove_derivatives(whole, BEFORE_DERIVATIVE)
    assert isinstance(removed, Lam)
    return removed


def lift(x: object) -> object:
    if isinstance(x, ArrayValue):
        return ArrayValue(x.shape, tuple([lift(i) for i in x.items]))
    return complex(x) if isinstance(x, float) else x
