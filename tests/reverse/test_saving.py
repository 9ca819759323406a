"""What folds inside folds save for their way back: seen in the generated C."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import fsmooth as fs


def rows_of_a_state(w, s, steps):
    """Each step changes every row of a state by itself."""
    rows = [[a for a in row] for row in s]
    for _ in range(steps):
        for i in range(len(s)):
            rows[i] = [fs.tanh(rows[i, j] * w[i, j]) for j in range(len(w[0]))]
    return sum(a for row in rows for a in row)


def two_states(w, s, steps):
    """Two arrays of rows, each next row made of both, and what passes from one to the next."""
    first = [[a for a in row] for row in s]
    second = [[2.0 * a for a in row] for row in s]
    total = 0.0
    for t in range(steps):
        x = [0.5 * t for _ in range(len(w[0]))]
        for i in range(len(s)):
            made = [fs.sigmoid(x[j] * w[i, j]) * second[i, j] + first[i, j] for j in range(len(w[0]))]
            x = [fs.tanh(a) * fs.sigmoid(b) for a, b in zip(made, x, strict=True)]
            second[i] = made
            first[i] = x
        total += sum(a * a for a in x)
    return total


PROGRAMS = (rows_of_a_state, two_states)


def arguments(n: int, b: int, steps: int) -> tuple[np.ndarray, np.ndarray, int]:
    random = np.random.default_rng(7)
    return random.normal(size=(n, b)), random.normal(size=(n, b)), steps


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(("n", "b", "steps"), [(3, 4, 5), (1, 3, 2), (2, 3, 0), (2, 0, 3), (0, 0, 3)])
def test_the_gradient_agrees_with_forward_mode(program, n, b, steps):
    given = arguments(n, b, steps)
    found = fs.grad(program, wrt=("w", "s"), method="reverse")(*given)
    wanted = fs.grad(program, wrt=("w", "s"), method="forward")(*given)
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-12, atol=1e-14)


def two_states_in_numpy(w: np.ndarray, s: np.ndarray, steps: int) -> complex:
    first, second, total = s.astype(complex), 2.0 * s, 0.0j
    second = second.astype(complex)
    for t in range(steps):
        x = np.full(len(w[0]), 0.5 * t, complex)
        for i in range(len(s)):
            second[i] += first[i] + (1.0 / (1.0 + np.exp(-x * w[i])) - 1.0) * second[i]
            first[i] = x = np.tanh(second[i]) / (1.0 + np.exp(-x))
        total += np.sum(x * x)
    return total


def test_two_states_by_complex_steps():
    w, s, steps = arguments(3, 4, 5)
    assert fs.function(two_states)(w, s, steps) == pytest.approx(two_states_in_numpy(w, s, steps).real, rel=1e-13)
    wanted = np.zeros_like(w)
    for place in np.ndindex(w.shape):
        moved = w.astype(complex)
        moved[place] += 1e-30j
        wanted[place] = two_states_in_numpy(moved, s, steps).imag / 1e-30
    np.testing.assert_allclose(fs.grad(two_states, wrt="w", method="reverse")(w, s, steps), wanted, rtol=1e-11)


def test_the_inner_fold_saves_the_row_that_it_reads():
    source = fs.grad(rows_of_a_state, wrt="w", method="reverse").c_source(*arguments(3, 4, 5))
    saved = [s for s in re.findall(r"fs_take\(&arena, ([^;]*), sizeof", source) if s.count(" * ") > 2]
    assert not saved, saved  # steps * rows * row, not steps * rows * (rows * row)


def factor(a):
    """The logarithm of a determinant by Cholesky's factor, whose steps read two of its rows in a loop."""
    n = len(a)
    l = np.zeros((n, n))  # noqa: E741
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, j] = math.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return 2.0 * sum(math.log(l[i, i]) for i in range(n))


@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_rows_read_in_a_loop_are_saved_and_not_the_array(n):
    m = np.random.default_rng(1).normal(size=(n, n))
    a = m @ m.T + n * np.eye(n)
    gradient = fs.grad(factor, method="reverse")
    found = np.asarray(gradient(a)).reshape(n, n)
    # Only the lower triangle is read: what is off the diagonal stands for two elements of the inverse.
    wanted = np.linalg.inv(a) * (2.0 - np.eye(n))
    np.testing.assert_allclose(found, np.tril(wanted), rtol=1e-10, atol=1e-12)
    inner = [line for line in gradient.c_source(a).splitlines() if line.startswith(" " * 12)]
    assert not [line for line in inner if "memcpy" in line and "a_n0 * a_n0" in line]
