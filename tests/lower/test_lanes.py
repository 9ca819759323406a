"""Loops written with vectors end where they should, whether or not their size is known and a number of whole vectors."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.library import parse
from tests.lower.harness import FAST, STRICT, Compiled, compile_all

SIZES = (9, 96, 97, 100, 101, 103, 104)


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[int, Compiled]:
    texts = [f"fun (a : Vector) -> sum {size} (fun i -> a[i] * a[i])" for size in SIZES]
    return dict(zip(SIZES, compile_all([parse(text) for text in texts], request.param), strict=True))


@pytest.mark.parametrize("size", SIZES)
def test_a_sum_of_known_size_ends_there(size: int, compiled: dict[int, Compiled]) -> None:
    assert compiled[size](np.ones(size + 16)) == size
    assert "fs_lanes_sum" in compiled[size].program.source
