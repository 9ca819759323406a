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


# What is computed in any case and used only where a condition holds: what flows to it is zero elsewhere, by whatever it is
# multiplied on its way.  Each with its slope where it is used.


def of_a_root(x):
    z = np.sqrt(x) ** 3
    return np.sum(np.where(z > 0, z, 0.0))


def in_two_places(x):
    z = np.sqrt(x)
    return np.sum(np.where(x > 0, z, 0.0)) + np.sum(np.where(x > 1, z * z, 0.0))


def not_infinite(x):
    z = 1 / (x + 1)
    return np.nansum(np.where(np.isinf(z), np.nan, z**2))


def larger(x):
    y = np.maximum(x**0.5, 0.0)
    m = x > 0
    return np.sum(y[m]) + np.sum(np.exp(y)[m])


def in_a_loop(x):
    s = 0.0
    for i in range(len(x)):
        z = np.log(x[i]) * x[i]
        if z > 0.1:
            s += z * z
    return s


def of_stored(x):
    z = np.zeros(len(x))
    for i in range(len(x)):
        z[i] = np.sqrt(x[i]) * np.log(x[i])
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += z[i] * z[i]
    return s


def along_a_loop(x):
    s = 0.0
    for i in range(len(x)):
        z = np.sqrt(x[i])
        y = z
        for _ in range(3):
            y = y * z
        if y > 0:
            s += y
    return s


USED = [
    (of_a_root, lambda x: 1.5 * np.sqrt(x)),
    (in_two_places, lambda x: 0.5 / np.sqrt(x) + (x > 1)),
    (not_infinite, lambda x: -2 / (x + 1) ** 3),
    (larger, lambda x: (1 + np.exp(np.sqrt(x))) * 0.5 / np.sqrt(x)),
    (in_a_loop, lambda x: np.where(np.log(x) * x > 0.1, 2 * np.log(x) * x * (np.log(x) + 1), 0.0)),
    (of_stored, lambda x: np.log(x) ** 2 + 2 * np.log(x)),
    (along_a_loop, lambda x: 2 * x),
]


@pytest.mark.parametrize("schedule", ["LICM", "DEFAULT", "REAL"])
@pytest.mark.parametrize("method", ["forward", "reverse", "tape"])
@pytest.mark.parametrize(("f", "slope"), USED)
def test_what_is_not_used_has_no_slope(f, slope, method, schedule) -> None:
    used = np.array([2.0, 0.5, 3.0])
    x = np.array([-1.0, *used, -1.0])
    found = fs.grad(f, method=method, schedule=schedule)(x)
    np.testing.assert_allclose(found, [0.0, *slope(used), 0.0], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("f", "slope"), USED)
def test_what_is_not_used_has_no_curvature(f, slope) -> None:
    used = np.array([2.0, 0.5, 3.0])
    x = np.array([-1.0, *used])
    along = fs.hvp(f)
    for found in (fs.hessian(f, method="forward")(x), np.array([along(x, tangent=e) for e in np.eye(4)])):
        assert np.all(found[0] == 0.0)
        assert np.all(found[:, 0] == 0.0)
        if f not in (in_two_places, in_a_loop):
            curvature = np.imag(slope(used + 1e-30j)) / 1e-30
            np.testing.assert_allclose(np.diag(found)[1:], curvature, rtol=1e-12, atol=1e-13)
