"""Products of matrices by a BLAS: its values in all layouts, which it is asked for, what is kept of IEEE, and what is said."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import thresholds
from fsmooth.backend.c.blas import DEFINED
from fsmooth.backend.c.products import kernel
from fsmooth.core.types import F64, Float
from fsmooth.runtime.blas import refuse_other_numbers, scipy_blas
from tests.lower.harness import COMPILER
from tests.lower.test_products import FLAGS, SIZES, TYPES, Kernel, check_all_layouts, close

pytest.importorskip("scipy")

ANY_SIZE = [("_WORK " + str(n), "_WORK 0") for n in (thresholds.BLAS_WORK, thresholds.BLAS_VECTOR_WORK)]
GEMM = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)
GEMV = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 11)


class Asked:
    """BLAS, and how often it was asked."""

    def __init__(self, gemm: int, gemv: int) -> None:
        self.products = self.vectors = 0
        of_matrices, of_vectors = GEMM(gemm), GEMV(gemv)

        def multiply(*given: int) -> None:
            self.products += 1
            of_matrices(*given)

        def multiply_vector(*given: int) -> None:
            self.vectors += 1
            of_vectors(*given)

        self.functions = GEMM(multiply), GEMV(multiply_vector)
        self.pointers = [ctypes.cast(f, ctypes.c_void_p) for f in self.functions]


class ByBlas(Kernel):
    """The kernel, which asks BLAS for all sizes."""

    def __init__(self, library: ctypes.CDLL, type_: Float) -> None:
        super().__init__(library, type_)
        k = 0 if type_ == F64 else 2
        self.asked = Asked(*scipy_blas()[k : k + 2])
        library[f"fs_take_blas_f{type_.width}"](*self.asked.pointers)


@pytest.fixture(scope="module", params=TYPES, ids=repr)
def multiply(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ByBlas:
    folder: Path = tmp_path_factory.mktemp("blas")
    source, target = folder / "kernel.c", folder / "kernel.so"
    text = DEFINED + kernel(request.param).replace('"hidden"', '"default"')
    for old, new in ANY_SIZE:
        assert old in text
        text = text.replace(old, new)
    source.write_text(text)
    subprocess.run(
        [*COMPILER, *FLAGS, "-march=native", "-o", str(target), str(source)], check=True, capture_output=True
    )
    return ByBlas(ctypes.CDLL(str(target)), request.param)


@pytest.mark.parametrize("sizes", [*SIZES, (1, 1, 40), (40, 1, 1), (1, 40, 1), (7, 0, 3), (0, 5, 3)], ids=str)
def test_all_layouts(multiply: ByBlas, sizes: tuple[int, int, int]) -> None:
    check_all_layouts(multiply, sizes)


def test_rows_and_columns_side_by_side_go_and_others_do_not(multiply: ByBlas) -> None:
    a, b = np.ones((20, 30), multiply.dtype), np.ones((30, 40), multiply.dtype)
    c = np.empty((20, 40), multiply.dtype)
    for left, right, into, goes in (
        (a, b, c, True),
        (np.asfortranarray(a), np.asfortranarray(b), np.asfortranarray(c), True),
        (np.repeat(a, 2, axis=0)[::2], b, c, True),
        (np.repeat(a, 2, axis=1)[:, ::2], b, c, False),
        (a[:, ::-1], b, c, False),
        (a, b[::-1], c, False),
        (a, np.broadcast_to(b[0], b.shape), c, False),
        (a, b, np.empty((20, 80), multiply.dtype)[:, ::2], False),
    ):
        before = multiply.asked.products
        multiply(left, right, into)
        assert multiply.asked.products - before == goes
        close(into, np.full((20, 40), 30.0))


def test_one_row_or_column_is_a_vector(multiply: ByBlas) -> None:
    rng = np.random.default_rng(8)
    a, x = rng.normal(size=(20, 30)).astype(multiply.dtype), rng.normal(size=(30, 2)).astype(multiply.dtype)
    before = multiply.asked.vectors, multiply.asked.products
    c = np.full((20, 3), np.nan, multiply.dtype)
    multiply(a, x[:, 1:], c[:, 1:2])
    close(c[:, 1], a @ x[:, 1])
    row = np.full((1, 20), np.nan, multiply.dtype)
    multiply(x[:, :1].T, a.T, row)
    close(row[0], a @ x[:, 0])
    assert (multiply.asked.vectors, multiply.asked.products) == (before[0] + 2, before[1])


def test_what_is_not_finite_is_where_it_belongs(multiply: ByBlas) -> None:
    a, b = np.ones((29, 19), multiply.dtype), np.ones((19, 37), multiply.dtype)
    a[28, 3], a[27, 4], b[18, 36] = np.inf, np.inf, np.nan
    b[4, 5] = 0.0
    for columns in (slice(None), slice(5, 6), slice(36, 37)):
        c = np.full((29, 37), np.nan, multiply.dtype)[:, columns]
        multiply(a, b[:, columns], c)
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(c, (a[:, :, None] * b[:, columns]).sum(axis=1))


# -- programs --------------------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(9)
SIDE = 140


def matrices(*shape: int, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    return tuple(RNG.normal(size=(2, *shape)).astype(dtype))


def loss(a, b, c):
    return np.sum(np.tanh(a @ b.T / 10 @ c) ** 2)


PROGRAMS = {
    "a @ b": lambda a, b: a @ b,
    "a.T @ b": lambda a, b: a.T @ b,
    "a @ b.T": lambda a, b: a @ b.T,
    "a.T @ b.T": lambda a, b: a.T @ b.T,
    "einsum": lambda a, b: np.einsum("ji,jk->ki", a, b),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PROGRAMS)
def test_products_of_programs(name: str, dtype: type) -> None:
    a, b = matrices(SIDE, SIDE, dtype=dtype)
    f = fs.function(PROGRAMS[name], blas="scipy")
    close(f(a, b), PROGRAMS[name](a, b))
    assert f"{'d' if dtype is np.float64 else 's'}gemm from 2,097,152" in f.explain(a, b)
    small = [x[:9, :9].copy() for x in (a, b)]
    np.testing.assert_array_equal(f(*small), fs.function(PROGRAMS[name])(*small))


def test_batches_and_their_derivatives() -> None:
    a, b = RNG.normal(size=(3, 150, 130)), RNG.normal(size=(3, 130, 140))
    f = fs.function(lambda a, b: a @ b, blas="scipy")
    close(f(a, b), a @ b)
    g, own = [fs.grad(lambda a, b: np.sum((a @ b) ** 3), wrt=("a", "b"), **blas) for blas in ({"blas": "scipy"}, {})]
    for found, wanted in zip(g(a, b), own(a, b), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("verb", [fs.grad, fs.value_and_grad, fs.jvp, fs.hvp, fs.vjp, fs.mgrad])
def test_all_verbs_take_it(verb) -> None:
    a, b = matrices(SIDE, SIDE)
    c = RNG.normal(size=(SIDE, 2))
    along = {"tangent": b} if verb in (fs.jvp, fs.hvp) else {}
    found, wanted = [verb(loss, wrt="a", **blas)(a, b, c, **along) for blas in ({"blas": "scipy"}, {})]
    if verb is fs.vjp:
        found, wanted = found[1](1.0), wanted[1](1.0)
    found, wanted = [r if isinstance(r, tuple) else (r,) for r in (found, wanted)]
    for own, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("sizes", [(0, 5, 200), (200, 0, 200), (200, 200, 0), (0, 0, 0)], ids=str)
def test_empty_matrices(sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    a, b = np.ones((m, k)), np.ones((k, n))
    np.testing.assert_array_equal(fs.function(lambda a, b: a @ b, blas="scipy")(a, b), a @ b)


def test_in_chunks_on_threads() -> None:
    a, b = matrices(400, 400)
    c = RNG.normal(size=(400, 400))
    one, two = [fs.grad(loss, threads=n, blas="scipy") for n in (1, 2)]
    np.testing.assert_allclose(two(a, b, c), one(a, b, c), rtol=1e-10, atol=1e-12)
    assert str(two.schedule) == "DEFAULT, threads=2, blas=scipy"
    assert "on threads:" in two.explain(a, b, c)
    assert "by BLAS:" in two.explain(a, b, c)


def test_schedules_of_ones_own_and_batches() -> None:
    a, b = matrices(SIDE, SIDE)
    f = fs.function(lambda a, b: a @ b, schedule=fs.strategies.DEFAULT, blas="scipy")
    close(f(a, b), a @ b)
    close(fs.vmap(lambda row, b: row @ b, in_axes=(0, None), blas="scipy")(a, b), a @ b)


def test_what_is_said_of_products_that_do_not_go() -> None:
    a, b = matrices(SIDE, SIDE)

    def said(program, *arguments: np.ndarray) -> str:
        text = fs.function(program, blas="scipy").explain(*arguments)
        return text[text.index("by BLAS:") :].split("\n\n")[0]

    strides = said(lambda a, b: a[::2, ::2] @ b[::2], a, b)
    assert "own kernel, neither rows nor columns of a lie side by side, unless sizes are 1" in strides
    assert "a matrix by a vector: loops, which read the matrix once as BLAS does" in said(lambda a, b: a @ b[0], a, b)
    fixed = said(lambda a: [[sum(a[i, l] * a[l, j] for l in range(9)) for j in range(9)] for i in range(9)], a)
    assert "own kernel, these are fewer than 2,097,152 products of numbers" in fixed
    assert "no product of matrices" in said(lambda a: np.sum(a), a)
    assert "by BLAS:" not in fs.function(lambda a, b: a @ b).explain(a, b)


def test_another_blas_is_refused() -> None:
    with pytest.raises(ValueError, match=r"""^there is no blas='mkl'\n  hint: use blas="scipy", or leave it out$"""):
        fs.grad(loss, blas="mkl")
    with pytest.raises(fs.ArgumentError, match="fs.grad has no argument blas in a program"):
        fs.function(lambda a, b, c: fs.grad(loss, blas="scipy")(a, b, c))(*matrices(3, 3), np.ones((3, 3)))


def test_without_scipy_it_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.linalg.cython_blas", None)
    monkeypatch.delattr("scipy.linalg.cython_blas")
    scipy_blas.cache_clear()
    with pytest.raises(
        fs.ArgumentError, match=r"(?s)^blas=\"scipy\" wants SciPy, .*hint: pip install scipy, or leave blas out"
    ):
        fs.grad(loss, blas="scipy")
    scipy_blas.cache_clear()


@pytest.mark.parametrize(("name", "capsule"), [("dgemm", "dgemv"), ("sgemm", "dgemm"), ("sgemv", None)])
def test_a_blas_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, capsule: str | None) -> None:
    from scipy.linalg import cython_blas

    capsules = dict(cython_blas.__pyx_capi__)
    capsules[name] = None if capsule is None else capsules[capsule]
    monkeypatch.setattr(cython_blas, "__pyx_capi__", {k: v for k, v in capsules.items() if v is not None})
    scipy_blas.cache_clear()
    with pytest.raises(fs.ArgumentError, match=f'blas="scipy": {name} of this SciPy is .*, where integers of 32 bits'):
        fs.grad(loss, blas="scipy")
    scipy_blas.cache_clear()


def test_a_blas_that_does_not_keep_what_is_not_finite_is_refused() -> None:
    def of_zeros(*given: int) -> None:
        """One that never writes."""

    gemm = GEMM(of_zeros)
    with pytest.raises(fs.ArgumentError, match="takes 0 · ∞ for 0, or does not multiply float64"):
        refuse_other_numbers(ctypes.cast(gemm, ctypes.c_void_p).value, scipy_blas()[1], np.float64)


# -- C that is exported ----------------------------------------------------------------------------------------------------

CALLER = """
#include <stdio.h>
#include <stdlib.h>
#include "product.h"
int main(void) {
    enum { n = 150 };
    double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = malloc(n * n * sizeof *c), sum = 0;
    for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5;
    fs_error error;
    if (product(a, n, n, b, n, n, c, &error)) return 1;
    for (int i = 0; i < n * n; ++i) sum += c[i] * (i % 3);
    printf("%.0f", sum);
    return 0;
}
"""

STAND_IN = """
enum { CblasColMajor = 102, CblasNoTrans = 111, CblasTrans = 112 };
#include <stdio.h>
static inline void cblas_dgemm(int order, int of_a, int of_b, int m, int n, int k, double alpha, const double *a, int next_a,
        const double *b, int next_b, double beta, double *c, int next_c) {
    if (order != CblasColMajor || alpha != 1) return;
    printf("by cblas: ");
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l)
                sum += (of_a == CblasTrans ? a[l + i * next_a] : a[i + l * next_a])
                    * (of_b == CblasTrans ? b[j + l * next_b] : b[l + j * next_b]);
            c[i + j * next_c] = beta == 0 ? sum : beta * c[i + j * next_c] + sum;
        }
}
static inline void cblas_dgemv(int order, int of_a, int m, int n, double alpha, const double *a, int next, const double *x,
        int step, double beta, double *y, int step_y) {
    (void)order, (void)of_a, (void)m, (void)n, (void)alpha, (void)a, (void)next, (void)x, (void)step, (void)beta, (void)y;
    (void)step_y;
}
"""


def wanted_sum() -> str:
    a, b = [np.arange(150 * 150).reshape(150, 150) % k for k in (7, 5)]
    return f"{np.sum((a @ b).reshape(-1) * (np.arange(150 * 150) % 3)):.0f}"


def exported(folder: Path, **options: object) -> None:
    def product(a, b):
        return a @ b

    fs.function(product, **options).save(folder / "product.c", np.ones((2, 2)), np.ones((2, 2)))
    (folder / "main.c").write_text(CALLER)


def run(folder: Path, *flags: str) -> str:
    line = [
        *COMPILER,
        "-std=c99",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "main.c",
        "product.c",
        "-o",
        "main",
        *flags,
        "-lm",
    ]
    subprocess.run(line, cwd=folder, check=True, capture_output=True)
    return subprocess.run([folder / "main"], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("options", [{}, {"blas": "scipy"}], ids=repr)
def test_exported_c_calls_cblas_if_it_is_told_to(tmp_path: Path, options: dict[str, object]) -> None:
    exported(tmp_path, **options)
    (tmp_path / "cblas.h").write_text(STAND_IN)
    assert run(tmp_path) == wanted_sum()
    assert run(tmp_path, "-DFS_CBLAS", "-I.") == f"by cblas: {wanted_sum()}"


def test_exported_c_with_the_cblas_of_this_machine(tmp_path: Path) -> None:
    exported(tmp_path)
    (tmp_path / "has.c").write_text("#include <cblas.h>\nint main(void) { return cblas_ddot(0, 0, 1, 0, 1) != 0; }")
    for library in ("-lopenblas", "-lcblas", "-lblas"):
        line = [*COMPILER, "has.c", "-o", "has", library]
        if subprocess.run(line, cwd=tmp_path, capture_output=True, check=False).returncode == 0:
            assert run(tmp_path, "-DFS_CBLAS", library) == wanted_sum()
            return
    pytest.skip("no cblas to link with: apt install libopenblas-dev")


def test_a_library_takes_blas_only_where_it_may_have_data_of_its_own(tmp_path: Path) -> None:
    def product(a, b):
        return a @ b

    example = {"product": (np.ones((2, 2)), np.ones((2, 2)))}
    for memory, takes in (("heap", True), ("caller", False)):
        path, header = fs.library("linear", product=fs.function(product, blas="scipy"), memory=memory).save(
            tmp_path / memory, example=example
        )
        assert ("linear_blas" in header.read_text()) == takes
        assert ("linear_blas" in path.read_text()) == takes
        assert "cblas_dgemm" in path.read_text()
