"""The kernel of products of matrices, called by itself: all sizes and strides, what it may read and write, its bits."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.products import kernel, product_of
from fsmooth.core.types import F32, F64, Float
from fsmooth.loops import tree as t
from fsmooth.loops.evaluate import evaluate
from fsmooth.loops.usage import walk
from tests.lower.harness import COMPILER

FLAGS = ("-std=gnu99", "-O3", "-fPIC", "-shared", "-fno-math-errno", "-fwrapv", "-Wall", "-Wextra", "-Werror")
MACHINES = {"this machine": ("-march=native",), "the least of its kind": (), "no vectors": ("-U__GNUC__",)}
TYPES = {F64: np.float64, F32: np.float32}
SIZES = [
    (1, 1, 1),
    (2, 3, 4),
    (5, 17, 1),
    (12, 16, 9),
    (13, 33, 31),
    (1, 40, 300),
    (30, 1, 257),
    (25, 7, 0),
    (97, 50, 70),
]


class Kernel:
    def __init__(self, library: ctypes.CDLL, type_: Float) -> None:
        self.type, self.dtype = type_, TYPES[type_]
        self.product, self.room = library[product_of(type_)], library[f"{product_of(type_)}_room"]
        self.room.restype = ctypes.c_int64

    def __call__(self, a: np.ndarray, b: np.ndarray, c: np.ndarray, adds: bool = False) -> None:
        sizes = [ctypes.c_int64(n) for n in (*c.shape, a.shape[1])]
        count = self.room(*sizes)
        room = np.empty(count + 64, self.dtype) if count else None
        given = [x for array in (a, b, c) for x in _matrix(array)]
        start = None if room is None else ctypes.c_void_p(-(-room.ctypes.data // 64) * 64)
        self.product(*sizes, *given, ctypes.c_int(adds), start)


def _matrix(a: np.ndarray) -> tuple[object, ...]:
    strides = [ctypes.c_int64(s // a.itemsize) for s in a.strides]
    return ctypes.c_void_p(a.ctypes.data), *strides


@pytest.fixture(scope="module", params=itertools.product(TYPES, MACHINES), ids=lambda p: f"{p[0]!r}, {p[1]}")
def multiply(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    type_, machine = request.param
    folder: Path = tmp_path_factory.mktemp("kernel")
    source, target = folder / "kernel.c", folder / "kernel.so"
    source.write_text(kernel(type_).replace('"hidden"', '"default"'))
    line = [*COMPILER, *FLAGS, *MACHINES[machine], "-o", str(target), str(source)]
    subprocess.run(line, check=True, capture_output=True)
    return Kernel(ctypes.CDLL(str(target)), type_)


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    rough = 1e-11 if found.dtype == np.float64 else 2e-3
    np.testing.assert_allclose(found, wanted, rtol=rough, atol=rough)


def layouts(a: np.ndarray) -> Iterator[np.ndarray]:
    """The same numbers, in memory in other ways."""
    yield np.ascontiguousarray(a)
    yield np.asfortranarray(a)
    wide = np.zeros((a.shape[0] * 2, a.shape[1] * 3), a.dtype)
    wide[::2, ::3] = a
    yield wide[::2, ::3]
    yield np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1]


def check_all_layouts(multiply: Kernel, sizes: tuple[int, int, int]) -> None:
    """Compare products with NumPy's, assigned and added, for each layout of the three matrices."""
    m, n, k = sizes
    rng = np.random.default_rng(m)
    a, b = (rng.normal(size=shape).astype(multiply.dtype) for shape in ((m, k), (k, n)))
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    for left, right in itertools.product(layouts(a), layouts(b)):
        for c in layouts(np.full((m, n), np.nan, multiply.dtype)):
            multiply(left, right, c)
            close(c, wanted)
            multiply(left, right, c, adds=True)
            close(c, 2 * wanted)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_all_layouts(multiply: Kernel, sizes: tuple[int, int, int]) -> None:
    check_all_layouts(multiply, sizes)


def test_the_same_row_and_column_again_and_again(multiply: Kernel) -> None:
    """Strides of 0, as arrays that are broadcast have."""
    row, column = np.arange(1.0, 18.0), np.arange(1.0, 31.0)
    a, b = np.broadcast_to(row.astype(multiply.dtype), (30, 17)), np.ones((17, 20), multiply.dtype)
    c = np.empty((30, 20), multiply.dtype)
    multiply(a, b, c)
    close(c, np.full((30, 20), row.sum()))
    b = np.broadcast_to(column.astype(multiply.dtype)[:, None], (30, 20))
    multiply(np.ones((30, 30), multiply.dtype), b, c)
    close(c, np.full((30, 20), column.sum()))


def test_only_the_result_is_written(multiply: Kernel) -> None:
    rng = np.random.default_rng(3)
    around = rng.normal(size=(40, 60)).astype(multiply.dtype)
    before = around.copy()
    a, b = rng.normal(size=(19, 21)).astype(multiply.dtype), rng.normal(size=(21, 23)).astype(multiply.dtype)
    multiply(a, b, around[7:26, 11:34])
    close(around[7:26, 11:34], a @ b)
    before[7:26, 11:34] = around[7:26, 11:34]
    np.testing.assert_array_equal(around, before)


def test_what_is_not_finite_is_where_it_belongs(multiply: Kernel) -> None:
    """No zero is added to fill a tile that an infinity could meet."""
    a, b = np.ones((29, 19), multiply.dtype), np.ones((19, 37), multiply.dtype)
    a[28, 3], b[18, 36] = np.inf, np.nan
    c = np.empty((29, 37), multiply.dtype)
    multiply(a, b, c)
    assert np.isinf(c[28, :36]).all()
    assert np.isnan(c[:, 36]).all()
    assert (c[:28, :36] == 19.0).all()


