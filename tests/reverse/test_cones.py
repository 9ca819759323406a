"""Gradients of sensors: what one element depends on, and nothing else, whatever the size, the steps and the sensor.

Each program is run by Python with complex numbers; nothing here looks at how the compiler does it.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import Method, Verb
from fsmooth.optimise.schedules import DEFAULT
from tests.calls import calls_of
from tests.frontend.python.test_programs import elaborated
from tests.lower.test_loops import run
from tests.reverse.cone_programs import DECIDES, PROGRAMS, as_often_as_it_says
from tests.reverse.routes import derivative, made, result, vector
from tests.reverse.unread import poisoned

STEP = 1e-30
SHAPES = {"u": "n", "v": "n", "c": "n", "x": "n", "g": "nm", "q": "sn", "a": ""}
"""Of the arguments that are differentiated; the others are integers."""
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)


def wrt(program: Callable[..., Any]) -> tuple[str, ...]:
    """What it is differentiated by."""
    return tuple([name for name in inspect.signature(program).parameters if name in SHAPES])


def given(program: Callable[..., Any], n: int, steps: int, k: int = 0, l: int = 0) -> list[Any]:
    """Arguments for it."""
    chance = np.random.default_rng(n)
    sizes = {"n": n, "m": 4, "s": steps}
    made: dict[str, Any] = {
        name: chance.uniform(-0.3, 0.5, [sizes[axis] for axis in axes]) for name, axes in SHAPES.items()
    }
    made.update(a=0.3, steps=steps, k=k, l=l)
    return [made[name] for name in inspect.signature(program).parameters]


def sensors(n: int) -> Iterator[tuple[int, int]]:
    """The ends, the middle, and one more; with another one that is often far away."""
    for k in sorted({0, 1 % n, n // 2, n - 1}):
        yield k, n - 1 - k


def stepped(program: Callable[..., Any], arguments: list[Any]) -> np.ndarray:
    """The gradient by complex steps of the program as Python runs it, all of them at once if it does not compare."""
    real = [np.asarray(x, dtype=float) for x in arguments[: len(wrt(program))]]
    count = sum([x.size for x in real])
    moves = np.split(np.eye(count), np.cumsum([x.size for x in real])[:-1])
    moved = [x[..., None] + 1j * STEP * move.reshape(*x.shape, count) for x, move in zip(real, moves, strict=True)]
    rest = arguments[len(real) :]
    if program not in DECIDES:
        value = program(*moved, *rest)
        return np.broadcast_to(value, (count,)).imag / STEP
    with warnings.catch_warnings(
        action="ignore", category=np.exceptions.ComplexWarning
    ):  # of int(...), which has no slope
        return np.array([program(*[x[..., j] for x in moved], *rest).imag / STEP for j in range(count)])


@cache
def gradient(program: Callable[..., Any], method: str = "reverse", schedule: str = "DEFAULT") -> fs.Function:
    """Of all numbers that are not integers."""
    return fs.grad(program, wrt=wrt(program), method=method, schedule=schedule)


def assert_close(found: object, wanted: object, case: object, tolerance: float = 1e-12) -> None:
    """By the largest of all numbers."""
    flat = vector(wanted)
    scale = np.max(np.abs(flat), initial=1e-30)
    np.testing.assert_allclose(vector(found), flat, rtol=tolerance, atol=tolerance * scale, err_msg=f"{case}")


# -- against complex steps, and other ways to differentiate ----------------------------------------------------------------


@each_program
@pytest.mark.parametrize("n", [1, 2, 3, 8, 33])
def test_by_complex_steps(program, n: int) -> None:  # type: ignore[no-untyped-def]
    for steps in (0, 1, 2, 7, 14) if n < 9 else (1, 6):
        for k, l in sensors(n):
            arguments = given(program, n, steps, k, l)
            found = gradient(program)(*arguments)
            assert_close(found, stepped(program, arguments), (steps, k, l))
            assert np.any(vector(found)) or steps == 0 or n == 1


@each_program
def test_other_ways_agree(program) -> None:  # type: ignore[no-untyped-def]
    """Forward mode, and reverse mode as it is differentiated."""
    forward = fs.grad(program, wrt=wrt(program), method="forward")
    plain = fs.grad(program, wrt=wrt(program), method="reverse", schedule="NONE")
    for n, steps in ((1, 3), (20, 4)):
        for k, l in sensors(n):
            arguments = given(program, n, steps, k, l)
            wanted = gradient(program)(*arguments)
            assert_close(forward(*arguments), wanted, (n, k, l))
            assert_close(plain(*arguments), wanted, (n, k, l))


@each_program
def test_value_and_gradient(program) -> None:  # type: ignore[no-untyped-def]
    """The value reads what the way back would leave out; in blocks of steps, that is done twice."""
    both = fs.value_and_grad(program, wrt=wrt(program), method="reverse")
    blocks = fs.value_and_grad(program, wrt=wrt(program), method="reverse", checkpoint=True)
    for n, steps in ((1, 2), (5, 9), (20, 5), (20, 0)):
        for k, l in sensors(n):
            arguments = given(program, n, steps, k, l)
            wanted = program(*arguments), stepped(program, arguments)
            assert_close(both(*arguments), wanted, (n, steps, k, l))
            assert_close(blocks(*arguments), wanted, (n, steps, k, l))


# -- memory that was never written -----------------------------------------------------------------------------------------


@each_program
def test_what_was_never_written_does_not_matter(program) -> None:  # type: ignore[no-untyped-def]
    """It is NaN here, in terms and in the loops that are made of them."""
    names = list(inspect.signature(program).parameters)
    positions = tuple([names.index(name) for name in wrt(program)])
    typed = elaborated(program, *given(program, 5, 2)).term
    for by in {positions, positions[:1], positions[-1:]}:
        term = DEFAULT(made(derivative(typed, by, Verb.GRAD, Method.REVERSE)))
        for n, steps in ((1, 2), (18, 4)):
            for k, l in sensors(n):
                arguments = given(program, n, steps, k, l)
                sizes = [np.size(arguments[p]) for p in positions]
                slopes = np.split(stepped(program, arguments), np.cumsum(sizes)[:-1])
                wanted = np.concatenate([slopes[positions.index(p)] for p in by])
                case = (by, n, k, l)
                assert_close(tuple(run(term, *arguments, unwritten=np.nan)), wanted, case)
                assert_close(result(poisoned(term), *arguments), wanted, case)


def test_no_loop_counts_to_what_was_never_written() -> None:
    """The same work is done whatever is in memory."""
    program = as_often_as_it_says
    arguments = given(program, 18, 4, 9)
    typed = elaborated(program, *arguments).term
    for by in ((0, 1, 2), (1,), (2,)):
        term = DEFAULT(made(derivative(typed, by, Verb.GRAD, Method.REVERSE)))
        _, few, many = [calls_of(partial(run, term, *arguments, unwritten=x)) for x in (0.0, 0.0, 3.0)]
        assert few == many
