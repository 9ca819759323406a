"""A constant that is added under a condition: a select where the place is the loop's own, a branch where it may be far away."""

from __future__ import annotations

import numpy as np

import fsmooth as fs

A = np.array([[0.5, -1.0, 2.0], [1.5, 1.0, -2.0]])
B = np.array([0.0, 1.0, 0.5])


def larger(a, b):
    return np.sum(np.maximum(a, b))


def chosen(x, places):
    return sum(x[places[i]] if x[i] > 0.0 else 0.0 for i in range(len(places)))


def test_the_element_of_a_loop_is_added_to_in_any_case() -> None:
    gradient = fs.grad(larger, wrt=("a", "b"), method="reverse")
    by_a, by_b = gradient(A, B)
    np.testing.assert_array_equal(by_a, A >= B)
    np.testing.assert_array_equal(by_b, np.sum(A < B, axis=0))
    body = gradient.c_source(A, B)
    body = body[body.index("int32_t grad_") :]
    assert "+= t ? 1.0 : 0.0;" in body
    assert "if (t)" not in body


def test_an_element_that_may_be_far_away_is_not_fetched_for_nothing() -> None:
    gradient = fs.grad(chosen, wrt="x", method="reverse")
    places = np.array([2, 2, 0])
    np.testing.assert_array_equal(gradient(B, places), [1.0, 0.0, 1.0])
    assert "? 1.0 : 0.0" not in gradient.c_source(B, places)
