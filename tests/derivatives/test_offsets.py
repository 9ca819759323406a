"""What is subtracted and added again, or divided by and multiplied with, has no derivative of its own: `logsumexp`, `softmax`, `norm`.

Expected values are SciPy's, and closed forms: the gradient of log-sum-exp is the softmax s, its Hessian diag(s) - s sᵀ.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

import fsmooth as fs
from tests.verbs.parts import assert_same

ROWS = {
    "different": np.array([0.5, -1.5, 2.0, 0.25]),
    "equal": np.array([3.0, 3.0, 3.0]),
    "one": np.array([-7.25]),
    "large": np.array([1e300, 1e300, -1e300]),
    "far apart": np.array([-800.0, 5.0, 4.0, 710.0]),
    "some of nothing": np.array([-np.inf, 0.5, 1.5, -np.inf]),
}
METHODS = ("forward", "reverse")
INF = np.inf


def lse(v):  # type: ignore[no-untyped-def]
    return fs.logsumexp(v)


def norm(v):  # type: ignore[no-untyped-def]
    return fs.norm(v)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ROWS)
def test_the_gradient_is_the_softmax(name: str, method: str) -> None:
    v = ROWS[name]
    assert fs.function(lse)(v) == pytest.approx(logsumexp(v), rel=1e-15)
    assert_same(fs.grad(lse, method=method)(v), softmax(v))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ROWS)
def test_the_hessian_is_that_of_the_softmax(name: str, method: str) -> None:
    s = softmax(ROWS[name])
    assert_same(fs.hessian(lse, method=method)(ROWS[name]), np.diag(s) - np.outer(s, s))
    assert_same(fs.jacobian(lambda v: fs.softmax(v), method=method)(ROWS[name]), np.diag(s) - np.outer(s, s))


@pytest.mark.parametrize("method", METHODS)
def test_a_row_of_nothing_has_derivative_0(method: str) -> None:
    v = np.array([-INF, -INF, -INF])
    assert fs.function(lse)(v) == -INF
    assert_same(fs.grad(lse, method=method)(v), np.zeros(3))
    assert_same(fs.hessian(lse, method=method)(v), np.zeros((3, 3)))


@pytest.mark.parametrize("method", METHODS)
def test_infinity_and_nan_are_the_results_that_they_are(method: str) -> None:
    assert fs.function(lse)(np.array([1.0, INF, -INF])) == INF
    found = fs.grad(lse, method=method)(np.array([1.0, INF, -INF]))
    assert_same(found[[0, 2]], np.zeros(2))
    assert np.isnan(fs.function(lse)(np.array([1.0, np.nan, INF])))
    assert np.isnan(fs.grad(lse, method=method)(np.array([1.0, np.nan]))).all()


@pytest.mark.parametrize("method", METHODS)
def test_columns_of_nothing_among_others(method: str) -> None:
    """In strips of columns, too."""
    a = np.random.default_rng(3).standard_normal((5, 100))
    a[:, 7] = a[:, 80] = -INF
    a[2, 20] = -INF

    def total(a, w):  # type: ignore[no-untyped-def]
        return sum(w[i] * fs.exp(fs.logsumexp([a[k, i] for k in range(len(a))])) for i in range(a.shape[1]))

    w = np.linspace(1.0, 2.0, 100)
    assert_same(fs.grad(total, method=method)(a, w), w * np.exp(a))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_norms_that_are_scaled(scale: float, method: str) -> None:
    v = scale * np.array([3.0, -4.0, 12.0])
    assert fs.function(norm)(v) == pytest.approx(13.0 * scale, rel=1e-15)
    assert_same(fs.grad(norm, method=method)(v), np.array([3.0, -4.0, 12.0]) / 13.0)
    assert_same(fs.grad(norm, method=method)(0.0 * v), np.zeros(3))


@pytest.mark.parametrize("method", METHODS)
def test_no_place_of_the_largest_is_looked_for(method: str) -> None:
    def body(f) -> str:  # type: ignore[no-untyped-def]
        return fs.grad(f, method=method).c_source(ROWS["different"]).split("\nint32_t ", 1)[1]

    assert "argmax" in body(lambda v: max(v))
    for f in (lse, norm, lambda v: fs.sum(fs.softmax(v) * v), lambda v: v[0] * fs.stop_gradient(max(v))):
        assert "argmax" not in body(f)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("step", [np.floor, np.ceil, np.sign, fs.stop_gradient])
def test_nothing_flows_through_steps(step, method: str) -> None:  # type: ignore[no-untyped-def]
    """Of what they are applied to, no derivative is computed: here it would be that of a square root."""

    def f(v):  # type: ignore[no-untyped-def]
        return v[0] * step(10.0 * sum(fs.sqrt(x) for x in v))

    v = np.array([0.0, 2.0])
    assert_same(fs.grad(f, method=method)(v), np.array([step(10.0 * np.sqrt(2.0)), 0.0]))
