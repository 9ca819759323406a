"""An index that is out of bounds whatever the sizes are is refused, where a program always gets to it, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs

X, A = np.ones(3), np.ones((2, 3))


def updated(x):
    x = x.copy()
    x[len(x)] = 1.0
    return x


def of_another(x):
    n = len(x)
    y = 2 * x
    return y[n + 2] + x[0]


@pytest.mark.parametrize(
    ("program", "argument", "what"),
    [
        (lambda x: x[len(x)], X, "x whatever its size n is: it is n"),
        (lambda x: x[-len(x) - 1], X, "x whatever its size n is: it is -n - 1"),
        (of_another, X, "y whatever its size n is: it is n + 2"),
        (updated, X, "x whatever its size n is: it is n"),
        (lambda A: A[0, A.shape[1]], A, "A whatever its size n is: it is n"),
        (lambda A: A[len(A)], A, "A whatever its size n is: it is n"),
    ],
)
def test_refused(program: Callable[..., object], argument: np.ndarray, what: str) -> None:
    with pytest.raises(fs.ConstantIndexError) as caught:
        fs.function(program)(argument)
    assert str(caught.value).splitlines()[0] == f"the index is out of bounds for {what}"


def test_the_message() -> None:
    def last(x):
        return 2.0 * x[len(x)]

    with pytest.raises(fs.ProgramError) as caught:
        fs.function(last)(X)
    assert str(caught.value) == (
        "the index is out of bounds for x whatever its size n is: it is n\n"
        f'  File "{__file__}", line {last.__code__.co_firstlineno + 1}\n'
        "    return 2.0 * x[len(x)]\n"
        "                 ^^^^^^^^^\n"
        "  hint: indices go from 0 to n - 1, or from -n to -1"
    )


def after_a_return(x):
    if len(x) < 9:
        return 1.0
    return x[len(x)]


def in_a_loop(x):
    total = 0.0
    for _ in range(len(x) - 3):
        total += x[len(x)]
    return total


def in_a_while(x):
    i = 9
    while i < len(x):
        x = x + x[len(x)]
        i += 1
    return x


def in_a_function(x):
    def beyond(n):
        return 0.0 if n > 0 else x[len(x)]

    return beyond(len(x))


def in_recursion(x):
    def summed(n):
        return 0.0 if n < 1 else x[len(x)] + summed(n - 1) * summed(n - 2)

    return summed(len(x) - 3)


@pytest.mark.parametrize(
    "program",
    [
        after_a_return,
        in_a_loop,
        in_a_while,
        in_a_function,
        in_recursion,
        lambda x: sum(x[len(x)] for _ in range(len(x) - 5)),
        lambda x: x[len(x)] if len(x) > 9 else 0.0,
        lambda x: len(x) > 9 and x[len(x)] > 0.0,
        lambda x: len(x) < 9 or x[len(x)] > 0.0,
        lambda x: np.sum(np.array([x[len(x)] for _ in range(len(x) - 3)])),
        lambda x: fs.build(len(x) - 3, lambda i: x[len(x)]),
        lambda x: fs.ifold(lambda s, i: s + x[len(x)], 0.0, len(x) - 3),
        lambda x: fs.sum(len(x) - 3, lambda i: x[len(x)]),
        lambda x: fs.cond(len(x) > 9, lambda: x[len(x)], lambda: 0.0),
        lambda x: sum(x[len(x)] for v in x if v > 9.0),
        lambda x: x[len(x) - 1] + x[-len(x)] + x[-1],
        lambda x: sum(map(lambda v: x[len(x)], x[3:])),  # noqa: C417
        lambda x: any(x[len(x)] > 0.0 for v in x[3:]),
    ],
)
def test_what_could_run_is_not(program: Callable[..., Any]) -> None:
    fs.function(program)(X)


def test_nothing_is_refused_of_an_empty_batch() -> None:
    assert fs.vmap(lambda x: x[len(x)])(np.ones((0, 3))).shape == (0,)


def test_nothing_is_refused_of_rules_that_are_not_asked() -> None:
    square = fs.custom_derivative(lambda x: np.sum(x * x), jvp=lambda x, t: x[len(x)] * t[0], check=False)
    assert fs.function(lambda x: square(x))(X) == 3.0
