"""Sums of what is read through an index: few terms one after the other, more in vectors of 32 bytes."""

# ruff: noqa: F821, UP037  (the names of sizes)

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import fsmooth as fs


def rows(starts, columns, data, x):
    return [sum(data[j] * x[columns[j]] for j in range(starts[i], starts[i + 1])) for i in range(len(starts) - 1)]


def stretches(starts, data):
    return [sum(data[j] * 2.0 for j in range(starts[i], starts[i + 1])) for i in range(len(starts) - 1)]


def waves(starts, columns, data, x):
    return [
        sum(np.exp(data[j] * x[columns[j]]) for j in range(starts[i], starts[i + 1])) for i in range(len(starts) - 1)
    ]


def of_four(columns, x):
    return [sum(x[columns[i, j]] for j in range(5)) for i in range(len(columns))]


@pytest.mark.parametrize("width", [np.float64, np.float32])
@pytest.mark.parametrize("integers", [np.int64, np.int32])
def test_every_length(integers: type, width: type) -> None:
    rng = np.random.default_rng(0)
    lengths = np.arange(80)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(integers)
    columns = rng.integers(0, 50, starts[-1]).astype(integers)
    data, x = rng.normal(size=len(columns)).astype(width), rng.normal(size=50).astype(width)
    terms = data.astype(float) * x[columns]
    wanted = [terms[a:b].sum() for a, b in itertools.pairwise(starts)]
    found = fs.function(rows)(starts, columns, data, x)
    assert found.dtype == width
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13 if width is np.float64 else 1e-4)


def body(f: Any, *arguments: object) -> str:
    source = fs.function(f).c_source(*arguments)
    return source[source.index(f"\nint32_t {f.__name__}(") :]


K, M, V = np.array([0, 2, 5]), np.array([3, 1, 0, 0, 2]), np.ones(5)


def test_which_loops() -> None:
    text = body(rows, K, M, V, V)
    assert text.count("< 24) {\n            FS_SCALAR\n") == 1
    assert text.count("#pragma omp simd reduction(+:sum) simdlen(4)") == 1
    single = body(rows, K, M, V.astype(np.float32), V.astype(np.float32))
    assert "simdlen(8)" in single
    for other in (body(stretches, K, V), body(waves, K, M, V, V)):
        assert "reduction(+:sum)" in other
        assert "simdlen" not in other
        assert "FS_SCALAR" not in other
    known = body(of_four, np.zeros((3, 5), int), V)
    assert "< 24" not in known


def test_ranges_are_compared_without_a_sign() -> None:
    def picked(idx: fs.Array["m", fs.Index["n"]], x: fs.Array["n"]):
        return sum(x[i] for i in idx)

    assert "(uint64_t)idx[i] < (uint64_t)x_n0 ? 0 : 1" in body(picked, M, V)
    f = fs.function(picked)
    for wrong in (-1, 5, 2**62, -(2**62), -(2**63)):
        with pytest.raises(fs.ArgumentIndexError, match=rf"idx\[1\] is {wrong}:"):
            f(np.array([0, wrong, 1]), V)
    with pytest.raises(fs.ArgumentIndexError, match="there are no"):
        f(np.array([0]), np.ones(0))
