"""Arrays changed several times in a step, at indices that data give: in place both ways, and of each only numbers are saved."""

from __future__ import annotations

import re

import numpy as np
import pytest
from benchmarks.workloads.in_place import two_in_turn

import fsmooth as fs
from tests.reverse.random_places import Places, arguments, program_of


def squared(x, a, b):
    x = x.copy()
    for k in range(len(a)):
        x[a[k]] = 0.5 * x[a[k]]
        x[a[k]] *= x[a[k]] * x[b[k]]
    return np.sum(x)


def both(x, a, b):
    x = x.copy()
    for k in range(len(a)):
        x[a[k]] = x[a[k]] * x[b[k]]
        x[b[k]] = np.sin(x[b[k]]) * x[a[k]]
    return np.sum(x)


def in_branches(x, a, b):
    x = x.copy()
    for k in range(len(a)):
        if a[k] < b[k]:
            x[a[k]] = np.sin(x[a[k]])
            x[a[k]] *= x[b[k]]
        else:
            x[b[k]] = x[b[k]] * x[b[k]]
        x[a[k]] = x[a[k]] * x[a[k]]
    return np.sum(x)


def behind_a_loop(x, a, b):
    x = x.copy()
    for k in range(len(a)):
        x[a[k]] = np.sin(x[a[k]])
        for _ in range(3):
            x[a[k]] *= x[b[k]]
        x[b[k]] = x[b[k]] * x[a[k]]
    return np.sum(x)


def by_while(x, a, b):
    x = x.copy()
    k = 0
    while k < len(a):
        x[a[k]] = np.sin(x[a[k]])
        x[a[k]] *= x[a[k]] * x[b[k]]
        k += 1
    return np.sum(x)


def one_after_the_other(x, a, b):
    x, y = x.copy(), 0.3 * x
    for k in range(len(a)):
        y[b[k]] += x[(a[k] + 1) % len(x)] * y[a[k]]
        x[a[k]] = y[b[k]] * x[a[k]]
        y[a[k]] += 0.9 * x[a[k]]
    return np.sum(x) + np.sum(y * y)


def exchanged(x, a, b):
    x = x.copy()
    for k in range(len(a)):
        x[a[k]], x[b[k]] = x[b[k]], x[a[k]]
        x[a[k]] = x[a[k]] * x[a[k]]
        x[b[k]] = x[b[k]] * x[a[k]]
    return np.sum(x)


def rows(x, a, b):
    A = np.outer(x, np.arange(1.0, 4.0))
    for k in range(len(a)):
        A[a[k]] = np.sin(A[a[k]])
        A[a[k]] *= A[b[k]]
        A[b[k]] = 0.5 * A[b[k]] * A[a[k]]
    return np.sum(A * A)


PROGRAMS = (
    squared,
    both,
    in_branches,
    behind_a_loop,
    by_while,
    two_in_turn,
    one_after_the_other,
    exchanged,
    rows,
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program) -> None:
    x, _, a, b = arguments(5, 7, seed=3)
    found = fs.grad(program, wrt="x", method="reverse")(x, a, b)
    wanted = [program(x + 1e-30j * row, a, b).imag / 1e-30 for row in np.eye(len(x))]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def in_steps(source: str, size: str) -> list[str]:
    """Statements inside of loops that set or copy so much memory, and tables with so much for each step."""
    lines = [line.strip() for line in source.splitlines() if line.startswith("        ")]
    moved = [line for line in lines if re.search(rf"mem(cpy|set)\(.*\(size_t\)\(?{size}", line)]
    return moved + [line for line in source.splitlines() if re.search(rf"fs_take\(.*a_n0, {size}", line)]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "verb", [fs.function, lambda f: fs.grad(f, wrt="x", method="reverse")], ids=["value", "gradient"]
)
def test_no_step_moves_or_saves_an_array(program, verb) -> None:
    x, _, a, b = arguments(5, 7, seed=3)
    source = verb(program).c_source(x, a, b)
    assert "for (int64_t" in source
    assert not in_steps(source, "x_n0")


def rows_of_any_width(A, a, b):
    A = A.copy()
    for k in range(len(a)):
        A[a[k]] = np.sin(A[a[k]])
        A[a[k]] *= A[b[k]]
        A[b[k]] = 0.5 * A[b[k]] * A[a[k]]
    return np.sum(A * A)


def test_rows_of_any_width() -> None:
    """Their cotangents are sums that loops make, which are added where the cotangent of the matrix is."""
    _, A, a, b = arguments(4, 5, seed=3)
    gradient = fs.grad(rows_of_any_width, wrt="A", method="reverse")
    found = gradient(A, a, b).ravel()
    ones = np.eye(A.size).reshape(A.size, *A.shape)
    np.testing.assert_allclose(
        found, [rows_of_any_width(A + 1e-30j * one, a, b).imag / 1e-30 for one in ones], rtol=1e-12
    )
    for source in (gradient.c_source(A, a, b), fs.function(rows_of_any_width).c_source(A, a, b)):
        assert "(size_t)A_n1" in source
        assert not in_steps(source, "A_n0")


def test_what_would_be_found() -> None:
    """An array that is read at the end of each step as it was at its beginning has to be copied."""

    def kept(x, a):
        x, last = x.copy(), 0.0 * x
        for k in range(len(a)):
            first = x.copy()
            x[a[k]] = 2.0 * x[a[k]]
            last = first
        return np.sum(x * last)

    x, _, a, _ = arguments(5, 7, seed=3)
    assert in_steps(fs.function(kept).c_source(x, a), "x_n0")


@pytest.mark.parametrize("seed", range(30))
def test_random(seed: int) -> None:
    source = Places(seed).source()
    program, given = program_of(source, seed), arguments(4, 5, seed)
    np.testing.assert_allclose(fs.function(program)(*given), program(*given), rtol=1e-12, err_msg=source)
    complex_ = program_of(source.replace(" > 0.6:", ".real > 0.6:"), 1000 + seed)
    x, A, *rest = given
    wanted = [complex_(x + 1e-30j * row, A.astype(complex), *rest).imag / 1e-30 for row in np.eye(len(x))]
    for method in ("reverse", "forward"):
        found = fs.grad(program, wrt="x", method=method)(*given)
        np.testing.assert_allclose(found, wanted, rtol=1e-10, err_msg=f"{method}\n{source}")
