"""What loops go over, made from other things to go over: `map`, `zip`, `reversed`."""

# ruff: noqa: B905, C417, RUF007

from __future__ import annotations

import numpy as np

from tests.frontend.python.cases import MATRIX, Cases, X

CASES = Cases()

OFFSETS = (0.5, 1.5)


@CASES(X, 2 * X)
def map_of_two(x, y):
    return sum(map(lambda a, b: a * b, x, y))


@CASES(X, X[:3])
def map_of_two_ends_with_the_shorter(x, y):
    return list(map(np.maximum, x, y))


@CASES(X, MATRIX)
def map_of_an_array_a_tuple_and_rows(x, A):
    return list(map(lambda a, b, row: a * b + row[1], x, OFFSETS, A))


@CASES(X)
def map_in_a_loop(x):
    s = 0.0
    for a, b in map(lambda v, w: (v + w, v * w), x, reversed(x)):
        s = 0.5 * s + a * b
    return s


@CASES(X)
def map_of_what_is_zipped(x):
    return sum(map(lambda pair, k: pair[0] * pair[1] + k, zip(x, x[1:]), range(3)))


@CASES(X)
def map_of_functions(x):
    return sum(map(lambda f, a: f(a), (abs, lambda a: 2 * a), x))


@CASES(X)
def zip_of_nothing(x):
    s = x[0]
    for _ in zip():
        s = s + 1.0
    return s
