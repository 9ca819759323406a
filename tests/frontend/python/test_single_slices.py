"""`x[k:k+1]` has one element or none: what goes together with it, at every place."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs


@fs.function
def stretched(x, k, y):
    return np.sum(x[k : k + 1] * y)


@fs.function
def windows(x, k, w):
    A = np.array([x[i : i + w] for i in range(k)])
    return np.sum(A * A)


@pytest.mark.parametrize("n", range(4))
def test_at_every_place(n) -> None:
    """NumPy stretches one element over none, too; here sizes 1 and 0 differ."""
    x = np.arange(1.0, n + 1)
    for k in range(-5, 6):
        for m in range(3):
            y = np.arange(1.0, m + 1)
            count = len(x[k : k + 1])
            if count == 1 or m == 0:
                assert stretched(x, k, y) == np.sum(x[k : k + 1] * y)
            else:
                with pytest.raises(fs.SizeError):
                    stretched(x, k, y)


@pytest.mark.parametrize("n", range(5))
def test_rows_as_long_as_the_first(n) -> None:
    x = np.arange(1.0, n + 1)
    for w in range(4):
        for k in range(6):
            rows = [x[i : i + w] for i in range(k)]
            if len({len(row) for row in rows}) <= 1:
                assert windows(x, k, w) == np.sum(np.array(rows) ** 2)
            else:
                with pytest.raises(fs.SizeError):
                    windows(x, k, w)
