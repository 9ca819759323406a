"""Derivatives of branches that are not taken: what two of them share is not differentiated where neither is taken."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs


def two_roots(x):
    a = -1.0 if x < 0 else np.sqrt(x)
    b = 0.0 if x < 0 else 2 * np.sqrt(x)
    return a * b


def logarithms(x):
    total = 0.0
    for v in x:
        a = -1.0 if v < 0 else np.sqrt(v)
        b = 1.0 if v < 0 else 2 * np.log(v)
        c = 1.0 if v < 0 else 2 * np.log(v) * np.sqrt(v)
        total += a * b * c * v
    return total


def named(x):
    if x[0] < 0:
        return 1.0
    s = np.sqrt(x[0])
    return s * s + s + x[1]


def overflowing(x):
    total = 0.0
    for v in x:
        total += (np.exp(v) if v < 700.0 else 1.0) * (np.exp(v) * v if v < 700.0 else 0.0)
    return total


def hit(o, d, r):
    b = np.dot(o, d)
    s = b * b - np.dot(o, o) + r * r
    if s < 0:
        return -1.0
    t = -b - np.sqrt(s)
    return t if t > 0 else -1.0


def rays(p):
    total = 0.0
    for i in range(4):
        d = np.array([0.3 * i - 0.2, 0.1, 1.0])
        d = d / np.sqrt(d @ d)
        t = hit(np.array([0.0, 0.0, -5.0]) - p[:3], d, p[3])
        total += 0.1 if t < 0 else t**2 + np.log(t)
    return total


CASES = [
    (two_roots, -1.0),
    (logarithms, np.array([-1.0, 2.0])),
    (named, np.array([-1.0, 0.5])),
    (overflowing, np.array([1000.0, 0.5])),
    (rays, np.array([0.1, 0.05, 0.2, 1.3])),
]


@pytest.mark.parametrize(("f", "x"), CASES)
def test_derivatives_of_both_modes_are_finite_and_agree(f, x) -> None:
    gradients = [np.asarray(fs.grad(f, method=m)(x)) for m in ("forward", "reverse")]
    hessians = [np.asarray(fs.hessian(f, method=m)(x)) for m in ("forward", "reverse")]
    assert np.all(np.isfinite(gradients[0]))
    np.testing.assert_allclose(*gradients, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(*hessians, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(fs.vjp(f)(x)[1](1.0), gradients[0], rtol=1e-12, atol=1e-12)
    direction = np.ones_like(x) if np.ndim(x) else 1.0
    along = np.asarray(fs.hvp(f)(x, tangent=direction))
    np.testing.assert_allclose(along, hessians[0] @ direction if np.ndim(x) else hessians[0], rtol=1e-10, atol=1e-10)


def test_what_both_branches_need_is_computed_once_in_what_is_not_differentiated() -> None:
    source = fs.function(two_roots).c_source(1.0)
    assert source.split("two_roots(")[1].count("sqrt(") == 1


def of_numbers(x):
    """Where it is a number is asked of what has none."""
    y = np.sqrt(x)
    return np.sum(np.where(np.isnan(y), 0.0, y)) + np.nansum(np.sqrt(x)) + np.sum(y[~np.isnan(y)])


def of_a_number(x):
    total = 0.0
    for v in x:
        y = np.log(v)
        if np.isnan(y):
            continue
        total += y * y
    return total


@pytest.mark.parametrize("method", ["forward", "reverse", "tape", "auto"])
@pytest.mark.parametrize(
    ("f", "slopes"), [(of_numbers, [0.0, 0.75, 0.5]), (of_a_number, [0.0, np.log(4.0) / 2, np.log(9.0) / 4.5])]
)
def test_what_is_not_a_number_is_not_taken(f, slopes, method) -> None:
    x = np.array([-1.0, 4.0, 9.0])
    np.testing.assert_allclose(fs.grad(f, method=method)(x), slopes, rtol=1e-12)
