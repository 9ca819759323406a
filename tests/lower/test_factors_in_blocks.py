"""Factors of products that are computed in blocks: the same bits as of factors that are stored, in all sizes and orders."""

from __future__ import annotations

import re

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.products import kernel
from fsmooth.core.types import F64
from fsmooth.loops import tree as t
from fsmooth.loops.passes.factors_in_blocks import DEPTH
from fsmooth.loops.usage import walk

RNG = np.random.default_rng(11)
PROGRAMS = {
    "left": (lambda A, w, B: (A * w) @ B, lambda A, w, B: (A * w, B)),
    "left, across": (lambda A, w, B: (A.T * w[0]).T @ B, lambda A, w, B: ((A.T * w[0]).T.copy(), B)),
    "right": (lambda A, w, B: B.T @ (A.T * w[1]), lambda A, w, B: (B.T.copy(), (A.T * w[1]).copy())),
    "right, rows": (lambda A, w, B: A @ (B * w[2]), lambda A, w, B: (A, B * w[2])),
    "of rows": (lambda A, w, B: np.tanh(A - w) @ B, None),
}
SIZES = [
    (600, 300, 20),
    (50, 700, 30),
    (7, 3, 5),
    (97, 257, 256),
    (97, 257, 257),
    (300, 40, 300),
    (0, 5, 3),
    (5, 0, 3),
    (5, 3, 0),
]


def multiplied(a, b):
    return a @ b


def is_in_blocks(f: fs.Function, *arguments: object) -> bool:
    loops = f.compiled(*arguments).loops.kernel.body
    return any([isinstance(s, t.For) and any([isinstance(x, t.Multiply) for x in walk(s.body)]) for s in loops])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_bits_as_of_factors_that_are_stored(name: str, dtype: type) -> None:
    program, stored = PROGRAMS[name]
    f, product = fs.function(program), fs.function(multiplied)
    for m, k, n in SIZES:
        A, B = RNG.normal(size=(m, k)).astype(dtype), RNG.normal(size=(k, n)).astype(dtype)
        weights = {"left, across": (1, m), "right": (2, m), "right, rows": (3, n)}.get(name, (k,))
        w = RNG.random(weights).astype(dtype)
        found = f(A, w, B)
        np.testing.assert_allclose(found, program(A, w, B), rtol=1e-11 if dtype is np.float64 else 1e-3, atol=1e-3)
        if stored is not None:
            np.testing.assert_array_equal(found, product(*stored(A, w, B)))
    assert is_in_blocks(f, A, w, B)


def weighted(A, w):
    return (A.T * w) @ A


def test_a_block_adds_up_as_many_terms_as_the_kernel() -> None:
    assert re.search(rf"^#define FS_DEPTH {DEPTH}$", kernel(F64), re.MULTILINE)


def test_the_factor_is_not_stored_and_is_read_in_the_order_of_memory() -> None:
    f = fs.function(weighted)
    text = f.explain(np.ones((3, 2)), np.ones(3))
    assert "factors in blocks" in text
    assert "array a_block is stored" in text
    assert not re.search("array a is stored", text)
    nests = [s for s in walk(f.stages.loops.kernel.body) if isinstance(s, t.For) and isinstance(s.body[-1], t.For)]
    (nest,) = [s.body[-1] for s in nests if isinstance(s.body[-1].body[-1], t.Store)]
    assert nest.index == "i"  # the column of A


def test_gradients_and_sums() -> None:
    """`+=` of a product in blocks, and the derivative by all that the factor is made of."""

    def loss(A, w, y):
        return np.sum(((A.T * w) @ A + (A.T * (w * w)) @ A - y) ** 2)

    A, w, y = RNG.normal(size=(300, 10)), RNG.random(300), RNG.normal(size=(10, 10))
    np.testing.assert_allclose(fs.function(loss)(A, w, y), loss(A, w, y), rtol=1e-12)
    along, step = RNG.normal(size=300), 1e-6
    wanted = (loss(A, w + step * along, y) - loss(A, w - step * along, y)) / (2 * step)
    np.testing.assert_allclose(fs.grad(loss, wrt="w")(A, w, y) @ along, wanted, rtol=1e-6)


@pytest.mark.parametrize("shape", [(2000, 50), (400, 300), (500, 200)])
def test_the_same_bits_on_any_number_of_threads(shape: tuple[int, int]) -> None:
    A, w = RNG.normal(size=shape), RNG.random(shape[0])
    one, *others = [fs.function(weighted, threads=n)(A, w) for n in (1, 2, 3)]
    for other in others:
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one, fs.function(weighted)(A, w))
    np.testing.assert_allclose(one, weighted(A, w), rtol=1e-10, atol=1e-10)


def test_one_block_is_a_product_in_chunks_on_threads() -> None:
    A, w = RNG.normal(size=(400, 300)), RNG.random(400)
    kernel = fs.function(weighted, threads=2).compiled(A, w).loops.kernel
    parallel = [s for s in walk(kernel.body) if isinstance(s, t.Parallel)]
    assert any([isinstance(s.body[-1], t.Multiply) for s in parallel])


def twice(A, w, B):
    x = A * w
    return x @ B, x


def with_itself(A, w):
    x = A * w
    return x @ x


def from_the_result(A, w, n):
    C = np.zeros_like(A)
    for _ in range(n):
        C = (C * w + A) @ A
    return C


def test_what_is_used_again_stays_stored() -> None:
    A, B, w = RNG.normal(size=(40, 40)), RNG.normal(size=(40, 5)), RNG.random(40)
    assert not is_in_blocks(fs.function(twice), A, w, B)
    np.testing.assert_allclose(fs.function(twice)(A, w, B)[0], (A * w) @ B)
    assert not is_in_blocks(fs.function(with_itself), A, w)
    np.testing.assert_allclose(fs.function(with_itself)(A, w), (A * w) @ (A * w))
    np.testing.assert_allclose(fs.function(from_the_result)(A, w, 3), from_the_result(A, w, 3), rtol=1e-10)


def test_in_memory_of_the_caller_and_by_blas(tmp_path) -> None:
    A, w = np.ones((3, 2)), np.ones(3)
    source, header = fs.library("least", weighted=weighted, memory="caller").save(tmp_path / "least", example=(A, w))
    assert "A_n0" in source.read_text() and "WORK" in header.read_text()
    pytest.importorskip("scipy")
    A, w = RNG.normal(size=(300, 150)), RNG.random(300)
    f = fs.function(weighted, blas="scipy")
    assert not is_in_blocks(f, A, w)
    np.testing.assert_allclose(f(A, w), weighted(A, w), rtol=1e-10, atol=1e-10)
