"""Nests of loops over elements that are products of matrices are computed as such, in any order of the loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

SIZES = [(3, 4, 5), (0, 3, 4), (3, 0, 4), (3, 4, 0), (9, 1, 17), (12, 40, 7)]


def by_rows(a, b):
    c = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for l in range(len(b)):
            for j in range(b.shape[1]):
                c[i, j] += a[i, l] * b[l, j]
    return c


def by_elements(a, b):
    c = np.ones((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for l in range(len(b)):
                c[i, j] = c[i, j] + b[l, j] * a[i, l]
    return c


def by_terms(a, b):
    """Transposed, into a part of a larger array."""
    c = np.zeros((b.shape[1] + 1, 2 * len(a)))
    for l in range(len(b)):
        for i in range(len(a)):
            for j in range(b.shape[1]):
                c[j + 1, 2 * i] += a[i, l] * b[l, j]
    return c


def on_diagonals(a, b):
    """Several elements are added to the same place."""
    c = np.zeros(len(a) + b.shape[1])
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for l in range(len(b)):
                c[i + j] += a[i, l] * b[l, j]
    return c


def two_at_once(a, b):
    c, d = np.zeros((len(a), b.shape[1])), np.zeros((b.shape[1], len(a)))
    for i in range(len(a)):
        for l in range(len(b)):
            for j in range(b.shape[1]):
                c[i, j] += a[i, l] * b[l, j]
                d[j, i] += a[i, l] * b[l, j]
    return c, d


def compare(found: object, wanted: object) -> None:
    if isinstance(wanted, tuple):
        for x, y in zip(found, wanted, strict=True):  # type: ignore[call-overload]
            compare(x, y)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def multiplications(program, *arguments: object) -> int:
    kernel = fs.function(program).compiled(*arguments).loops.kernel
    return sum([isinstance(s, t.Multiply) for s in walk(kernel.body)])


@pytest.mark.parametrize(
    "program", [by_rows, by_elements, by_terms, on_diagonals, two_at_once], ids=lambda f: f.__name__
)
def test_products(program) -> None:
    f = fs.function(program)
    for m, k, n in SIZES:
        rng = np.random.default_rng(m)
        a, b = rng.normal(size=(m, k)), rng.normal(size=(k, n))
        compare(f(a, b), program(a, b))
    assert multiplications(program, a, b) == (2 if program is two_at_once else 1)


@pytest.mark.parametrize("program", [by_rows, by_elements], ids=lambda f: f.__name__)
def test_their_gradients(program) -> None:
    a, b = np.random.default_rng(5).normal(size=(2, 9, 9))
    ga, gb = fs.grad(lambda a, b: np.sum(np.sin(program(a, b))), wrt=("a", "b"))(a, b)
    r = np.cos(program(a, b))
    compare((ga, gb), (r @ b.T, a.T @ r))


def of_itself(a, b):
    c = np.array(a)
    for i in range(len(a)):
        for l in range(len(a)):
            for j in range(len(a)):
                c[i, j] += c[i, l] * b[l, j]
    return c


def of_a_triangle(a, b):
    c = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for l in range(len(b)):
            for j in range(l):
                c[i, j] += a[i, l] * b[l, j]
    return c


def of_three(a, b):
    c = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for l in range(len(b)):
            for j in range(b.shape[1]):
                c[i, j] += a[i, l] * b[l, j] * a[i, j]
    return c


def by_an_index(a, b):
    c = np.zeros((len(a), b.shape[1]))
    order = np.argsort(a[0])
    for i in range(len(a)):
        for l in range(len(b)):
            for j in range(b.shape[1]):
                c[i, j] += a[i, order[l]] * b[l, j]
    return c


def differences(a, b):
    c = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for l in range(len(b)):
            for j in range(b.shape[1]):
                c[i, j] += a[i, l] - b[l, j]
    return c


@pytest.mark.parametrize(
    "program", [of_itself, of_a_triangle, of_three, by_an_index, differences], ids=lambda f: f.__name__
)
def test_what_is_no_product(program) -> None:
    """By an index it is not as a whole, but its rows are gathered, 32 and those that are left."""
    a, b = np.random.default_rng(6).normal(size=(2, 10, 10))
    compare(fs.function(program)(a, b), program(a, b))
    assert multiplications(program, a, b) == (2 if program is by_an_index else 0)


def test_schedules_without_laws_have_the_loops() -> None:
    a, b = np.random.default_rng(7).normal(size=(2, 9, 9))
    f = fs.function(by_rows, schedule="DPS")
    compare(f(a, b), a @ b)
    assert "fs_product" not in f.c_source(a, b)


def test_both_precisions() -> None:
    for dtype, size in product((np.float32, np.float64), (1, 8, 33)):
        a, b = np.random.default_rng(size).normal(size=(2, size, size)).astype(dtype)
        np.testing.assert_allclose(fs.function(by_rows)(a, b), by_rows(a, b), rtol=1e-4, atol=1e-4)
