"""Loops that look for the smallest or largest of something are reductions, whose derivative is that of what is found."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fsmooth as fs

INF, NAN = np.inf, np.nan
POINTS = np.random.default_rng(0).normal(size=(150, 2))


def smallest(x):  # type: ignore[no-untyped-def]
    best = np.inf
    for v in x:
        best = min(best, v * v)
    return best


def largest(x):  # type: ignore[no-untyped-def]
    best = x[0]
    for i in range(1, len(x)):
        best = max(best, np.sin(x[i]) + x[i])
    return best


def passed_over(x):  # type: ignore[no-untyped-def]
    best = np.inf
    for v in x:
        d = v * v
        if d < best:
            best = d
    return best


def with_place(x):  # type: ignore[no-untyped-def]
    best, which = -1.5, len(x) - 1
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
            which = i
    return 3.0 * best + x[which]


def from_both_sides(x):  # type: ignore[no-untyped-def]
    best = 0.25
    for i in range(len(x)):
        best = best if best <= 0.0 or x[i] > best else x[i]
    return best


def nearest(q, points):  # type: ignore[no-untyped-def]
    best = np.inf
    for k in range(len(points)):
        d = 0.0
        for j in range(2):
            d += (points[k, j] - q[j]) ** 2
        if d < best:
            best = d
    return np.sqrt(best)


LOOPS = (smallest, largest, passed_over, with_place)
RANDOM = np.random.default_rng(1).normal(size=300)
ARRAYS = {
    "one": np.array([-0.75]),
    "ties": np.array([2.0, -0.5, 0.5, 3.0, 0.5, 3.0]),
    "many": RANDOM,
    "descending": np.sort(RANDOM)[::-1].copy(),
    "strip": RANDOM[:64],
    "a strip and one": np.append(RANDOM[:64], 0.001),
}


DERIVATIVES = {
    smallest: lambda x: _at(x, np.argmin(x * x), 2.0 * x[np.argmin(x * x)]),
    largest: lambda x: _largest(x),
    passed_over: lambda x: _at(x, np.argmin(x * x), 2.0 * x[np.argmin(x * x)]),
    with_place: lambda x: _at(x, np.argmax(x), 4.0),
}


def _at(x: np.ndarray, k: np.intp, value: float) -> np.ndarray:
    return np.where(np.arange(len(x)) == k, value, 0.0)


def _largest(x: np.ndarray) -> np.ndarray:
    y = np.sin(x) + x
    y[0] = x[0]
    k = np.argmax(y)
    return _at(x, k, np.cos(x[k]) + 1.0 if k else 1.0)


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("schedule", ["DEFAULT", "LN"])
def test_values_and_derivatives(f, name: str, schedule: str) -> None:  # type: ignore[no-untyped-def]
    x = ARRAYS[name]
    assert fs.function(f, schedule=schedule)(x) == pytest.approx(f(x), rel=1e-15)
    for method in ("reverse", "forward"):
        value, gradient = fs.value_and_grad(f, method=method, schedule=schedule)(x)
        assert value == pytest.approx(f(x), rel=1e-15)
        np.testing.assert_allclose(gradient, DERIVATIVES[f](x), rtol=1e-14)


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
def test_no_loop_carries_what_was_found(f) -> None:  # type: ignore[no-untyped-def]
    for verb in (fs.function, fs.grad):
        assert "ifold" not in _optimised(verb(f), RANDOM)


def test_the_way_back_goes_to_one_point() -> None:
    """The derivative of a distance, which is added up in a loop, is taken once and not for each point."""
    gradient = fs.grad(nearest)
    q = np.array([0.1, -0.2])
    k = np.argmin(((POINTS - q) ** 2).sum(1))
    np.testing.assert_allclose(gradient(q, POINTS), (q - POINTS[k]) / np.linalg.norm(q - POINTS[k]), rtol=1e-14)
    assert "ifold" not in _optimised(gradient, q, POINTS)


def _optimised(f, *arguments) -> str:  # type: ignore[no-untyped-def]
    text = f.explain(*arguments)
    start = text.index("\noptimised:")
    return text[start : text.index("\n\n", start)]


def test_what_is_not_a_number_is_passed_over_or_wins_as_in_the_loop() -> None:
    x = np.append(np.append(RANDOM[:70], NAN), RANDOM[70:])
    for f in (passed_over, with_place):
        assert fs.function(f)(x) == pytest.approx(f(x), rel=1e-15)
    assert fs.function(passed_over)(np.full(3, NAN)) == INF
    assert fs.function(with_place)(np.array([NAN, 1.0])) == 4.0
    assert fs.function(with_place)(np.array([NAN, -2.0])) == -6.5
    for f in (smallest, largest):
        assert math.isnan(fs.function(f)(x))
    np.testing.assert_array_equal(fs.grad(passed_over)(np.array([NAN, 2.0, 1.0])), [0.0, 0.0, 2.0])


@pytest.mark.parametrize("f", [smallest, passed_over, from_both_sides], ids=lambda f: f.__name__)
def test_of_nothing_the_state_stays(f) -> None:  # type: ignore[no-untyped-def]
    empty = np.zeros(0)
    assert fs.function(f)(empty) == f(empty)
    assert fs.grad(f)(empty).shape == (0,)


def test_infinities_are_not_better_than_they_are() -> None:
    assert fs.function(passed_over)(np.array([INF, -INF])) == INF
    assert fs.function(with_place)(np.array([-INF, -1.0, INF])) == INF


def test_what_can_fail_in_other_iterations_stays_in_the_loop() -> None:
    """Of what is taken besides, an iteration that is not the last to be better may fail."""

    def f(x, k):  # type: ignore[no-untyped-def]
        best, other = np.inf, 0.0
        for i in range(len(x)):
            if x[i] < best:
                best = x[i]
                other = x[k[i]]
        return best + other

    x = np.array([3.0, 1.0, 2.0])
    assert fs.function(f)(x, np.array([0, 2, 1])) == 3.0
    for verb in (fs.function, fs.grad):
        with pytest.raises(IndexError):
            verb(f)(x, np.array([7, 2, 1]))


def test_integers() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        best, which = 10, -1
        for i in range(len(x)):
            if x[i] < best:
                best = x[i]
                which = i
        return 100 * best + which

    for given in ([12, 11], [7, 3, 9, 3], []):
        assert fs.function(f)(np.array(given, dtype=int)) == f(np.array(given, dtype=int))


def test_single_precision() -> None:
    x = RANDOM.astype(np.float32)
    for f in (smallest, passed_over, with_place):
        assert fs.function(f)(x) == pytest.approx(f(x), rel=1e-6)
        np.testing.assert_allclose(fs.grad(f)(x), DERIVATIVES[f](x), rtol=1e-6)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_on_threads(threads: int) -> None:
    x = np.random.default_rng(2).normal(size=200_000)
    for f in (smallest, passed_over, with_place):
        value, gradient = fs.value_and_grad(f, threads=threads)(x)
        assert value == pytest.approx(fs.function(f)(x), rel=1e-15)
        np.testing.assert_allclose(gradient, DERIVATIVES[f](x), rtol=1e-14)
