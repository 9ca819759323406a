"""What a loop adds to zeros, once to each, it stores; zeros are left where it does not come."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

RNG = np.random.default_rng(21)
X, A, W, Y = (RNG.normal(size=shape) for shape in ((9,), (9, 3), (3,), (6,)))


def first_numbers(x, y):
    return sum(np.sin(x[i]) * y[i] for i in range(len(y)))


def first_rows(a, y):
    total = 0.0
    for i in range(len(y)):
        total += np.sin(a[i, 0] * a[i, 1] + a[i, 2]) * y[i]
    return total


def rows_of_any_length(a, w, y):
    total = 0.0
    for i in range(len(y)):
        total += np.sin(a[i] @ w) * y[i]
    return total


def two_of_three(a, y):
    """The third number of each row stays zero."""
    total = 0.0
    for i in range(len(y)):
        total += np.sin(a[i, 0] * a[i, 1]) * y[i]
    return total


def some_rows(a, y):
    total = 0.0
    for i in range(len(y)):
        if y[i] > 0.0:
            total += np.sin(a[i, 0] * a[i, 1] + a[i, 2]) * y[i]
    return total


def all_but_five(x, y):
    """A loop that runs less than no times if there are few."""
    total = 0.0
    for i in range(len(y) - 5):
        total += np.exp(x[i]) * y[i]
    return total


def from_the_second(x, y):
    total = 0.0
    for i in range(len(y)):
        total += np.exp(x[i + 1]) * y[i]
    return total


def gradients(program, *arguments: np.ndarray) -> np.ndarray:
    return np.asarray(fs.grad(program, method="reverse")(*arguments))


def slopes(program, *arguments: np.ndarray) -> np.ndarray:
    """One derivative after the other, forwards."""
    first, *rest = arguments
    found = np.zeros(first.shape)
    for k in np.ndindex(first.shape):
        e = np.zeros(first.shape)
        e[k] = 1.0
        _, found[k] = fs.jvp(program, wrt=0)(first, *rest, tangent=e)
    return found


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (first_numbers, (X, Y)),
        (first_numbers, (X[:6], Y)),
        (first_rows, (A, Y)),
        (rows_of_any_length, (A, W, Y)),
        (rows_of_any_length, (A[:6], W, Y)),
        (two_of_three, (A, Y)),
        (some_rows, (A, Y)),
        (all_but_five, (X, Y)),
        (all_but_five, (X, Y[:2])),
        (from_the_second, (X, Y)),
        (first_numbers, (X, Y[:0])),
    ],
)
def test_gradients(program, arguments: tuple[np.ndarray, ...]) -> None:
    np.testing.assert_allclose(gradients(program, *arguments), slopes(program, *arguments), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("program", "arguments", "is_stored"),
    [
        (first_numbers, (X, Y), True),
        (first_rows, (A, Y), True),
        (rows_of_any_length, (A, W, Y), True),
        (two_of_three, (A, Y), False),
        (some_rows, (A, Y), False),
        (from_the_second, (X, Y), False),
    ],
)
def test_what_is_stored(program, arguments: tuple[np.ndarray, ...], is_stored: bool) -> None:
    kernel = fs.grad(program, method="reverse").compiled(*arguments).loops.kernel
    stores = [s for s in walk(kernel.body) if isinstance(s, t.Store) and s.buffer.startswith("result")]
    assert stores
    assert any(s.accumulate for s in stores) != is_stored


@pytest.mark.parametrize("program", [first_numbers, from_the_second, all_but_five])
def test_more_iterations_than_numbers(program) -> None:
    """An exception, and nothing is written beyond the end."""
    with pytest.raises(fs.Error):
        gradients(program, X[:3], np.ones(40))
