"""Arguments of NumPy's functions that change what is computed, and what no value of theirs may be."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import fsmooth as fs
from tests.arrays.agreement import agree, same_values

T = np.random.default_rng(7).normal(size=(3, 4, 4))
X = np.arange(1.0, 8.0)
K = np.array([3, 0, 2, 1, 3])
B = np.array([True, False, True, False, True, True, False])


def same(program, *arguments) -> None:
    same_values(fs.function(program)(*arguments), program(*arguments))


def deleted(t):
    a, v = t[0], t[1, 0]
    return (
        np.delete(v, -1),
        np.delete(a, -2, axis=1),
        np.delete(a, 3),
        np.delete(a, [0, 2], axis=0),
        np.delete(a, [0, 2, 2], axis=-1),
        np.delete(v, slice(1, 3)),
        np.delete(t, [0, -1], axis=2),
    )


def inserted(t):
    a, v = t[0], t[1, 0]
    return (
        np.insert(v, -1, 5.0),
        np.insert(v, 4, v[1:]),
        np.insert(a, 1, a[0], axis=0),
        np.insert(a, 1, a[:, 0], axis=1),
        np.insert(a, 4, a[:2], axis=0),
        np.insert(t, 1, 2.0, axis=2),
        np.insert(t, 1, t[0], axis=0),
    )


def products(t):
    a, v = t[0], t[1, 0, :2]
    return np.kron(a, v), np.kron(v, a), np.kron(v, t), np.kron(2.0, a), np.kron(t, v)


@pytest.mark.parametrize("program", [deleted, inserted, products])
def test_places_and_ranks(program) -> None:
    agree(program, T)


@pytest.mark.parametrize("k", [-7, -3, 0, 3, 6])
def test_places_that_are_known_when_the_program_runs(k) -> None:
    same(lambda x, k: (np.delete(x, k), np.insert(x, k, 9.0)), X, k)


@pytest.mark.parametrize("k", [-9, -8, 8, 100])
@pytest.mark.parametrize("program", [lambda x, k: np.delete(x, k), lambda x, k: np.insert(x, k, 9.0)])
def test_places_outside_are_errors(program, k) -> None:
    with pytest.raises(fs.IndexOutOfBoundsError, match="is out of bounds for this axis"):
        fs.function(program)(X, k)


def test_integers_that_are_inserted_stay_integers() -> None:
    same(lambda k: (np.insert(k, 1, 2), np.insert(k, 1, 2.7), np.delete(k, -1), np.delete(k, [0, 3])), K)


def truths(x, k, b):
    return (
        np.logical_xor(x, 1.0),
        np.logical_and(x - 1.0, x),
        np.logical_or(x - 1.0, 0),
        np.logical_not(k),
        np.logical_not(x - 1.0),
        np.logical_xor(b, x - 1.0),
        np.logical_and(1.0, b),
        np.logical_xor(b, b),
    )


def test_numbers_are_true_unless_they_are_zero() -> None:
    same(truths, X, K, B)


def with_truths(b, x, A):
    return b @ x, A @ b, np.dot(x, b), np.multiply(b, x), np.subtract(x, b), np.average(x, weights=b), np.cross(b, x)


def test_truth_values_among_numbers_are_numbers() -> None:
    same(with_truths, np.array([True, False, True]), np.array([1.0, 2.0, 4.0]), np.arange(6.0).reshape(2, 3))


def bins(x, edges):
    return (
        np.digitize(x, edges),
        np.digitize(x, edges[::-1]),
        np.digitize(x, edges[::-1], right=True),
        np.digitize(x, edges, True),
        np.digitize(x[0], edges[::-1]),
        np.digitize(x, edges[:1]),
        *np.histogram(np.ones(3) * x[0], bins=3),
        *np.histogram(x, bins=2, range=(3, 3)),
        *np.histogram(x, bins=3),
        np.histogram_bin_edges(x[:1], 4),
    )


def test_bins() -> None:
    same(bins, X, np.array([1.0, 2.5, 3.0, 3.0, 6.0]))
    with pytest.raises(fs.RaisedValueError, match="ascending or descending"):
        fs.function(lambda x: np.digitize(x, np.array([1.0, 3.0, 2.0])))(X)


def sets(k, a):
    return (
        *np.unique(k, return_index=True, return_inverse=True, return_counts=True),
        *np.unique(a, return_inverse=True, return_index=True),
        *np.unique(k, return_counts=True),
        np.unique(np.where(a > 2.0, np.nan, a)),
    )


def test_what_unique_returns() -> None:
    same(sets, K, np.arange(12.0).reshape(3, 4) % 5)


def of_types(x, k, a):
    return (
        np.linspace(-2.5, 3.0, 5, dtype=int),
        np.linspace(0.0, 3.0, 5, dtype=np.float32),
        np.linspace(x[:2], x[1:3], 4, axis=1),
        np.cumsum(a, dtype=int),
        np.cumsum(k, dtype=float),
        np.cumprod(k, 0, float),
        np.trace(a, dtype=int),
    )


def test_types_and_axes_that_are_named() -> None:
    same(of_types, X, K, np.arange(12.0).reshape(3, 4) + 0.5)


def selected(k):
    """What is selected of a selection is selected again."""
    positive = [i for i in k if i > 0]
    return np.intersect1d(k, k), np.setdiff1d(k, [3, 3]), np.array([i for i in positive if sum(i * j for j in k) > 20])


@pytest.mark.parametrize("part", [0, 1, 2])
def test_selections_of_selections(part: int) -> None:
    same(lambda k: (selected(k)[part],), K)


def with_periods(t):
    v, points = t[0, 0], np.array([0.5, 2.0, 1.0, -0.7])
    return (
        np.interp(4.0 * v, points, t[1, 0], period=3.0),
        np.interp(-7.1, points, v * v, period=-3.0),
        np.percentile(v, [10, 20]),
        np.nanpercentile(v, [10, 20]),
        np.repeat(t[0], [1, 2, 0, 1], axis=0),
        np.repeat(t[0], [1, 0, 3, 1], axis=1),
    )


def test_periods_quantiles_and_repeats() -> None:
    agree(with_periods, T)


def places(x, v, k, a):
    return (
        np.searchsorted(v, x - 3.0, sorter=np.argsort(v)),
        np.searchsorted(v, 0.1, "right", np.argsort(v)),
        np.choose(k, [x[:5], x[1:6], x[2:7], x[:5]]),
        np.choose(k - 1, [x[:5], 2.0], mode="clip"),
        np.choose(k - 2, [x[:5], 2.0], mode="wrap"),
        np.repeat(k, k),
        np.lexsort(a),
        np.lexsort((a[0], a[1])),
    )


def test_places_that_are_chosen() -> None:
    same(places, X, T[0, 0], K, np.round(T[0] * 2.0))


@pytest.mark.parametrize("k", [0, 1, 6])
def test_numbers_in_their_ranges(k) -> None:
    same(
        lambda x, k: (
            np.partition(x, k)[k],
            np.partition(x, k - 7)[0],
            np.repeat(x, k),
            *np.unravel_index(k, (3, 4)),
            *np.unravel_index(np.array([k, 0]), (2, 2, 3)),
            np.ravel_multi_index((k % 3, np.array([1, 3])), (3, 4)),
        ),
        X,
        k,
    )


OUTSIDE = {
    "repeat": (lambda x, k: np.repeat(x, k - 10), "repeats must not be negative"),
    "repeat_lines": (lambda x, k: np.repeat(np.outer(x, x)[:2], [k, -1], axis=0), "repeats must not be negative"),
    "partition": (lambda x, k: np.partition(x, k), "kth is out of bounds"),
    "argpartition": (lambda x, k: np.argpartition(x, -k - 1), "kth is out of bounds"),
    "unravel_index": (lambda x, k: np.unravel_index(k + 5, (3, 4))[0], "a place is out of bounds"),
    "ravel_multi_index": (lambda x, k: np.ravel_multi_index((1, k), (3, 4)), "an index is out of bounds"),
    "choose": (lambda x, k: np.choose(np.array([k, 0]), [x[:2], 1.0]), "a number of no choice"),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_numbers_outside_of_their_ranges_are_errors(name: str) -> None:
    program, message = OUTSIDE[name]
    with pytest.raises(ValueError, match=r".*"):
        program(X, 7)
    with pytest.raises(fs.RaisedValueError, match=message):
        fs.function(program)(X, 7)


UNLIKE = {
    "bincount": lambda x, y: np.bincount(np.array([0, 1, 2]), weights=x),
    "interp": lambda x, y: np.interp(x, x, y),
    "trapezoid": lambda x, y: np.trapezoid(x, y),
    "polyfit": lambda x, y: np.polyfit(x, y, 1),
    "lstsq": lambda x, y: np.linalg.lstsq(np.outer(y, y), x, rcond=None)[0],
    "repeat": lambda x, y: np.repeat(x, [1, 2], axis=0),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_sizes_must_agree(name: str) -> None:
    with pytest.raises((ValueError, TypeError, np.linalg.LinAlgError)):
        UNLIKE[name](X, X[:4])
    with pytest.raises(fs.SizeError, match="differ"):
        fs.function(UNLIKE[name])(X, X[:4])


def limited(t):
    a, v = t[0], t[1, 0]
    return (
        np.clip(a, 0.1, None),
        np.clip(a, None, 0.3),
        np.clip(a, v, v + 0.5),
        v.clip(min=0.0),
        v.clip(max=0.0),
        a.clip(-0.2, 0.2),
        np.clip(a, min=0.1),
        math.hypot(v[0], v[1], v[2]),
        math.hypot(v[0], v[1]),
        math.hypot(v[0]),
    )


def several_axes(t):
    a, v = t[0], t[1, 0]
    return (
        np.roll(a, 3, axis=(0, 1)),
        np.roll(t, (1, -2), axis=(2, 0)),
        np.median(a, axis=(0, 1)),
        np.median(t, axis=(2, 0), keepdims=True),
        np.quantile(t, 0.3, axis=(1, 2)),
        np.nanmedian(t, axis=(0, 1)),
        *np.gradient(a, 0.5, 2.0),
        *np.gradient(a, v * v, 3.0 + np.arange(4.0)),
        *np.gradient(t, 1.0, 2.0, 3.0),
        np.gradient(a, 0.5, axis=1),
        np.flip(a, axis=(0, 1)),
        np.flip(t, (0, 2)),
        np.polyint(a[0], 2),
    )


def margins(t):
    a, v = t[0], t[1, 0]
    return (
        np.pad(v, (2, 3), constant_values=(1.0, 2.0)),
        np.pad(a, 1, constant_values=((1.0, 2.0), (v[0], 4.0))),
        np.pad(v, (2,), mode="edge"),
        np.pad(a, ((1, 2),)),
        np.diff(v, prepend=0.0),
        np.diff(v, append=v[:2]),
        np.diff(a, prepend=1.0, axis=0),
        np.diff(a, 2, append=a[:, :1]),
    )


def norms(t):
    a, v = t[0], t[1, 0]
    return (
        np.linalg.norm(t, axis=(0, 1)),
        np.linalg.norm(t, 1, axis=(2, 0)),
        np.linalg.norm(t, axis=0),
        np.linalg.norm(t, axis=(1, 2), keepdims=True),
        np.linalg.norm(t, 2, axis=(0,)),
        np.linalg.norm(a, axis=0, keepdims=True),
        np.linalg.norm(t, np.inf, axis=1),
        scipy.special.logsumexp(a, axis=1, b=v * v),
        scipy.special.logsumexp(t, axis=(0, 1), b=2.0, keepdims=True),
        scipy.special.logsumexp(v),
    )


def methods(t):
    a, v = t[0], t[1, 0]
    return (
        v.round(1),
        a.take([0, 2], axis=1),
        v.argsort(),
        v.nonzero()[0],
        a.repeat(2, axis=1),
        np.sort(v).searchsorted(0.1),
        a.diagonal(1),
        a.item(3),
        a.item(1, 2),
        t.mT,
        a.mT,
    )


@pytest.mark.parametrize("program", [limited, several_axes, margins, norms, methods])
def test_what_is_common(program) -> None:
    agree(program, T)


def of_integers(k, x):
    return (
        np.round(k),
        np.around(k, 2),
        np.round(17 * k, -1),
        np.clip(k, 1, 2),
        k.clip(1, None),
        np.pad(k, 1, constant_values=7),
        np.vander(k, 3),
        np.vander(k, increasing=True),
        np.polyval(k, k),
        np.polyval([1, 2], k),
        np.polyval(k, x),
        np.polyval(x, k),
        np.float_power(k, 2),
        np.nanmax(k),
        np.nanmin(k),
        np.nansum(k),
        np.nanmean(k),
        np.nancumsum(k),
    )


def test_integers_stay_integers() -> None:
    same(of_integers, K, X)


def test_margins_have_two_ends() -> None:
    with pytest.raises(fs.SizeError, match="sizes 3 and 2 differ"):
        fs.function(lambda x: np.pad(x, 1, constant_values=(1.0, 2.0, 3.0)))(X)


def test_places_of_items() -> None:
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(lambda x, k: x.item(k))(X, 7)


def other_defaults(t):
    low = np.outer(t[0, 0], t[1, 0]) + np.outer(t[0, 1], t[1, 1])
    return scipy.linalg.pinv(low), scipy.linalg.pinv(t[0], rtol=1e-3), np.take_along_axis(low, np.argsort(low))


def test_defaults_of_scipy() -> None:
    expected = other_defaults(T)
    for mine, wanted in zip(fs.function(other_defaults)(T), expected, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-9, atol=1e-11)


def test_as_many_choices_as_conditions() -> None:
    with pytest.raises(fs.RaisedValueError, match="as many choices"):
        fs.function(lambda a: np.select([a > 3.0, a > 2.0], a))(T[0, :3])


@pytest.mark.parametrize("program", [lambda a, k: np.tile(a, k), lambda a, k: np.ravel_multi_index(k, k)])
def test_parts_whose_number_is_not_known_are_refused(program) -> None:
    with pytest.raises(fs.UnsupportedError, match="number is not known"):
        fs.function(program)(T[0], np.array([1, 2]))
