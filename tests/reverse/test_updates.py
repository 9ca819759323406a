"""Loops that add to matrices and their rows: gradients by every way back, on threads too, against complex steps in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import thresholds
from tests.reverse.random_updates import Updates, arguments, program_of

STEP = 1e-30
WAYS: dict[str, dict[str, object]] = {
    "reverse": {"method": "reverse"},
    "threads": {"method": "reverse", "threads": 3},
    "tape": {"method": "tape"},
}

CHUNKS = ("CHUNK_WORK", "CHUNK_UNIT", "COLUMN_UNIT", "PRODUCT_WORK", "PRODUCT_ROWS", "PRODUCT_UNIT", "COPIED_SUMS")
"""Thresholds with which, if they are 1, loops and products have as many chunks as they can."""


def check(seed: int) -> None:
    """The value and a directional derivative."""
    source = Updates(seed).source()
    x, y, *rest = arguments(seed)
    rng = np.random.default_rng(seed + 1)
    dx, dy = rng.normal(size=np.shape(x)), rng.normal(size=np.shape(y))
    wanted = program_of(source, seed)(x + 1j * STEP * dx, y + 1j * STEP * dy, *rest)
    assert isinstance(wanted, complex)
    program = program_of(source.replace(".real", ""), seed)
    for way, options in WAYS.items():
        value, (gx, gy) = fs.value_and_grad(program, wrt=("x", "y"), **options)(x, y, *rest)
        np.testing.assert_allclose(value, wanted.real, rtol=1e-11, err_msg=f"{way}\n{source}")
        size = 1.0 + np.sum(abs(gx * dx)) + np.sum(abs(gy * dy))
        error = abs(np.sum(gx * dx) + np.sum(gy * dy) - wanted.imag / STEP)
        assert error < 1e-12 * size, f"{way}: {error / size}\n{source}"


@pytest.mark.parametrize("seed", range(12))
def test_random_updates(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize("seed", range(100, 112))
def test_random_updates_in_chunks_of_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CHUNKS:
        monkeypatch.setattr(thresholds, name, 1)
    check(seed)
