"""Errors of what the result does not need: they need not come; those of what it needs do, in whatever gives the value."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs

TABLE = np.array([1.0, 2.0, 3.0])


def needed_by_the_value(x, n):
    """The element is a constant for the derivative."""
    return x[0] ** 2 + TABLE[n]


def needed_by_both(x, n):
    s = x[0]
    for i in range(n):
        s = s * 0.5 + x[i] * TABLE[i]
    return s


def needed_by_nobody(x, n):
    s, unread = 0.0, 0.0
    for i in range(n):
        unread = unread + TABLE[i + 1]
    for v in x:
        s += v * v
    return s


@pytest.mark.parametrize("program", [needed_by_the_value, needed_by_both])
def test_what_gives_the_value_raises_what_the_value_needs(program) -> None:
    x = np.array([2.0, 3.0, 4.0])
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(program)(x, 5)
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.value_and_grad(program)(x, 5)
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.vjp(program)(x, 5)


def test_a_derivative_raises_what_it_needs() -> None:
    x = np.array([2.0, 3.0, 4.0])
    for method in ("forward", "reverse"):
        with pytest.raises(fs.IndexOutOfBoundsError):
            fs.grad(needed_by_both, method=method)(x, 5)
        np.testing.assert_allclose(fs.grad(needed_by_the_value, method=method)(x, 2), [4.0, 0.0, 0.0])


def test_what_nobody_needs_changes_nothing() -> None:
    x = np.array([2.0, 3.0, 4.0])
    assert fs.function(needed_by_nobody)(x, 5) == 29.0
    np.testing.assert_array_equal(fs.grad(needed_by_nobody)(x, 5), 2.0 * x)
