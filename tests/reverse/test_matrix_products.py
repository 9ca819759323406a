"""Cotangents of products of matrices are products of matrices: r Bᵀ and Aᵀ r, whatever the product is part of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

RNG = np.random.default_rng(7)
A, B, C = RNG.normal(size=(9, 11)), RNG.normal(size=(11, 10)), RNG.normal(size=(9, 10))
W = RNG.normal(size=(10, 10))


def multiplications(function: fs.Function, *args: object) -> int:
    kernel = function.compiled(*args).loops.kernel
    return sum([isinstance(s, t.Multiply) for s in walk(kernel.body)])


def squares(a, b):
    return np.sum((a @ b) ** 2)


def transposed(a, b):
    return np.sum(np.sin(b.T @ a.T))


def written_out(a, b):
    c = [[np.exp(-sum(a[i, k] * b[k, j] for k in range(len(b)))) for j in range(b.shape[1])] for i in range(len(a))]
    return np.sum(np.array(c))


def by_einsum(a, b):
    return np.sum(np.cos(np.einsum("ik,kj->ij", a, b)))


def gradient_of(outer: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    r = outer(A @ B)
    return r @ B.T, A.T @ r


@pytest.mark.parametrize(
    ("program", "outer"),
    [
        (squares, lambda c: 2 * c),
        (transposed, np.cos),
        (written_out, lambda c: -np.exp(-c)),
        (by_einsum, lambda c: -np.sin(c)),
    ],
)
def test_one_product_forwards_and_two_backwards(program, outer) -> None:
    g = fs.grad(program, wrt=("a", "b"), method="reverse")
    for found, wanted in zip(g(A, B), gradient_of(outer), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert multiplications(g, A, B) == 3


def layers(w, v, b, x, y):
    hidden = np.tanh(x @ w + b)
    return np.sum((hidden @ v - y) ** 2)


def test_layers_take_two_products_forwards_and_three_backwards() -> None:
    x, y = RNG.normal(size=(12, 9)), RNG.normal(size=(12, 10))
    w, v, b = RNG.normal(size=(9, 11)), RNG.normal(size=(11, 10)), RNG.normal(size=11)
    g = fs.grad(layers, wrt=("w", "v", "b"), method="reverse")
    hidden = np.tanh(x @ w + b)
    r = 2 * (hidden @ v - y)
    inner = (r @ v.T) * (1 - hidden**2)
    for found, wanted in zip(g(w, v, b, x, y), (x.T @ inner, hidden.T @ r, inner.sum(0)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert multiplications(g, w, v, b, x, y) == 5


def test_both_factors_may_be_the_same() -> None:
    g = fs.grad(lambda w: np.sum(np.sin(w @ w)), method="reverse")
    r = np.cos(W @ W)
    np.testing.assert_allclose(g(W), r @ W.T + W.T @ r, rtol=1e-12, atol=1e-12)


def test_a_part_of_a_factor() -> None:
    """What is not multiplied receives nothing."""
    g = fs.grad(lambda a, b: np.sum(np.sin(a[1:, ::2] @ b[: (a.shape[1] + 1) // 2])), wrt=("a", "b"), method="reverse")
    r = np.cos(A[1:, ::2] @ B[:6])
    a_bar, b_bar = np.zeros_like(A), np.zeros_like(B)
    a_bar[1:, ::2], b_bar[:6] = r @ B[:6].T, A[1:, ::2].T @ r
    for found, wanted in zip(g(A, B), (a_bar, b_bar), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_products_in_a_loop() -> None:
    """Each step adds to the cotangent of the matrix where it is."""

    def steps(w, x):
        for _ in range(3):
            x = np.tanh(x @ w)
        return np.sum(x)

    g = fs.grad(steps, method="reverse")
    x = RNG.normal(size=(9, 10))
    states = [x]
    for _ in range(3):
        states.append(np.tanh(states[-1] @ W))
    r, wanted = np.ones_like(x), np.zeros_like(W)
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        inner = r * (1 - after**2)
        wanted += before.T @ inner
        r = inner @ W.T
    np.testing.assert_allclose(g(W, x), wanted, rtol=1e-11, atol=1e-12)


def test_batches() -> None:
    a, b = RNG.normal(size=(4, 9, 10)), RNG.normal(size=(4, 10, 11))
    g = fs.grad(lambda a, b: np.sum(np.sin(a @ b)), wrt=("a", "b"), method="reverse")
    r = np.cos(a @ b)
    for found, wanted in zip(g(a, b), (r @ b.swapaxes(1, 2), a.swapaxes(1, 2) @ r), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_forward_and_second_derivatives() -> None:
    """Ȧ B + A Ḃ, and what a Hessian times a vector is of both."""
    da, db = RNG.normal(size=A.shape), RNG.normal(size=B.shape)

    def f(a, b):
        return np.sin(a @ b)

    _, tangent = fs.jvp(f, wrt=("a", "b"))(A, B, tangent=(da, db))
    np.testing.assert_allclose(tangent, np.cos(A @ B) * (da @ B + A @ db), rtol=1e-12, atol=1e-12)
    h = fs.hvp(squares)(A, B, tangent=da)
    np.testing.assert_allclose(h, 2 * da @ B @ B.T, rtol=1e-12, atol=1e-12)


def over_pairs(a, b):
    return sum(np.exp(-sum(a[i, k] * b[k, j] for k in range(len(b)))) for i in range(len(a)) for j in range(b.shape[1]))


def test_sums_over_pairs_store_no_pairs() -> None:
    """10¹⁰ pairs would not fit into memory; a product that has a name is stored, as in NumPy."""
    for verb in (fs.function, fs.grad):
        f = verb(over_pairs)
        assert multiplications(f, A, B) == 0
        stored = [s.count for s in walk(f.compiled(A, B).loops.kernel.body) if isinstance(s, t.Allocate)]
        assert not [count for count in stored if isinstance(count, t.Operation)]
    np.testing.assert_allclose(fs.grad(over_pairs)(A, B), -np.exp(-(A @ B)) @ B.T, rtol=1e-12, atol=1e-12)