def test_bits_depend_on_no_other_row_or_column(multiply: Kernel) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(50, 300)).astype(multiply.dtype), rng.normal(size=(300, 70)).astype(multiply.dtype)
    whole = np.empty((50, 70), multiply.dtype)
    multiply(a, b, whole)
    for rows, columns in ((slice(0, 1), slice(0, 70)), (slice(7, 50), slice(3, 20)), (slice(49, 50), slice(69, 70))):
        part = np.empty(whole[rows, columns].shape, multiply.dtype)
        multiply(np.ascontiguousarray(a[rows]), np.ascontiguousarray(b[:, columns]), part)
        np.testing.assert_array_equal(part, whole[rows, columns])


# -- programs --------------------------------------------------------------------------------------------------------------


def of_rows(a, b):
    return [row @ b for row in a]


def statements(program, *arguments: object) -> list[t.Multiply]:
    kernel = fs.function(program).compiled(*arguments).loops.kernel
    return [s for s in walk(kernel.body) if isinstance(s, t.Multiply)]


def test_factors_that_are_parts_of_arrays_are_not_copied() -> None:
    a, b = np.random.default_rng(5).normal(size=(2, 20, 30))

    def program(a, b):
        return a[2:12, ::2] @ b.T[::-2]

    np.testing.assert_allclose(fs.function(program)(a, b), program(a, b), rtol=1e-12, atol=1e-12)
    assert len(statements(program, a, b)) == 1
    assert "memcpy" not in fs.function(program).c_source(a, b).split("int32_t program")[1]


def test_factors_that_are_computed_are_computed_once() -> None:
    a, b = np.random.default_rng(6).normal(size=(2, 20, 20))

    def program(a, b):
        return np.exp(a) @ (2.0 * b)

    np.testing.assert_allclose(fs.function(program)(a, b), program(a, b), rtol=1e-12, atol=1e-12)
    assert [s.adds for s in statements(program, a, b)] == [False, True]  # the first block of a factor, and the others
    lines = fs.function(program).c_source(a, b).split("int32_t program")[1].splitlines()
    assert sum(["exp(" in line and "/*" not in line for line in lines]) == 1


def test_products_of_single_precision_and_of_batches() -> None:
    a, b = np.random.default_rng(7).normal(size=(2, 3, 20, 20)).astype(np.float32)
    found = fs.function(lambda a, b: a @ b)(a, b)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, a @ b, rtol=1e-4, atol=1e-4)


def test_small_products_of_known_size_are_written_out() -> None:
    def program(a: fs.Array[3, 3], b: fs.Array[3, 3]):
        return a @ b

    assert not statements(program, np.eye(3), np.eye(3))


def test_schedules_without_destinations_have_loops() -> None:
    f = fs.function(lambda a, b: a @ b, schedule="LICM")
    a, b = np.random.default_rng(8).normal(size=(2, 9, 9))
    np.testing.assert_allclose(f(a, b), a @ b, rtol=1e-13, atol=1e-13)
    assert "fs_product" not in f.c_source(a, b)


def test_a_state_that_is_multiplied_in_place_is_read_before_it_is_written() -> None:
    def powers(a, n: int):
        x = a
        for _ in range(n):
            x = x @ a
        return x

    a = np.random.default_rng(9).normal(size=(12, 12))
    np.testing.assert_allclose(fs.function(powers)(a, 5), np.linalg.matrix_power(a, 6), rtol=1e-10)


def weighted(a, b, w):
    return [[sum(a[i, l] * w[l] * b[l, j] for l in range(len(b))) for j in range(b.shape[1])] for i in range(len(a))]


def of_one_matrix(a, b, order):
    return [
        [sum(a[order[0], i, l] * b[l, j] for l in range(len(b))) for j in range(b.shape[1])] for i in range(a.shape[1])
    ]


def of_chosen_rows(a, b, order):
    return [
        [sum(a[order[i], l] * b[l, j] for l in range(len(b))) for j in range(b.shape[1])] for i in range(len(order))
    ]


def outer_products(a, b):
    total = np.zeros((a.shape[1], b.shape[1]))
    for k in range(len(a)):
        for i in range(len(a)):
            for j in range(b.shape[1]):
                total[i, j] += a[k, i] * b[k, j]
    return total


@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        (weighted, ((2, 3), (5, 0), (4,))),
        (weighted, ((0, 3), (5, 2), (4,))),
        (of_one_matrix, ((1, 2, 3), (0, 4), 0)),
        (of_one_matrix, ((1, 2, 3), (3, 0), 0)),
        (of_one_matrix, ((1, 0, 3), (3, 4), 0)),
        (of_chosen_rows, ((0, 3), (7, 0), 5)),
        (outer_products, ((3, 2), (3, 0))),
    ],
)
def test_nothing_is_read_where_there_is_no_element(program, shapes) -> None:
    """What is in bounds wherever there is an element need not be where there is none; the interpreter of loops looks."""
    example = [np.zeros(shape, int) if isinstance(shape, int) else np.ones(shape) for shape in shapes]
    large = [np.zeros([40] * array.ndim, array.dtype) for array in example]  # of sizes that are not built in
    function = fs.function(program).compiled(*large).loops.kernel
    given: dict[str, object] = {}
    arrays = iter(example)
    for q in function.parameters:
        if q.output:
            given[q.name] = [None] * 100
        elif q.pointer:
            array = next(arrays)
            given[q.name] = array.ravel().tolist()
            given |= {f"{q.name}_n{k}": n for k, n in enumerate(array.shape)}
    evaluate(function, {q.name: given[q.name] for q in function.parameters})  # type: ignore[misc]
