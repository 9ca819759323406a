"""Reductions along any axes, as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from tests.arrays.agreement import agree, same_values

RANDOM = np.random.default_rng(2)
T = RANDOM.normal(size=(2, 3, 4))


def sums(t):
    return (
        np.sum(t),
        np.sum(t, axis=0),
        np.sum(t, (0, 2)),
        np.sum(t, axis=(-1, 0), keepdims=True),
        t.sum(axis=1, keepdims=True),
        np.sum(t, axis=()) * 1.0,
        np.sum(t, initial=2.0),
        np.sum(t, axis=1, where=t > 0.0),
        np.prod(t, axis=2),
        np.prod(t, axis=1, where=t > 0.0),
        np.mean(t),
        np.mean(t, axis=1),
        t.mean(axis=(0, 1), keepdims=True),
        np.mean(t, axis=0, where=np.abs(t) > 0.01),
        np.average(t, axis=1),
        np.average(t, axis=1, weights=np.array([1.0, 2.0, 3.0])),
        np.average(t[0], weights=t[1] * t[1]),
        np.var(t),
        np.var(t, axis=0, ddof=1),
        np.var(t, axis=(0, 2), keepdims=True),
        np.std(t, axis=1, ddof=1),
        t.std(axis=2),
        t - t.mean(axis=1, keepdims=True),
    )


def extrema(t):
    return (
        np.max(t),
        np.max(t, axis=1),
        np.min(t, axis=(0, 2), keepdims=True),
        np.max(t, axis=0, initial=0.5),
        np.min(t, axis=0, initial=10.0, where=t > 0.0),
        np.amax(t, axis=2),
        t.min(axis=0),
        np.argmax(t),
        np.argmax(t, axis=1),
        np.argmin(t, axis=2, keepdims=True),
        np.ptp(t, axis=1),
        np.all(t > -1.0),
        np.any(t > 1.0, axis=0),
        np.all(t > -1.0, axis=(1, 2), keepdims=True),
        np.sum(t > 0.0, axis=1),
        np.mean(t > 0.0, axis=1),
    )


@pytest.mark.parametrize("program", [sums, extrema])
def test_reductions(program) -> None:
    agree(program, T)


def test_the_extremum_of_nothing() -> None:
    empty = np.zeros((0, 3))
    same_values(
        fs.function(lambda x: (np.max(x, axis=0, initial=1.0), np.sum(x, axis=0)))(empty), (np.ones(3), np.zeros(3))
    )
    with pytest.raises(fs.EmptyError):
        fs.function(lambda x: np.max(x, axis=0))(empty)


def test_float32_stays() -> None:
    x = T.astype(np.float32)
    given = fs.function(lambda t: (np.mean(t, axis=0), np.std(t, axis=0, ddof=1), np.sum(t, axis=1, dtype=float)))(x)
    assert [g.dtype for g in given] == [np.float32, np.float32, np.float64]


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda t: np.sum(t, axis=3), "axis 3 of an array of rank 3"),
        (lambda t: np.sum(t, axis=(0, 0)), "an axis is named twice"),
        (lambda t: np.sum(t, out=t), "the keyword out cannot be used"),
        (lambda t: np.max(t, where=t > 0), "where= of max needs initial="),
        (lambda t: np.sum(t, axis=t.shape[0]), "an axis must be an integer known while compiling"),
    ],
)
def test_what_is_refused(program, text) -> None:
    with pytest.raises(fs.ProgramError, match=text):
        fs.function(program)(T)
