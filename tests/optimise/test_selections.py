"""What a mask or a filter selects is not stored where it is only reduced, neither for values nor for derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=50), RNG.normal(size=50)
NONE = -np.abs(X)


def squares(x, y):
    return np.sum(x[x > 0.0] ** 2)


def by_mask(x, y):
    m = y > 0.0
    return np.sum(x[m])


def two_arrays(x, y):
    return np.mean((x[y > 0.0] - y[y > 0.0]) ** 2)


def several(x, y):
    w = x[y > 0.0]
    return np.sum(w) / len(w) + np.sum(w * np.exp(w))


def variance(x, y):
    return np.var(x[x < y])


def filtered(x, y):
    chosen = [a * b for a, b in zip(x, y, strict=True) if a > b]
    return sum(chosen) / len(chosen)


def weighted(x, y):
    return x[x > 0.0] @ y[x > 0.0]


def product(x, y):
    return np.prod(x[np.abs(x) > 0.5])


def largest(x, y):
    return np.max(x[x < 1.0]) - np.min(y[x < 1.0])


def decided(x, y):
    return np.sum(x) if np.all(x[y > 0.0] > -5.0) and np.any(x[y > 0.0] > 0.0) else 0.0


def matrix(x, y):
    A = x.reshape(5, 10)
    return np.sum(A[A > 0.0] ** 2)


def rows(x, y):
    A = x.reshape(10, 5)
    return np.sum(A[y[:10] > 0.0] ** 2)


TOTALS = [squares, by_mask, two_arrays, several, variance, filtered, weighted, product, matrix, rows]


@pytest.mark.parametrize("f", [*TOTALS, largest, decided], ids=lambda f: f.__name__)
def test_nothing_is_stored_for_a_value(f: Callable[..., float]) -> None:
    g = fs.function(f)
    assert g(X, Y) == pytest.approx(f(X, Y), rel=1e-12)
    assert "no array is stored" in g.explain(X, Y)


@pytest.mark.parametrize("f", [t for t in TOTALS if t is not product], ids=lambda f: f.__name__)
def test_nothing_is_stored_for_a_gradient(f: Callable[..., float]) -> None:
    g = fs.grad(f, wrt="x", method="reverse")
    fs.check_derivative(f, X, Y)
    forward = fs.jvp(f, wrt="x")(X, Y, Y)[1]
    assert forward == pytest.approx(float(g(X, Y) @ Y), rel=1e-9)
    assert "no array is stored but the results" in g.explain(X, Y)


def test_nothing_selected() -> None:
    """Sums of nothing are 0, products 1; of nothing there is no largest, which the error says where the user asked."""
    assert fs.function(squares)(NONE, Y) == 0.0
    assert fs.function(product)(np.zeros(4), Y) == 1.0
    assert fs.function(squares)(np.zeros(0), Y) == 0.0
    assert not fs.grad(squares)(NONE, Y).any()
    for x in (X + 9.0, np.zeros(0)):
        with pytest.raises(fs.EmptyError, match=r"np\.max\(x\[x < 1\.0\]\)"):
            fs.function(largest)(x, Y[: len(x)])


def test_extremes_of_what_is_selected() -> None:
    """NaN among the selected is the largest, elsewhere it is nothing; infinities are numbers."""

    def chosen(x, k):
        return np.max(x[k]), np.min(x[k])

    f = fs.function(chosen)
    x, k = np.array([np.nan, 1.0, -np.inf, 2.0]), np.array([False, True, False, True])
    assert f(x, k) == (2.0, 1.0)
    assert f(np.array([3.0, -np.inf, 9.0, -np.inf]), k) == (-np.inf, -np.inf)
    assert np.isnan(f(x, ~k)).all()
    assert f(np.array([3, 1, 9, 2]), k) == (2, 1)


def test_the_gradient_of_the_largest_is_at_the_selected() -> None:
    """Also where it is -inf, which elements that are not selected are too."""
    g = fs.grad(lambda x, k: np.max(x[k]), wrt="x")
    k = np.array([False, True, True])
    assert np.array_equal(g(np.array([-np.inf, -np.inf, -np.inf]), k), [0.0, 1.0, 0.0])
    assert np.array_equal(g(np.array([9.0, 1.0, 3.0]), k), [0.0, 0.0, 1.0])


def test_what_fails_in_an_element_fails() -> None:
    """The elements of a selection are computed, whatever the reduction does with them."""

    def first_large(x, i):
        w = [x[j] for j in i if j > 0]
        return any([a > 1.0 for a in w])

    f = fs.function(first_large)
    assert f(np.array([0.0, 2.0]), np.array([0, 1])) is True
    with pytest.raises(IndexError):
        f(np.array([0.0, 2.0]), np.array([1, 7]))
    assert f(np.array([0.0, 2.0]), np.array([-7, 1])) is True


def test_a_selection_that_is_returned_is_stored_once() -> None:
    f = fs.function(lambda x: (x[x > 0.0], np.sum(x[x > 0.0])))
    selected, total = f(X)
    assert np.array_equal(selected, X[X > 0.0])
    assert total == pytest.approx(np.sum(X[X > 0.0]))
