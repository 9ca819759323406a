"""Cumulative functions, sorting, what rests on it, and elements in other places, as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from tests.arrays.agreement import agree, same_values

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=7)
A = RANDOM.normal(size=(3, 5))
T = RANDOM.normal(size=(2, 3, 4))


def cumulative(a):
    return (
        np.cumsum(a),
        np.cumsum(a, axis=0),
        np.cumsum(a, axis=-1),
        np.cumprod(a, axis=1),
        np.cumprod(a),
        np.diff(a),
        np.diff(a, axis=0),
        np.diff(a, n=2, axis=1),
        np.ediff1d(a),
        np.gradient(a[0]),
        np.gradient(a[0], 0.5),
        np.gradient(a, axis=1),
        np.gradient(a)[1],
        np.gradient(a[1], np.array([0.0, 0.5, 1.5, 2.0, 3.0])),
        np.gradient(a[1], edge_order=2),
        np.trapezoid(a[0]),
        np.trapezoid(a, dx=0.1),
        np.trapezoid(a, np.array([0.0, 0.5, 1.5, 2.0, 3.0]), axis=1),
        np.trapezoid(a, axis=0),
        np.maximum.accumulate(a[0]),
        np.minimum.accumulate(a, axis=1),
    )


def ordered(a):
    return (
        np.sort(a),
        np.sort(a, axis=0),
        np.sort(a, axis=None),
        np.argsort(a, axis=0),
        np.argsort(a),
        np.median(a),
        np.median(a, axis=0),
        np.median(a, axis=1, keepdims=True),
        np.quantile(a, 0.3),
        np.quantile(a, [0.25, 0.5], axis=1),
        np.percentile(a, 40.0, axis=0),
        np.quantile(a[0], 0.3, method="lower"),
        np.quantile(a[0], 0.3, method="midpoint"),
        np.searchsorted(np.sort(a[0]), a[1]),
        np.interp(a[1], np.array([-1.0, 0.0, 0.5, 1.0]), a[0, :4]),
        np.interp(0.25, np.array([-1.0, 0.0, 0.5, 1.0]), a[0, :4] ** 2),
        np.interp(a[1], np.array([-0.1, 0.0, 0.5]), a[0, :3], left=0.0, right=a[0, 0]),
        np.count_nonzero(a > 0.0, axis=0),
    )


def moved(a):
    return (
        np.flip(a),
        np.flip(a, 0),
        np.flip(a, axis=1),
        np.flipud(a),
        np.fliplr(a),
        np.rot90(a),
        np.rot90(a, 2),
        np.rot90(a, 3),
        np.roll(a, 2),
        np.roll(a, -1, axis=0),
        np.roll(a, 3, axis=1),
        np.repeat(a, 2),
        np.repeat(a, 2, axis=1),
        np.tile(a[0], 3),
        np.tile(a, (2, 1)),
        np.tile(a[0], (2, 2)),
        np.tril(a),
        np.triu(a, 1),
        np.tril(a, -1),
        np.diag(a),
        np.diag(a, 1),
        np.diag(a[0], -1),
        np.diagonal(a, 1),
        np.trace(a),
        np.trace(a, offset=1),
        np.vander(a[0], 3),
        np.vander(a[0, :2], increasing=True),
        np.append(a[0], a[1]),
        np.append(a, a[:1], axis=0),
        np.insert(a[0], 1, 2.0),
        np.delete(a[0], 1),
        np.delete(a, 1, axis=0),
    )


def margins(a):
    return (
        np.pad(a[0], 2),
        np.pad(a, ((1, 0), (2, 1))),
        np.pad(a, (1, 2), mode="edge"),
        np.pad(a[0], (2, 3), mode="wrap"),
        np.pad(a[0], (2, 3), "reflect"),
        np.pad(a[0], (2, 3), "symmetric"),
        np.pad(a[0], (1, 1), constant_values=7.0),
        np.kron(a[0], a[1]),
        np.kron(a[:2, :2], a),
        np.convolve(a[0], a[1, :3]),
        np.convolve(a[0], a[1, :3], "same"),
        np.convolve(a[1, :3], a[0], "valid"),
        np.correlate(a[0], a[1, :3]),
        np.correlate(a[0], a[1, :3], "full"),
        np.polyval(a[0], 0.7),
        np.polyval(a[0], a[1]),
        np.polyder(a[0]),
        np.polyint(a[0]),
        np.polyadd(a[0], a[1, :3]),
        np.polymul(a[0, :2], a[1, :3]),
        np.cov(a),
        np.cov(a[0]),
        np.corrcoef(a),
    )


def parts(a):
    first, second = np.split(a, [2], axis=1)
    left, middle, right = np.array_split(a[0], 3)
    x, y = np.meshgrid(a[0], a[1, :3])
    u, v = np.meshgrid(a[0], a[1, :3], indexing="ij")
    one, two = np.broadcast_arrays(a, a[0])
    top, rest = np.vsplit(a, [1])
    return first, second, left, middle, right, x, y, u, v, one, two, top, rest, np.split(a[:, :4], 2, axis=1)[1]


@pytest.mark.parametrize("program", [cumulative, ordered, moved, margins, parts])
def test_as_numpy(program) -> None:
    agree(program, A)


def not_a_number(x):
    return (
        np.nansum(x),
        np.nanmean(x, axis=0),
        np.nanmax(x, axis=1),
        np.nanmin(x),
        np.nanvar(x, axis=1),
        np.nanstd(x, ddof=1),
        np.nancumsum(x),
        np.nanprod(x, axis=0, keepdims=True),
        np.sort(x[0]),
    )


def test_what_is_not_a_number() -> None:
    x = A.copy()
    x[0, 2] = x[2, 1] = np.nan
    same_values(fs.function(not_a_number)(x), not_a_number(x))


def integers(k, w):
    values, counts = np.unique(k, return_counts=True)
    heights, edges = np.histogram(w, bins=4)
    return (
        np.bincount(k),
        np.bincount(k, weights=w, minlength=9),
        values,
        counts,
        heights,
        edges,
        np.histogram(w, bins=3, range=(-1.0, 1.0))[0],
        np.histogram(w, bins=np.array([-2.0, 0.0, 1.0, 3.0]), density=True)[0],
        np.digitize(w, np.array([-1.0, 0.0, 1.0])),
        np.searchsorted(np.array([1, 2, 4, 4]), k, side="right"),
        np.sort(k),
        np.cumsum(k > 2),
    )


def test_integers() -> None:
    k = np.array([3, 0, 5, 3, 1, 0, 3])
    same_values(fs.function(integers)(k, X), integers(k, X))


def test_the_weights_of_a_bincount_have_a_derivative() -> None:
    k = np.array([3, 0, 5, 3, 1, 0, 3])
    agree(lambda w: (np.bincount(k, weights=w) ** 2,), X)


def test_equal_elements_keep_their_order() -> None:
    x = np.array([2.0, 1.0, 2.0, 1.0, np.nan, 2.0, -np.inf, np.nan])
    np.testing.assert_array_equal(fs.function(lambda x: np.argsort(x))(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 33, 100])
def test_sorting_any_number(n: int) -> None:
    x = RANDOM.normal(size=n)
    np.testing.assert_array_equal(SORT(x), np.sort(x))


SORT = fs.function(lambda x: np.sort(x))


def test_the_derivative_of_a_sort_is_a_scatter() -> None:
    w = np.arange(7.0)
    gradient = fs.grad(lambda x: np.sum(np.sort(x) * w), method="reverse")(X)
    expected = np.zeros(7)
    expected[np.argsort(X)] = w
    np.testing.assert_array_equal(gradient, expected)
