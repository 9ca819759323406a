"""Nests that add to rows run four rows and four columns at once: the same sums, of which fewer numbers are loaded and stored."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.primitives import multiply
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.jamming import jam_loops

SIZES = (0, 1, 3, 4, 5, 8, 11)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_of_all_sizes(dtype: type) -> None:
    rng = np.random.default_rng(0)
    f = fs.function(distances)
    for m, k, n in product(SIZES, repeat=3):
        a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
        np.testing.assert_allclose(
            f(a, b), between(a, b), rtol=0, atol=1e-13 if dtype is np.float64 else 1e-5, strict=True
        )


def distances(a, b):
    """Of no product of matrices: that is computed in tiles."""
    return np.array(
        [[sum(abs(a[i, k] - b[k, j]) for k in range(len(b))) for j in range(b.shape[1])] for i in range(len(a))]
    )


def between(a, b):
    return np.abs(a[:, :, None] - b[None]).sum(1)


@pytest.mark.parametrize("sizes", [(0, 3, 2), (5, 0, 4), (4, 4, 4), (7, 9, 6), (9, 1, 17)])
def test_what_is_made_of_a_product(sizes: tuple[int, int, int]) -> None:
    m, k, n = sizes
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(m, k)), rng.normal(size=(k, n)), rng.normal(size=n)
    for f in (layer, gated, by_element):
        found = np.reshape(fs.function(f)(a, b, c), (m, n))
        np.testing.assert_allclose(found, np.reshape(f(a, b, c), (m, n)), rtol=0, atol=1e-13)


def layer(a, b, c):
    return [
        [np.tanh(sum(abs(a[i, k] - b[k, j]) for k in range(len(b))) + c[j]) for j in range(len(c))]
        for i in range(len(a))
    ]


def gated(a, b, c):
    """What is read of a row of one factor does not depend on the loops around it, or on the innermost one."""
    order = np.argsort(c)
    last = c[order[len(c) - 1]]
    return [
        [sum(abs(a[i, k] - b[k, order[j]] * last) * c[j] for k in range(len(b))) for j in range(len(c))]
        for i in range(len(a))
    ]


def by_element(a, b, c):
    return np.array(
        [
            [max(sum(abs(a[i, k] - b[k, j]) for k in range(len(b))), c[j]) for j in range(b.shape[1])]
            for i in range(len(a))
        ]
    ).reshape(len(a), b.shape[1])


def test_the_rows_of_one_factor_are_read_once_for_four_rows_of_the_product() -> None:
    source = kernel(distances, np.ones((2, 2)), np.ones((2, 2)))
    assert "i_block < (a_n0 >> 2)" in source
    assert source.count("memset") == 2  # of four rows in a block, of each row that is left
    assert "k_block < (b_n1 > 0 ? (b_n0 >> 2) : 0)" in source


def test_the_sums_under_a_function_are_made_row_by_row() -> None:
    source = kernel(layer, np.ones((2, 2)), np.ones((2, 2)), np.ones(2))
    assert "fs_take" not in source
    assert "i_block < (a_n0 >> 2)" in source


def by_vector(a, b):
    return [sum(a[i, k] * b[k] for k in range(len(b))) for i in range(len(a))]


def test_a_vector_is_read_once_for_four_rows() -> None:
    source = kernel(by_vector, np.ones((2, 2)), np.ones(2))
    assert "i_block < (a_n0 >> 2)" in source
    assert "sum_4_lanes += FS_LANES_AT(a + (i_start + 3) * a_n1 + k) * FS_LANES_AT(b + k);" in source
    for m, n in product(SIZES, repeat=2):
        a, b = np.random.default_rng(n).normal(size=(m, n)), np.linspace(0.5, 1.5, n)
        np.testing.assert_allclose(fs.function(by_vector)(a, b), a @ b, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    "program",
    [
        lambda a, b: np.sum(a * b),
        lambda a, b: [sum(a[i, k] for k in range(len(b))) for i in range(len(a))],
        lambda a, b: [sum(a[i, k] * b[k] for k in range(i)) for i in range(len(a))],
        lambda a, b: [sum(a[i, b.shape[0] - 1 - k] * b[k] for k in range(len(b))) for i in range(len(a))],
    ],
    ids=["no row", "nothing is shared", "a triangle", "backwards"],
)
def test_what_adds_to_no_row_is_left(program: Callable[..., object]) -> None:
    assert "_block" not in kernel(program, np.ones((2, 2)), np.ones(2))


def test_the_columns_of_a_matrix_are_added_up_four_at_once() -> None:
    """Of a matrix and a vector there is no second row, but the sums are loaded and stored once for four."""
    f = lambda a, b: [sum(a[k, j] * b[k] for k in range(len(b))) for j in range(a.shape[1])]  # noqa: E731
    assert "k_block < (a_n1 > 0 ? (b_n0 >> 2) : 0)" in kernel(f, np.ones((2, 2)), np.ones(2))
    for m, n in product(SIZES[1:], repeat=2):
        a, b = np.random.default_rng(n).normal(size=(m, n)), np.linspace(0.5, 1.5, m)
        np.testing.assert_allclose(fs.function(f)(a, b), b @ a, rtol=0, atol=1e-13)


def kernel(program: Callable[..., object], *arguments: object) -> str:
    source = fs.function(program).c_source(*arguments)
    start = source.index("\nint32_t ")
    return source[start : source.index("\n}\n", start)]


# -- the pass by itself ----------------------------------------------------------------------------------------------

N = t.Name("n", INT)


def nest(kind: t.Kind, into: t.Expression, factor: str = "b") -> t.Function:
    """for i: for k: for j: x[into] += a[i * n + k] * factor[k * n + j]"""
    i, j, k = (t.Name(name, INT) for name in "ijk")
    value = t.Operation(
        multiply, (t.Load("a", plus(times(i, N), k), F64), t.Load(factor, plus(times(k, N), j), F64)), F64
    )
    inner = t.For("j", N, (t.Store("x", into, value, accumulate=True),), t.Kind.PARALLEL)
    rows = t.For("i", N, (t.For("k", N, (inner,), t.Kind.REDUCTION),), kind)
    return t.Function("f", (), (rows,), facts=t.Facts(frozenset({"n"})))


def of_row() -> t.Expression:
    return plus(times(t.Name("i", INT), N), t.Name("j", INT))


def test_sums_that_read_what_they_add_to_stay() -> None:
    function = nest(t.Kind.PARALLEL, of_row(), factor="x")
    assert jam_loops(function, Names()) is function


def test_sums_of_another_row_in_each_iteration_stay() -> None:
    function = nest(t.Kind.PARALLEL, plus(times(t.Name("k", INT), N), t.Name("j", INT)))
    assert jam_loops(function, Names()) is function


def test_rows_of_iterations_that_depend_on_one_another_are_not_jammed() -> None:
    (rows,) = jam_loops(nest(t.Kind.SEQUENTIAL, of_row()), Names()).body
    assert isinstance(rows, t.For)
    assert rows.index == "i"


@pytest.mark.parametrize("m", [-5, -1, 0, 3, 4, 9])
@pytest.mark.parametrize("k", [-6, 0, 5, 8])
def test_a_size_that_is_negative_is_no_iteration(m: int, k: int) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(9, 8)), rng.normal(size=(8, 6))
    found = fs.function(of_parts)(a, b, m, k)
    np.testing.assert_allclose(found, of_parts(a, b, m, k), rtol=0, atol=1e-13)
    assert "l_block <" in kernel(of_parts, a, b, m, k)
    found = fs.function(of_parts_by_sums)(a, b, m, k)
    wanted = between(a[: max(m, 0), : max(k, 0)], b[: max(k, 0)])
    np.testing.assert_allclose(np.reshape(found, wanted.shape), wanted, rtol=0, atol=1e-13)
    assert "i_block <" in kernel(of_parts_by_sums, a, b, m, k)


def of_parts_by_sums(a, b, m, k):
    return [[sum(abs(a[i, l] - b[l, j]) for l in range(k)) for j in range(b.shape[1])] for i in range(m)]


def of_parts(a, b, m, k):
    c = np.zeros((len(a), b.shape[1]))
    for i in range(m):
        for l in range(k):
            for j in range(b.shape[1]):
                c[i, j] += abs(a[i, l] - b[l, j])
    return c


def regression(w, X, y):
    """Adds up a row, then adds a multiple of it to the gradient."""
    total = 0.0
    for i in range(len(X)):
        r = X[i] @ w - y[i]
        total += np.log(1.0 + r * r)
    return total


def by_rows(w, X, y):
    r = X @ w - y
    return (2.0 * r / (1.0 + r * r)) @ X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_that_are_added_up_and_added_of_all_sizes(dtype: type) -> None:
    rng = np.random.default_rng(2)
    gradient = fs.grad(regression)
    for n, d in product((*SIZES, 23), (*SIZES, 23)):
        w, X, y = (rng.normal(size=size).astype(dtype) for size in (d, (n, d), n))
        found = gradient(w, X, y)
        np.testing.assert_allclose(
            found, by_rows(w, X, y), rtol=0, atol=1e-12 if dtype is np.float64 else 1e-4, strict=True
        )


def test_rows_that_are_added_up_and_added_are_read_four_at_once() -> None:
    source = fs.grad(regression).c_source(np.ones(3), np.ones((2, 3)), np.ones(2))
    blocks = source[source.index("i_block") : source.index("i_left")]
    assert blocks.count("FS_LANES_AT(w + ") == 4  # in one loop
    assert blocks.count("for (") == 1 + 2 * 2
    assert blocks.count("FS_LANES_AT(result + ") == 2  # read and written once for four rows
    assert "FS_LANES_AT(X + (i_start + 3) * X_n1 + " in blocks


def online(w, X, y):
    """No such loop: a row is added to what the next iteration reads."""
    w = w.copy()
    for i in range(len(X)):
        w += 0.01 * (y[i] - X[i] @ w) * X[i]
    return w


def test_what_the_next_iteration_reads_is_not_added_later() -> None:
    rng = np.random.default_rng(3)
    w, X, y = rng.normal(size=5), rng.normal(size=(11, 5)), rng.normal(size=11)
    np.testing.assert_allclose(fs.function(online)(w, X, y), online(w, X, y), rtol=1e-12)
