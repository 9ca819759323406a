"""Arguments of NumPy's functions that change what is computed, and what no value of theirs may be."""

from __future__ import annotations

import numpy as np
import pytest

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
