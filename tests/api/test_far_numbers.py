"""Integers that wrap around: what was compared then says nothing, and no call reads or writes outside its arrays."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs

LAST = 2**63 - 1
FIRST = -(2**63)
X = np.array([1.0, 2.0, 4.0, 8.0])


def before(x, n):
    return x[n] if n >= 0 and n + 5 < len(x) else 0.0


def with_a_name(x, n):
    m = n + 5
    if n >= 0:
        if m < len(x):
            return x[n]
    return 0.0


def claimed(x, n):
    assert n >= 0 and n + 5 < len(x)
    return x[n]


def few(x: fs.Array[4], n: int):
    """Compared with a number."""
    return x[n] if n >= 0 and n + 5 < 9 else 0.0


def from_here(x, n):
    s = 0.0
    for i in range(len(x)):
        if i + n < len(x) and n >= 0:
            s += x[i + n]
    return s


def between(x, n, m):
    """A loop of m - n steps."""
    s = 0.0
    if n >= 0 and m <= len(x):
        for i in range(n, m):
            s += x[i]
    return s


def inner(x, n):
    """A loop of n - 2 steps."""
    s = 0.0
    if n <= len(x):
        for i in range(1, n - 1):
            s += x[i]
    return s


FAR = [
    (before, (LAST - 2,)),
    (before, (np.int64(LAST),)),
    (with_a_name, (LAST - 2,)),
    (claimed, (LAST - 2,)),
    (few, (LAST - 2,)),
    (from_here, (LAST - 2,)),
    (between, (LAST, FIRST)),
    (inner, (FIRST,)),
]


@pytest.mark.parametrize(("program", "numbers"), FAR)
def test_arguments_that_would_wrap_around_are_refused(program, numbers) -> None:
    with pytest.raises(fs.ArgumentError, match="is too far from zero: what is computed from it must fit into 64 bits"):
        fs.function(program)(X, *numbers)


def test_the_argument_is_named() -> None:
    with pytest.raises(fs.ArgumentError, match=f"^n: {LAST} is too far"):
        fs.vjp(before, wrt="x")(X, LAST)


@pytest.mark.parametrize("n", [2**61, -(2**61), 3, 0, -1])
def test_arguments_up_to_there(n: int) -> None:
    long = np.arange(20.0)
    assert fs.function(before)(long, n) == before(long, n)
    assert fs.function(inner)(X, min(n, 4)) == inner(X, min(n, 4))


def test_numbers_that_nothing_is_computed_from_may_be_any() -> None:
    program = fs.function(lambda x, n: x[0] if n > 5 else x[1])
    assert [program(X, LAST), program(X, FIRST)] == [1.0, 2.0]


def elements(x, k):
    s = 0.0
    for j in range(len(k)):
        if k[j] >= 0 and k[j] + 5 < len(x):
            s += x[k[j]]
    return s


def carried(x, k, m):
    """What a loop carries wraps around."""
    n = k[0]
    s = 0.0
    for _ in range(m):
        n = n * 3
        if n >= 0 and n + 5 < len(x):
            s += x[n]
    return s


def steps(x, k):
    """A loop of fewer than no steps."""
    s = 0.0
    for j in range(k[0] - 5):
        if k[0] < len(x):
            s += x[k[0]]
        if j > 2:
            break
    return s


@pytest.mark.parametrize("program", [fs.function(elements), fs.vjp(elements, wrt="x")], ids=["value", "vjp"])
def test_elements_are_checked(program) -> None:
    with pytest.raises(fs.IndexOutOfBoundsError, match=f"index {LAST - 2} is out of bounds for x, which has size 4"):
        program(X, np.array([3, LAST - 2]))


def test_what_a_loop_carries_is_checked() -> None:
    third = pow(3, -1, 2**64) * (2**63 - 3) % 2**64
    start = third - 2**64 if third >= 2**63 else third
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(carried)(X, np.array([start]), 1)


def test_ranges_of_elements_prove_nothing() -> None:
    with pytest.raises(fs.Error):
        fs.function(steps)(X, np.array([FIRST]))
