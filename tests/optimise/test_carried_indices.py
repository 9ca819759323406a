"""Indices that loops carry are proved where every step keeps them in range, and tested where one does not."""

# ruff: noqa: F821, UP037  (the names of sizes)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checks import When
from fsmooth.core.term import Check
from fsmooth.core.traverse import subterms
from fsmooth.library import parse
from fsmooth.optimise.carried_indices import prove_carried_indices
from fsmooth.rewrite.trace import Trace

X = np.array([3.0, 1.0, 2.0, 5.0])


def left_in(program: Callable[..., object], *arguments: object) -> list[str]:
    """The indices that are tested while the program runs."""
    return [c.source for c in fs.function(program).checks(*arguments) if c.what == "index in bounds" and c.tested]


# -- programs --------------------------------------------------------------------------------------------------------


def furthest(x: fs.Array["n"], y: fs.Array["n"]):
    best = 0
    for i in range(1, len(x)):
        if x[i] > x[best]:
            best = i
    return y[best]


def chased(x: fs.Array["n"], following: fs.Array["n", fs.Index["n"]], k: fs.Index["n"], steps: int):
    total = 0.0
    for _ in range(steps):
        total += x[k]
        k = following[k]
    return total


def shuffled(x: fs.Array["n"], by: fs.Array["m", fs.Index["n"]]):
    order = np.arange(len(x))
    for k in range(len(by)):
        other = by[k]
        order[k % len(x)], order[other] = order[other], order[k % len(x)]
    return [x[k] for k in order]


def pivoted(A: fs.Array["n", "n"]):
    """Rows in the order in which partial pivoting takes them."""
    n = len(A)
    order = np.zeros(n, dtype=int)
    free = np.ones(n)
    for c in range(n):
        best, largest = 0, -1.0
        for i in range(n):
            if free[i] * abs(A[i, c]) > largest:
                best, largest = i, free[i] * abs(A[i, c])
        order[c] = best
        free[best] = 0.0
    return [A[order[k], k] for k in range(n)]


@pytest.mark.parametrize(
    ("program", "arguments", "expected"),
    [
        (furthest, (X, np.arange(4.0)), 3.0),
        (chased, (X, np.array([2, 0, 3, 1]), 1, 3), 1.0 + 3.0 + 2.0),
        (shuffled, (X, np.array([2, 3])), [2.0, 5.0, 3.0, 1.0]),
        (pivoted, (np.array([[1.0, 2.0], [-3.0, 4.0]]),), [-3.0, 2.0]),
    ],
)
def test_what_every_step_keeps_in_range_is_proved(
    program: Any, arguments: tuple[object, ...], expected: object
) -> None:
    np.testing.assert_array_equal(fs.function(program)(*arguments), expected)
    assert left_in(program, *arguments) == (["y[best]"] if program is furthest else [])


def test_why() -> None:
    found = fs.function(chased).checks(X, np.array([2, 0, 3, 1]), 1, 3)
    assert {c.source: c.why for c in found if c.what == "index in bounds"} == {
        "x[k]": "every step of its loop keeps it so",
        "following[k]": "every step of its loop keeps it so",
    }


def test_the_first_place_of_nothing() -> None:
    """Zero is an index only where the loop runs: after it, there may be no elements."""
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(furthest)(X[:0], X[:0])
    np.testing.assert_array_equal(fs.function(pivoted)(np.zeros((0, 0))), [])
    np.testing.assert_array_equal(fs.function(shuffled)(X[:0], np.zeros(0, int)), [])


def test_a_step_that_leaves_the_range_is_tested() -> None:
    def after(x: fs.Array["n"], limit: float):
        k = 0
        for i in range(len(x)):
            if x[i] > limit:
                k = i + 1
        return x[k]

    assert left_in(after, X, 4.0) == ["x[k]"]
    assert fs.function(after)(X, 9.0) == 3.0
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(after)(X, 4.0)


def test_a_start_outside_of_the_range_is_tested() -> None:
    def found(x: fs.Array["n"], y: float):
        k = len(x)
        for i in range(len(x)):
            if x[i] == y:
                k = i
        return x[k]

    assert left_in(found, X, 2.0) == ["x[k]"]
    assert fs.function(found)(X, 2.0) == 2.0
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(found)(X, 4.0)


