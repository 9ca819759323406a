"""Rows that are sums of the rows of a matrix are products: Hessians of regressions, weighted Gram matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs

PASS = "sums of rows multiplied"


def logistic(w, X, y):
    loss = 0.0
    for i in range(len(y)):
        loss += np.log(1.0 + np.exp(-y[i] * (X[i] @ w)))
    return loss + 0.01 * (w @ w)


def poisson(w, X, y):
    eta = X @ w
    return np.sum(np.exp(eta) - y * eta)


def robust(w, X, y):
    r = X @ w - y
    return np.sum(r * r / (1.0 + r * r))


def gram(X, c):
    n, d = X.shape
    return np.array([sum(-np.cos(c[i]) * X[i, r] * X[i] for i in range(n)) for r in range(d)])


def gram_by_elements(X, c):
    n, d = X.shape
    return np.array([[sum(-(c[i] * X[i, r] * X[i, k]) for i in range(n)) for k in range(d)] for r in range(d)])


def weighted(X, c, r):
    t = [np.sin(c[i]) * X[i, r] for i in range(len(X))]
    return [sum(t[i] * X[i, k] for i in range(len(X))) for k in range(len(X[0]))]


def gram_by_rows(X, c):
    return np.array([weighted(X, c, r) for r in range(len(X[0]))])


def problem(n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + d)
    return 0.3 * rng.standard_normal(d), rng.standard_normal((n, d)), np.sign(rng.standard_normal(n))


@pytest.mark.parametrize("loss", [logistic, poisson, robust])
def test_hessians_are_products(loss: Callable[..., float]) -> None:
    hessian = fs.hessian(loss, wrt="w")
    for n, d in ((0, 3), (1, 1), (7, 3), (40, 9), (33, 17)):
        w, X, y = problem(n, d)
        found = hessian(w, X, y)
        gradient = fs.grad(loss, wrt="w")
        step = 1e-5
        columns = [(gradient(w + step * e, X, y) - gradient(w - step * e, X, y)) / (2 * step) for e in np.eye(d)]
        np.testing.assert_allclose(found, np.array(columns), rtol=1e-6, atol=1e-8)
    assert "fs_product_f64(" in hessian.c_source()
    assert (PASS in hessian.explain()) is (loss is logistic)  # what has a matrix by a vector is a product before


@pytest.mark.parametrize("program", [gram, gram_by_elements, gram_by_rows])
def test_weighted_matrices(program: Callable[..., np.ndarray]) -> None:
    """By the sum of rows, of elements with a sign, and of rows that are computed first; and their derivatives."""
    both = fs.function(program)
    for n, d in ((1, 1), (7, 3), (40, 9)):
        _, X, c = problem(n, d)
        np.testing.assert_allclose(both(X, c), program(X, c), rtol=1e-12, atol=1e-13)
        found = [
            fs.grad(lambda X, c: np.sum(np.tanh(program(X, c))), wrt=(0, 1), method=method)(X, c)
            for method in ("reverse", "tape", "forward")
        ]
        for other in found[1:]:
            for a, b in zip(found[0], other, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    assert "fs_product_f64(" in both.c_source()


def test_what_is_added_to_the_rows_stays() -> None:
    def ridge(X, c):
        return np.array([sum(c[i] * X[i, r] * X[i] for i in range(len(X))) + c[r] for r in range(len(X[0]))])

    _, X, c = problem(20, 9)
    np.testing.assert_allclose(fs.function(ridge)(X, c), ridge(X, c), rtol=1e-12)


def rows_of_each(X, Y, c):
    """Each row of the result is made of the rows of a matrix of its own."""
    return np.array([sum(c[i] * X[i, r] * Y[r, i] for i in range(len(c))) for r in range(len(Y))])


def if_positive(X, Y, c):
    return np.array([sum(X[i, r] * X[i] for i in range(len(c))) if c[r] > 0 else X[0] for r in range(len(X[0]))])


def small(X, Y, c):
    return np.array([sum(X[i, r] * X[i, :3] for i in range(len(c))) for r in range(3)])


@pytest.mark.parametrize("program", [rows_of_each, if_positive, small])
def test_what_is_none(program: Callable[..., np.ndarray]) -> None:
    _, X, c = problem(12, 9)
    Y = np.random.default_rng(1).standard_normal((9, 12, 4))
    made = fs.function(program)
    np.testing.assert_allclose(made(X, Y, c), program(X, Y, c), rtol=1e-12, atol=1e-14)
    assert PASS not in made.explain()
