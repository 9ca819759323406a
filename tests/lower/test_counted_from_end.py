"""Indices from arrays may count from the end: one comparison says whether all of them are there."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs

X = np.array([1.5, -2.0, 4.0])


@fs.function
def taken(x, places):
    return x[places]


def test_one_comparison_for_each_index() -> None:
    source = taken.c_source(X, np.array([0]))
    assert "bad |= (uint64_t)places[i] + (uint64_t)x_n0 >= 2 * (uint64_t)x_n0;" in source


@pytest.mark.parametrize("places", [[0, 1, 2], [-1, -2, -3], [-3, 2, 0, -1], []])
def test_all_there(places: list[int]) -> None:
    indices = np.array(places, dtype=np.int64)
    np.testing.assert_array_equal(taken(X, indices), X[indices])


@pytest.mark.parametrize("bad", [3, -4, 1000, -1000, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**63 - 4])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_one_is_not(bad: int, n: int) -> None:
    with pytest.raises(fs.Error):
        taken(X[:n], np.array([*range(n), bad]))
