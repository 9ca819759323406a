"""Loops that keep to columns: they are one with their neighbours, and several iterations around them are one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.primitives import add, maximum, multiply
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.columns import carried_rows, keeps_to_columns, sizes_in
from fsmooth.loops.passes.jamming import jam_loops
from fsmooth.loops.passes.places import Places
from tests.lower.test_jamming import kernel

SIZES = (0, 1, 2, 3, 4, 5, 7, 9, 13)

# -- programs --------------------------------------------------------------------------------------------------------


def swept(rows, cosines, sines):
    """Neighbouring rows rotated in turn."""
    current = [v for v in rows[0]]
    for i in range(len(rows) - 1):
        c, s = cosines[i], sines[i]
        for j in range(rows.shape[1]):
            rows[i, j] = c * current[j] + s * rows[i + 1, j]
        current = [c * rows[i + 1, j] - s * current[j] for j in range(rows.shape[1])]
    for j in range(rows.shape[1]):
        rows[len(rows) - 1, j] = current[j]
    return rows


def swept_by_another_row(rows, cosines, sines):
    """The row that is read may be any: those before, those that come, and the one that is changed."""
    current = [0.5 for _ in range(rows.shape[1])]
    for i in range(len(rows) - 1):
        k = (3 * i + 1) % len(rows)
        for j in range(rows.shape[1]):
            rows[i, j] = cosines[i] * current[j] + rows[k, j]
        current = [rows[k, j] - sines[i] * current[j] for j in range(rows.shape[1])]
    return np.array([*rows, current])


def swept_twice(rows, cosines, sines):
    """Two rotations in each step, of which the second turns what the first one made: it has a name."""
    ahead, behind = [v for v in rows[0]], [0.5 * v for v in rows[0]]
    for i in range(1, len(rows) - 1):
        c, s = cosines[i], sines[i]
        for j in range(rows.shape[1]):
            once = c * ahead[j] + s * rows[i + 1, j]
            rows[i - 1, j] = s * behind[j] + c * once
            behind[j] = s * once - c * behind[j]
            ahead[j] = c * rows[i + 1, j] - s * ahead[j]
    return np.array([*rows, ahead, behind])


def added_to_two_rows(rows, cosines, sines):
    """Two rows are added to at once."""
    first, second = [0.0 for _ in rows[0]], [1.0 for _ in rows[0]]
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            first[j] += cosines[i] * rows[i, j]
            second[j] += sines[i] * rows[i, j] * first[j]
    return np.array([first, second])


def swept_past_columns(rows, cosines, sines):
    """What is read is in the column of another iteration, and so are the loops that read and change it."""
    current = [v for v in rows[0]]
    n = rows.shape[1]
    for i in range(len(rows) - 1):
        for j in range(n):
            rows[i, j] = cosines[i] * current[j] + rows[i + 1, n - 1 - j]
        current = [rows[i, n - 1 - j] - sines[i] * current[j] for j in range(n)]
    return np.array([*rows, current])


@pytest.mark.parametrize("program", [swept, swept_by_another_row, swept_twice, added_to_two_rows, swept_past_columns])
def test_as_in_python(program: Callable[..., np.ndarray]) -> None:
    f = fs.function(program)
    rng = np.random.default_rng(0)
    for m in SIZES[1:]:
        for n in SIZES[1:]:
            rows, angles = rng.normal(size=(m, n)), rng.normal(size=m)
            given = np.cos(angles), np.sin(angles)
            np.testing.assert_allclose(f(rows, *given), program(rows.copy(), *given), rtol=0, atol=1e-13)


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_derivatives(method: str) -> None:
    rng = np.random.default_rng(1)
    rows, weights, given = rng.normal(size=(7, 5)), rng.normal(size=(7, 5)), (rng.normal(size=7), rng.normal(size=7))
    loss = lambda rows, c, s, w: np.sum(w * swept(rows, c, s))  # noqa: E731
    found = fs.grad(loss, wrt="c", method=method)(rows, *given, weights)
    for k in range(6):
        moved = np.zeros(7)
        moved[k] = 1e-6
        ahead, behind = (loss(rows.copy(), given[0] + d, given[1], weights) for d in (moved, -moved))
        assert found[k] == pytest.approx((ahead - behind) / 2e-6, rel=1e-7)


def test_the_row_that_is_carried_is_loaded_and_stored_once_for_four_rotations() -> None:
    source = kernel(swept, np.ones((9, 5)), np.ones(9), np.ones(9))
    assert "i_block" in source
    assert source.count("next_3") > 0
    assert "i_block" in kernel(swept_twice, np.ones((9, 5)), np.ones(9), np.ones(9))
    assert "_block" not in kernel(swept_past_columns, np.ones((9, 5)), np.ones(9), np.ones(9))


@pytest.mark.parametrize("n", range(1, 15))
def test_elimination_reads_what_the_iterations_before_it_change(n: int) -> None:
    a, b = np.random.default_rng(n).normal(size=(n, n)), np.linspace(0.5, 1.5, n)
    assert fs.function(np.linalg.det)(a) == pytest.approx(np.linalg.det(a), rel=1e-11)
    np.testing.assert_allclose(fs.function(np.linalg.solve)(a, b), np.linalg.solve(a, b), rtol=1e-9)


def test_elimination_runs_four_columns_at_once() -> None:
    assert "k_block < " in kernel(lambda a: np.linalg.det(a), np.eye(4))


def reduced(row, order, factors, m):
    """Only the first m numbers of the row change: what is read of it may be one of the others."""
    for k in range(len(order)):
        u = row[order[k]]
        for i in range(m):
            row[i] = row[i] - u * factors[k, i]
    return row


@pytest.mark.parametrize("m", [0, 3, 6])
def test_a_part_of_a_row(m: int) -> None:
    rng = np.random.default_rng(m)
    given = rng.normal(size=6), rng.integers(0, 6, 9), rng.normal(size=(9, 6)), m
    np.testing.assert_allclose(fs.function(reduced)(*given), reduced(given[0].copy(), *given[1:]), rtol=0, atol=1e-12)
    assert "_block" not in kernel(reduced, *given)


def test_what_an_empty_loop_would_read_need_not_be_there() -> None:
    """w is too short, which matters only where x has elements."""

    def added(x, w, b):
        for k in range(len(b)):
            for j in range(len(x)):
                x[j] += w[k] * b[k, j]
        return x

    f = fs.function(added)
    assert len(f(np.zeros(0), np.ones(1), np.ones((9, 0)))) == 0
    with pytest.raises(fs.IndexOutOfBoundsError):
        f(np.zeros(2), np.ones(1), np.ones((9, 2)))
    assert "x_n0 > 0 ?" in kernel(added, np.zeros(2), np.ones(9), np.ones((9, 2)))


# -- the rules by themselves -----------------------------------------------------------------------------------------

I, J, K, M, N = (t.Name(name, INT) for name in "ijkmn")


def copying(to: t.Expression, of: t.Expression, size: t.Expression = N) -> t.For:
    """for j < size: a[to] = a[of] + 1.0"""
    value = t.Operation(add, (t.Load("a", of, F64), t.Literal(1.0, F64)), F64)
    return t.For("j", size, (t.Store("a", to, value),), t.Kind.SEQUENTIAL)


def at(row: t.Expression, width: t.Expression = N) -> t.Expression:
    return plus(times(row, width), J)


def test_rows_of_a_matrix_as_wide_as_the_loop() -> None:
    assert keeps_to_columns(copying(at(K), at(M)), {})
    assert keeps_to_columns(copying(at(K), J), {})


def test_rows_that_are_not_as_wide_overlap() -> None:
    assert not keeps_to_columns(copying(at(K, M), at(I, M)), {})


def test_a_width_that_is_the_size_where_this_is_not_negative() -> None:
    wide = t.Declare("m", INT, t.Operation(maximum, (N, ZERO), INT))
    sizes = sizes_in(t.Function("f", (), (wide,)))
    assert keeps_to_columns(copying(at(K, M), at(I, M)), sizes)
    assert not keeps_to_columns(copying(at(K, M), at(I, N)), {"m": K})


def test_a_row_that_varies_is_no_row() -> None:
    assert not keeps_to_columns(copying(at(J), at(K)), {})


def test_a_row_is_carried_only_if_each_iteration_changes_it() -> None:
    def around(*stores: t.Statement) -> frozenset[str]:
        inner = t.For("j", N, stores, t.Kind.PARALLEL)
        loop = t.For("i", M, (inner,), t.Kind.SEQUENTIAL)
        return carried_rows(loop, Places.of((loop,)), {})

    value = t.Operation(multiply, (t.Load("c", J, F64), t.Load("a", at(I), F64)), F64)
    change = t.Store("c", J, value)
    assert around(change) == {"c"}
    assert around(change, t.Store("a", at(plus(I, t.Literal(1, INT))), t.Load("c", J, F64))) == {"c"}
    assert around(t.Store("a", at(I), value)) == frozenset()
    assert around(change, t.Store("a", at(I, M), value)) == frozenset()
    shared = t.Choose("c", F64, "a", ZERO, None, None, None, exchanged=True)
    loop = t.For("i", M, (t.For("j", N, (change,), t.Kind.PARALLEL),), t.Kind.SEQUENTIAL)
    assert carried_rows(loop, Places.of((shared, loop)), {}) == frozenset()


def test_what_may_be_the_same_memory_as_a_row_keeps_iterations_apart() -> None:
    """for k < m: b[k] = a[k]; for j < n: a[j] += c[k * n + j]"""
    before = t.Declare("u", F64, t.Load("a", K, F64))
    adds = t.Store("a", J, t.Load("c", plus(times(K, N), J), F64), accumulate=True)
    inner = t.For("j", N, (adds,), t.Kind.PARALLEL)
    loop = t.For("k", M, (before, t.Store("b", K, t.Name("u", F64)), inner), t.Kind.SEQUENTIAL)
    row = t.Allocate("a", F64, N)
    apart = t.Function("f", (), (row, loop))
    assert jam_loops(apart, Names()) is not apart
    for other in ("b", "c"):
        shared = t.Choose(other, F64, "a", ZERO, None, None, None, exchanged=True)
        together = t.Function("f", (), (row, shared, loop))
        assert jam_loops(together, Names()) is together
    partly = t.Function("f", (), (t.Allocate("a", F64, M), loop))
    assert jam_loops(partly, Names()) is partly
