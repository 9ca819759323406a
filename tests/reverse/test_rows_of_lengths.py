"""Loops over compressed rows that read what earlier steps wrote: saved is what they read, in as much room as there are entries."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.workloads.in_place import swept, triangular

import fsmooth as fs
from fsmooth.core.primitives import minimum
from fsmooth.core.term import Const, Get, Prim, Require, Var, Zero
from fsmooth.core.types import F64, INT, Array
from fsmooth.differentiate.reverse.room import has_own_lengths
from fsmooth.differentiate.reverse.steps import Step


def compressed(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows of up to four entries, of which the last is on the diagonal, and a vector."""
    rng = np.random.default_rng(seed)
    ptr, idx = [0], []
    for i in range(n):
        below = rng.choice(i, size=min(i, int(rng.integers(0, 4))), replace=False) if i else []
        idx += [*sorted(below), i]
        ptr.append(len(idx))
    return np.array(ptr), np.array(idx, dtype=np.int64), rng.uniform(0.5, 1.5, len(idx)), rng.uniform(0.5, 1.0, n)


def solved_by_sums(ptr, idx, val, b):
    x = np.zeros(len(b)) * b
    for i in range(len(b)):
        s = b[i]
        for p in range(ptr[i], ptr[i + 1] - 1):
            s -= val[p] * x[idx[p]]
        x[i] = s / val[ptr[i + 1] - 1]
    return np.sum(x * x)


def multiplied(ptr, idx, val, b):
    x = b.copy()
    for i in range(len(b)):
        t = 1.0
        for p in range(ptr[i], ptr[i + 1]):
            t *= val[p] * x[idx[p]]
        x[i] = np.sin(t)
    return np.sum(x * x)


def under_conditions(ptr, idx, val, b):
    """Not every entry is read."""
    x = b.copy()
    for i in range(len(b)):
        s = 0.1
        for p in range(ptr[i], ptr[i + 1]):
            if idx[p] != i:
                s += val[p] * x[idx[p]] ** 2
        x[i] = np.sin(s) * x[i]
    return np.sum(x * x)


def claimed(ptr, idx, val, b):
    """What a step asserts is asserted before its row is read: lengths are not asked for before the loop."""
    x = b.copy()
    for i in range(len(b)):
        assert ptr[i] <= ptr[i + 1], "rows"
        for p in range(ptr[i], ptr[i + 1]):
            x[i] += 0.1 * val[p] * x[idx[p]]
    return np.sum(x * x)


def some_rows(ptr, idx, val, b):
    """Not every row is read, and what says which ones may not be asked for the others."""
    x = b.copy()
    for i in range(len(b)):
        if i % 2 == 0 and idx[ptr[i]] < 3:
            for p in range(ptr[i], ptr[i + 1]):
                x[i] += 0.1 * val[p] * x[idx[p]] * x[i]
    return np.sum(x * x)


def two_rows(ptr, idx, val, b):
    """Two numbers of each entry."""
    x, y = b.copy(), 0.5 * b
    for i in range(len(b)):
        s = 0.0 * b[0]
        for p in range(ptr[i], ptr[i + 1]):
            s += val[p] * x[idx[p]] * np.sin(y[idx[p]])
        x[i] = 0.3 * s
        y[i] = y[i] * s
    return np.sum(x * y)


def in_a_band(ptr, idx, val, b):
    """The cheapest alignment of two series, near the diagonal of a table."""
    n, w = len(b), 2
    D = np.full((n + 1, n + 1), 1.5 * b[0])
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - w), min(n, i + w) + 1):
            D[i, j] = (b[i - 1] - val[j - 1]) ** 2 + D[i - 1, j - 1] * 0.5 + 0.25 * D[i, j - 1] * D[i - 1, j]
    return D[n, n]


PROGRAMS = (triangular, solved_by_sums, swept, multiplied, under_conditions, claimed, some_rows, two_rows, in_a_band)
LINEAR = (triangular, solved_by_sums, swept, multiplied, two_rows, in_a_band)


def by_complex_step(program: Callable[..., complex], arguments: tuple[np.ndarray, ...], at: int) -> list[float]:
    found = []
    for row in np.eye(len(arguments[at])):
        moved = [a + 1e-30j * row if k == at else a for k, a in enumerate(arguments)]
        moved = [a.astype(complex) if a.dtype == np.float64 else a for a in moved]
        found.append(program(*moved).imag / 1e-30)
    return found


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program, n: int) -> None:
    given = compressed(n)
    for at, name in ((2, "val"), (3, "b")):
        wanted = by_complex_step(program, given, at)
        for method in ("reverse", "forward"):
            found = fs.grad(program, wrt=name, method=method)(*given)
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("program", LINEAR)
def test_in_as_much_room_as_there_are_entries(program) -> None:
    source = fs.grad(program, wrt="val", method="reverse").c_source(*compressed(7))
    taken = re.findall(r"fs_take\(&arena, (.*), sizeof", source)
    assert taken
    assert not [size for size in taken if "b_n0, b_n0" in size]
    assert not [size for size in taken if "fs_count(fs_count" in size]


@pytest.mark.parametrize("program", [triangular, swept])
def test_halves_and_second_derivatives(program) -> None:
    given = compressed(6)
    value, pull = fs.vjp(program, wrt="b")(*given)
    assert value == pytest.approx(program(*given))
    np.testing.assert_allclose(pull(2.0), 2.0 * np.array(by_complex_step(program, given, 3)), rtol=1e-12)
    along = np.linspace(0.5, 1.0, 6)
    step = 1e-5
    moved = [fs.grad(program, wrt="b")(*given[:3], given[3] + s * along) for s in (step, -step)]
    found = fs.hvp(program, wrt="b")(*given, tangent=along)
    np.testing.assert_allclose(found, (moved[0] - moved[1]) / (2 * step), rtol=1e-7, atol=1e-9)


def test_rows_that_end_before_they_begin_are_empty() -> None:
    _, idx, val, b = compressed(4)
    ptr = np.array([3, 1, 2, 1, 4])
    given = ptr, idx % 4, val[: len(idx)], b
    found = fs.grad(multiplied, wrt="b", method="reverse")(*given)
    np.testing.assert_allclose(found, by_complex_step(multiplied, given, 3), rtol=1e-12, atol=1e-14)


T0 = Var("w", INT)
I, PTR, T, X = Var("i", INT), Var("ptr", Array(INT)), Var("t", INT), Var("x", Array(F64))


@pytest.mark.parametrize(
    ("blank", "wanted"),
    [
        (Zero((Get(PTR, I),), F64), True),
        (Zero((Get(PTR, I), Const(3)), F64), True),
        (Zero((Prim(minimum, (I, T0)),), F64), True),
        (Zero((I,), F64), False),
        (Zero((Const(3), Get(PTR, I)), F64), False),
        (Zero((Get(PTR, T),), F64), False),
        (Zero((Get(PTR, Const(0)),), F64), False),
    ],
    ids=["read", "with columns", "cut off", "arithmetic", "of columns", "of the step", "the same in all steps"],
)
def test_which_rows_have_lengths_of_their_own(blank: Zero, wanted: bool) -> None:
    hidden = frozenset([I, T, X])
    assert has_own_lengths(blank, I, hidden, [Step(T, Const(1), active=False)]) is wanted
    assert not has_own_lengths(blank, I, hidden, [Require(Const(True), Const(0))])
