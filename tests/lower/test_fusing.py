"""Loops over one range that follow each other are one loop, where no iteration needs what another one made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs


def both(x):
    return [2.0 * v for v in x], [v * v for v in x]


def chained(x):
    a = [fs.exp(v) for v in x]
    return a, [v + u for v, u in zip(a, x, strict=True)]


def apart(x, y):
    return [2.0 * v for v in x], [3.0 * y[i] for i in range(len(x))]


def of_the_one_before(x):
    a = [fs.exp(v) for v in x]
    return a, [a[i - 1] if i > 0 else 0.0 for i in range(len(x))]


def of_another_length(x):
    return [2.0 * v for v in x], [3.0 * x[i] for i in range(len(x) - 1)]


def backwards(x):
    return [2.0 * v for v in x], [3.0 * x[len(x) - 1 - i] for i in range(len(x))]


def with_a_loop_inside(x):
    return [2.0 * v for v in x], [sum(u * v for u in x) for v in x]


ONE: list[Callable[..., object]] = [both, chained]
TWO: list[Callable[..., object]] = [apart, of_the_one_before, of_another_length, backwards]


@pytest.mark.parametrize(
    ("program", "loops"), [*[(f, 1) for f in ONE], *[(f, 2) for f in TWO], (with_a_loop_inside, 3)]
)
@pytest.mark.parametrize("n", [0, 1, 7])
def test_loops(program: Callable[..., object], loops: int, n: int) -> None:
    x = np.linspace(-1.0, 1.5, n)
    arguments = (x, x + 1.0) if program is apart else (x,)
    function = fs.function(program)
    source = function.c_source(*arguments)
    start = source.index(f"int32_t {program.__name__}(")
    text = source[start : source.index("\n}\n", start)]
    remainders = text.count("FS_SCALAR")  # of loops written with vectors
    assert text.count("for (") - remainders == loops
    for found, wanted in zip(function(*arguments), in_numpy(program, *arguments), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def in_numpy(program: Callable[..., object], x: np.ndarray, y: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
    if program is both:
        return 2.0 * x, x * x
    if program is chained:
        return np.exp(x), np.exp(x) + x
    if program is apart:
        assert y is not None
        return 2.0 * x, 3.0 * y
    if program is of_the_one_before:
        return np.exp(x), np.concatenate([[0.0], np.exp(x)])[: len(x)]
    if program is of_another_length:
        return 2.0 * x, 3.0 * x[:-1]
    if program is backwards:
        return 2.0 * x, 3.0 * x[::-1]
    return 2.0 * x, x.sum() * x


def test_a_fold_that_exchanges_buffers() -> None:
    """The next state, and an array that is added to, from one loop that reads the old state."""

    def program(x, steps: int):
        state, total = x, [0.0 for _ in x]
        for _ in range(steps):
            total = [t + s * s for t, s in zip(total, state, strict=True)]
            state = [0.5 * state[len(x) - 1 - i] + x[i] for i in range(len(x))]
        return state, total

    x = np.linspace(1.0, 2.0, 5)
    for steps in range(4):
        state, total = x, np.zeros(5)
        for _ in range(steps):
            total = total + state**2
            state = 0.5 * state[::-1] + x
        found = fs.function(program)(x, steps)
        np.testing.assert_allclose(found[0], state, rtol=1e-14)
        np.testing.assert_allclose(found[1], total, rtol=1e-14)
