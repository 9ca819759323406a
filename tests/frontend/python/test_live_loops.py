"""Loops over arrays whose elements they assign read, in each step, what is there by then: as Python does."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs

X = np.array([1.0, 2.0, 3.0])
A = np.arange(6.0).reshape(2, 3)


def the_last(x):
    x = x.copy()
    s = 0.0
    for a in x:
        x[2] = 10.0
        s = 2.0 * s + a
    return s


def each_itself(x):
    x = x.copy()
    for i, a in enumerate(x):
        x[i] = 2.0 * a
    return x


def the_next(x):
    x = x.copy()
    for i, a in enumerate(x[:-1]):
        x[i + 1] += a * a
    return x


def rows(M):
    M = M.copy()
    for r in M:
        M[1, 0] += r[0] + 1.0
    return M


def zeros_in_pairs(x):
    y = np.zeros(len(x))
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        y[(i + 1) % len(x)] = a + b
    return y


def backwards(x):
    x = x.copy()
    s = 0.0
    for a in reversed(x):
        x[0] = 7.0
        s = 2.0 * s + a
    return s


def all_at_once(x):
    x = x.copy()
    s = 0.0
    for a in x:
        x += 1.0
        s += a
    return s


def unrolled(x):
    x = x.copy()
    s = 0.0
    for a, b in zip(x, (1.0, 2.0, 3.0), strict=True):
        x[2] = 10.0
        s = 2.0 * s + a * b
    return s


def a_copy(x):
    x = x.copy()
    s = 0.0
    for a in x.copy():
        x[2] = 7.0
        s = 2.0 * s + a
    return s


def another_array(x):
    s = 0.0
    for a in x:
        x = 2.0 * x
        s += a
    return s + x[0]


PROGRAMS = [the_last, each_itself, the_next, zeros_in_pairs, backwards, all_at_once, unrolled, a_copy, another_array]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program) -> None:
    np.testing.assert_array_equal(fs.function(program)(X), program(X))


def test_rows() -> None:
    np.testing.assert_array_equal(fs.function(rows)(A), rows(A))


def test_derivatives() -> None:
    np.testing.assert_array_equal(fs.grad(the_last)(X), [4.0, 2.0, 0.0])
    np.testing.assert_array_equal(fs.jacobian(the_next)(X), [[1, 0, 0], [2, 1, 0], [12, 6, 1]])


def another_name(x):
    x = x.copy()
    y = x
    s = 0.0
    for a in y:
        x[2] = 7.0
        s = 2.0 * s + a
    return s


def another_value(x):
    x = x.copy()
    for a in x:
        x[2] = a
        x = 2.0 * x
    return x


def test_what_cannot_be_followed_is_refused() -> None:
    with pytest.raises(fs.UndefinedNameError, match="^y shares its memory with x, whose elements were assigned"):
        fs.function(another_name)(X)
    message = "^a new value for an array that a loop goes over cannot be used(.|\\n)*hint: go over a .copy\\(\\) of it$"
    with pytest.raises(fs.UnsupportedError, match=message):
        fs.function(another_value)(X)
