"""Programs of two arrays x, y: their value and gradient by every way back, on threads too, against complex steps in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import fsmooth as fs

STEP = 1e-30
WAYS: dict[str, dict[str, object]] = {
    "reverse": {"method": "reverse"},
    "threads": {"method": "reverse", "threads": 3},
    "tape": {"method": "tape"},
}

CHUNKS = ("CHUNK_WORK", "CHUNK_UNIT", "COLUMN_UNIT", "PRODUCT_WORK", "PRODUCT_ROWS", "PRODUCT_UNIT", "COPIED_SUMS")
"""Thresholds with which, if they are 1, loops and products have as many chunks as they can."""


def check_ways(
    source: str, made: Callable[[str], Callable[..., object]], arguments: Sequence[object], seed: int
) -> None:
    """The value and a directional derivative of what is `made` from a text: the parts `.real` are for complex steps only."""
    x, y, *rest = arguments
    rng = np.random.default_rng(seed)
    dx, dy = rng.normal(size=np.shape(x)), rng.normal(size=np.shape(y))
    wanted = made(source)(x + 1j * STEP * dx, y + 1j * STEP * dy, *rest)
    assert isinstance(wanted, complex)
    program = made(source.replace(".real", ""))
    for way, options in WAYS.items():
        value, (gx, gy) = fs.value_and_grad(program, wrt=("x", "y"), **options)(x, y, *rest)
        np.testing.assert_allclose(value, wanted.real, rtol=1e-11, err_msg=f"{way}\n{source}")
        size = 1.0 + np.sum(abs(gx * dx)) + np.sum(abs(gy * dy))
        error = abs(np.sum(gx * dx) + np.sum(gy * dy) - wanted.imag / STEP)
        assert error < 1e-12 * size, f"{way}: {error / size}\n{source}"
