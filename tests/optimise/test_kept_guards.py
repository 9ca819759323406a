"""What does not depend on an argument has the slope 0, though it is infinite; and which products need no guard."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.optimise import kept_guards
from tests.sources import function_of


def energy(x):
    r2 = (x[:, None] - x[None, :]) ** 2
    np.fill_diagonal(r2, np.inf)
    return np.sum(1 / r2**3)


def by_where(x):
    r2 = (x[:, None] - x[None, :]) ** 2
    return np.sum(1 / np.where(np.eye(len(x)) > 0, np.inf, r2) ** 3)


def by_value(x):
    r2 = (x[:, None] - x[None, :]) ** 2
    return np.sum(1 / np.where(r2 > 0, r2, np.inf) ** 3)


def padded(x):
    d = np.full(len(x) + 1, np.inf)
    d[:-1] = x
    return np.sum(np.exp(-(d**2)))


def first_is_infinite(x):
    y = x.copy()
    y[0] = np.inf
    return np.sum(1 / y**2)


def large_are_infinite(x):
    y = x.copy()
    for i in range(len(x)):
        if x[i] > 2.0:
            y[i] = np.inf
    return np.sum(1 / y**2)


X = np.array([1.0, 2.5, 4.5])
GAPS = X[:, None] - X + np.diag(np.full(3, np.inf))
OF_PAIRS = np.sum(-12 / GAPS**7, axis=1)


@pytest.mark.parametrize(
    ("f", "slopes"),
    [
        (energy, OF_PAIRS),
        (by_where, OF_PAIRS),
        (by_value, OF_PAIRS),
        (padded, -2 * X * np.exp(-(X**2))),
        (first_is_infinite, [0.0, *-2 / X[1:] ** 3]),
        (large_are_infinite, [-2.0, 0.0, 0.0]),
    ],
)
def test_constants_that_are_infinite(f, slopes) -> None:
    for method in ("forward", "reverse", "tape"):
        np.testing.assert_allclose(fs.grad(f, method=method)(X), slopes, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(fs.jacobian(f)(X), slopes, rtol=1e-12, atol=1e-14)
    for e in (*np.eye(3), np.ones(3)):
        assert fs.jvp(f)(X, tangent=e)[1] == pytest.approx(np.dot(slopes, e), rel=1e-12, abs=1e-14)
    curvature = fs.hessian(f)(X)
    assert np.all(np.isfinite(curvature))
    np.testing.assert_allclose(curvature, curvature.T, rtol=1e-12, atol=1e-14)


def test_numbers_that_are_not_to_be_multiplied_stay_so() -> None:
    """Zero times infinity is no number where the program says so."""
    product = fs.function(lambda x: x * np.where(x > 1.0, 1.0, np.inf))
    assert np.isnan(product(0.0))
    assert product(2.0) == 2.0


def of_mean(X, y, w):
    return np.nanmean(np.tanh(X * w) * w)


def of_largest(X, y, w):
    return np.nanmax(np.tanh(X * w) * w)


def of_variance(X, y, w):
    return np.nanvar(X @ w)


def of_medians(X, y, w):
    return np.sum(np.nanmedian(X * w, axis=0))


def of_those_that_are_numbers(X, y, w):
    r = X @ w - y
    return np.sum(r[~np.isnan(r)] ** 2)


def in_a_loop(X, y, w):
    total = 0.0
    for i in range(len(y)):
        r = X[i] @ w - y[i]
        if np.isnan(r):
            continue
        total += r * r
    return total


def of_whole_rows(X, y, w):
    """A condition that is a loop is not computed again for each product."""
    known = ~np.isnan(X).any(axis=1) & np.isfinite(y)
    r = X @ w - y
    return np.sum(np.where(known, r * r, 0.0))


def of_products(X, y, w):
    """A cotangent is a sum of such that are kept."""
    pairs = np.outer(y, y) * w[0]
    return np.sum(np.where(np.isnan(pairs), 0, pairs) ** 2)


OF_DATA = [
    of_mean,
    of_largest,
    of_variance,
    of_medians,
    of_those_that_are_numbers,
    in_a_loop,
    of_whole_rows,
    of_products,
]
X_GAPS = np.array([[0.3, -0.7, 0.4], [1.1, np.nan, -0.2], [0.5, 0.9, 1.3], [-0.8, 0.2, 0.6], [np.nan, 0.1, -1.2]])
Y_GAPS = np.array([0.2, -0.4, np.nan, 1.5, 0.7])
W = np.array([0.3, 0.4, -0.2])


@pytest.mark.parametrize("f", OF_DATA)
def test_data_that_have_gaps(f) -> None:
    """Where a program asks what is a number, what is given need not be one: the slope at the others is a difference quotient."""
    data = {"X": X_GAPS, "y": Y_GAPS, "w": W}
    for wrt, at in data.items():
        slopes = np.zeros_like(at)
        for place in np.ndindex(at.shape):
            values = []
            for step in (1e-6, -1e-6):
                moved = at.copy()
                moved[place] += step
                values.append(f(**{**data, wrt: moved}))
            slopes[place] = (values[0] - values[1]) / 2e-6
        for method in ("forward", "reverse", "tape"):
            np.testing.assert_allclose(fs.grad(f, wrt=wrt, method=method)(**data), slopes, rtol=1e-6, atol=1e-8)


def test_second_derivatives_of_data_that_have_gaps() -> None:
    def finite(z):
        return np.nansum(np.where(np.isinf(z), np.nan, z**2))

    z = np.array([1.0, np.inf, 2.0, -1.0])
    for inner in ("forward", "reverse"):
        for outer in ("forward", "reverse", "tape"):
            found = fs.jacobian(fs.grad(finite, method=inner), method=outer)(z)
            np.testing.assert_allclose(found, np.diag([2.0, 0.0, 2.0, 2.0]))


def test_a_condition_that_is_a_loop_is_computed_once_a_row() -> None:
    gradient = fs.grad(of_whole_rows, wrt="w", method="reverse")
    assert np.all(np.isfinite(gradient(X_GAPS, Y_GAPS, W)))
    optimised = gradient.explain().split("optimised:")[1].split("loops:")[0]
    assert optimised.count("any (length w)") == 1


def relu(x, w):
    """What is multiplied is finite: it was given."""
    h = np.maximum(x * w, 0.0)
    return np.sum(h * h * w)


def unused(x, w):
    z = np.sqrt(x) ** 3
    return np.sum(np.where(z > 0, z, 0.0) * w)


def under_the_condition(x, w):
    """The cotangent is multiplied in the branch that it comes from."""
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            z = np.sqrt(x[i])
            total += z * z * z * w[i]
    return total


@pytest.mark.parametrize(("f", "guarded"), [(relu, False), (unused, True), (under_the_condition, False)])
def test_where_guards_are_kept(f, guarded) -> None:
    gradient = fs.grad(f, method="reverse")
    x, w = np.array([0.5, 2.0]), np.array([1.0, -1.0])
    gradient(x, w)
    assert ("guards kept" in gradient.explain()) is guarded


def test_guards_are_found_once(monkeypatch) -> None:
    """Of conditions one after the other: each value is read twice by the next."""
    found = []
    own = kept_guards._Walk._found
    monkeypatch.setattr(kept_guards._Walk, "_found", lambda walk, *what: found.append(what) or own(walk, *what))

    def looked_at(n: int) -> int:
        steps = [
            f"    if s > {k}.5:\n        s = s * x[1] + {k}.0\n    elif s < -{k}:\n        s = s + x[0]\n"
            for k in range(n)
        ]
        f = function_of(f"def f(x):\n    s = x[0]\n{''.join(steps)}    return s\n", f"<guards {n}>", "f")
        found.clear()
        assert np.all(np.isfinite(fs.grad(f, method="reverse")(X)))
        return len(found)

    assert 0 < looked_at(20) < 3 * looked_at(10)