def test_elements_that_are_added_to_are_tested() -> None:
    def counted(x: fs.Array["n"], idx: fs.Array["m", fs.Index["n"]]):
        places = np.zeros(len(x), dtype=int)
        for i in idx:
            places[i] += 1
        return [x[k] for k in places]

    assert left_in(counted, X, np.array([0, 2, 0])) == ["x[k]"]
    np.testing.assert_array_equal(fs.function(counted)(X, np.array([0, 2, 0])), [2.0, 3.0, 1.0, 3.0])
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(counted)(X, np.zeros(4, int))


def test_a_longer_array_than_the_one_that_is_read() -> None:
    """Below the size of one array is not below that of another."""

    def program(x, y):
        best = 0
        for i in range(len(x)):
            if x[i] > x[best]:
                best = i
        return y[best]

    assert "y[best]" in left_in(program, X, X)
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(program)(X, X[:3])


@pytest.mark.parametrize("n", [1, 2, 7, 16, 33])
def test_sorting_gives_places(n: int) -> None:
    def by_keys(keys: fs.Array["n"], x: fs.Array["n"]):
        return [x[k] for k in np.argsort(keys)]

    keys, x = np.sin(np.arange(n) ** 2.0), np.arange(float(n))
    np.testing.assert_array_equal(fs.function(by_keys)(keys, x), x[np.argsort(keys, kind="stable")])
    assert left_in(by_keys, keys, x) == []


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_factors_of_matrices(method: str) -> None:
    def solution(A: fs.Array["n", "n"], b: fs.Array["n"]):
        return np.sum(np.linalg.solve(A, b) ** 2)

    A, b = np.array([[0.0, 2.0, 1.0], [3.0, 0.1, 0.2], [0.3, 0.4, 5.0]]), np.array([1.0, -2.0, 0.5])
    gradient = fs.grad(solution, wrt="b", method=method)
    np.testing.assert_allclose(gradient(A, b), 2 * np.linalg.inv(A).T @ np.linalg.solve(A, b), rtol=1e-13)
    for program in (fs.function(solution), gradient):
        assert not [c for c in program.checks(A, b) if c.tested > When.ONCE]


def test_arrays_of_tuples() -> None:
    """Of arrays of tuples nothing is known of a component by itself."""
    text = (
        "fun (v: Array<Float>) (n: Int) (w: Array<(Float, (Float, Int))>) ->"
        " ifold (fun (s: (Int, Float)) i -> let a = ifold (fun (t: (Float, (Float, Int))) j -> w[check j (length w)])"
        " (0.0, (0.0, 0)) n in (a.1.1, v[check s.0 n])) (0, 0.0) n"
    )
    term = parse(text)
    assert prove_carried_indices(term, Trace(), {}) is term


# -- terms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("fun (v: Array<Float>) (n: Int) -> ifold (fun (s: (Int, Float)) i -> (i, v[check s.0 n])) (0, 0.0) n", 0),
        ("fun (v: Array<Float>) (n: Int) -> ifold (fun (s: (Int, Float)) i -> (i, v[check s.0 n])) (1, 0.0) n", 1),
        ("fun (v: Array<Float>) (n: Int) -> ifold (fun (s: (Int, Float)) i -> (i - 1, v[check s.0 n])) (0, 0.0) n", 1),
        (
            "fun (v: Array<Float>) (n: Int) -> ifold (fun (s: (Int, Float)) i -> (s.0 + 1, v[check s.0 n])) (0, 0.0) n",
            1,
        ),
        (
            "fun (v: Array<Float>) (n: Int) -> ifold (fun (s: (Int, Float)) i -> (i, v[check s.0 (n - 1)])) (0, 0.0) n",
            1,
        ),
        ("fun (v: Array<Float>) (n: Int) -> ifold (fun (s: (Int, Int)) i -> (s.1, check s.0 n)) (0, 0) n", 0),
    ],
)
def test_terms(text: str, left: int) -> None:
    term = parse(text)
    new = prove_carried_indices(term, Trace(), {})
    assert sum([isinstance(t, Check) for t in subterms(new)]) == left
    assert (new is term) is bool(left)
