"""Loops that assign elements in place: those that are independent are parallel, and two in turn keep the array where it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.primitives import add
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus
from fsmooth.loops.passes.independent import is_independent
from fsmooth.loops.passes.places import Places

I, N = t.Name("i", INT), t.Name("n", INT)


def loop(*body: t.Statement, kind: t.Kind = t.Kind.SEQUENTIAL) -> t.For:
    return t.For("i", N, body, kind)


def store(buffer: str, at: t.Expression, of: str, read: t.Expression) -> t.Store:
    return t.Store(buffer, at, t.Operation(add, (t.Load(of, read, F64), t.Literal(1.0, F64)), F64))


def independent(one: t.For, *before: t.Statement) -> bool:
    return is_independent(one, Places.of((*before, one)), {})


def test_each_element_of_its_own() -> None:
    assert independent(loop(store("a", I, "a", I), store("b", plus(I, N), "a", I)))


def test_not_the_element_of_the_iteration_before() -> None:
    assert not independent(loop(store("a", plus(I, integer(1)), "a", I)))
    assert not independent(loop(store("a", integer(0), "b", I)))


def test_not_what_may_be_the_same_memory() -> None:
    shared = t.Choose("a", F64, "b", integer(0), None, None, None, exchanged=True)
    assert independent(loop(store("a", I, "c", I)), shared)
    assert not independent(loop(store("a", I, "b", plus(I, integer(1)))), shared)


def test_not_what_ends_or_counts() -> None:
    local = t.Assign("s", t.Load("a", I, F64), accumulate=True)
    assert not independent(loop(store("a", I, "a", I), local))
    assert not independent(loop(store("a", I, "a", I), t.Break(t.Literal(True, INT))))
    assert not independent(loop(store("a", I, "a", I), kind=t.Kind.SEARCH))


# -- two loops over the same state -----------------------------------------------------------------------------------


def swept(rows, n):
    m = rows.shape[1]
    k = 0
    while k < n:
        k = k + 1
        current = [rows[0, j] for j in range(m)]
        h = len(rows) // 2
        for i in range(h):
            for j in range(m):
                rows[i, j] = rows[i + 1, j] + current[j]
            current = [2.0 * rows[i + 1, j] - current[j] for j in range(m)]
        for i in range(h, len(rows) - 1):
            for j in range(m):
                rows[i, j] = rows[i + 1, j] - current[j]
            current = [0.5 * rows[i + 1, j] + current[j] for j in range(m)]
        for j in range(m):
            rows[0, j] = current[j]
    return rows


def counted(rows, n):
    m = rows.shape[1]
    for _ in range(n):
        current = [1.0 for _ in range(m)]
        for i in range(len(rows) - 1):
            for j in range(m):
                rows[i, j] = rows[i + 1, j] * current[j]
            current = [rows[i, j] - current[j] for j in range(m)]
        for i in range(len(rows) - 1):
            for j in range(m):
                rows[i + 1, j] = 0.5 * rows[i, j] + current[j]
            current = [rows[i, j] * current[j] for j in range(m)]
    return rows


@pytest.mark.parametrize("program", [swept, counted])
@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 4)])
def test_two_loops_in_turn_change_an_array_in_place(program: Callable[..., object], size: tuple[int, int]) -> None:
    rows = np.random.default_rng(0).normal(size=size)
    for n in (0, 1, 3):
        wanted = program(rows.copy(), n)
        np.testing.assert_allclose(fs.function(program)(rows, n), wanted, rtol=1e-12, atol=1e-12)
    source = fs.function(program).c_source(rows, 3)
    whole = [line for line in source.splitlines() if "memcpy" in line and "rows_n0 * rows_n1" in line]
    assert len(whole) == 1  # the caller's array, once
