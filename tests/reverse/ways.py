"""Programs of two arrays x, y: their value and gradient by every way back, on threads too, against complex steps in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import fsmooth as fs
from tests.sources import function_of

STEP = 1e-30
WAYS: dict[str, dict[str, object]] = {
    "reverse": {"method": "reverse"},
    "threads": {"method": "reverse", "threads": 3},
    "tape": {"method": "tape"},
}


def check_ways(source: str, name: str, arguments: Sequence[object], seed: int) -> None:
    """The value and a directional derivative of the function of a name in a text: `.real` there is for complex steps only."""
    x, y, *rest = arguments
    rng = np.random.default_rng(seed + 1)
    dx, dy = rng.normal(size=np.shape(x)), rng.normal(size=np.shape(y))
    wanted = function_of(source, f"<{name} {seed} of complex>", name)(x + 1j * STEP * dx, y + 1j * STEP * dy, *rest)
    assert isinstance(wanted, complex)
    program = function_of(source.replace(".real", ""), f"<{name} {seed}>", name)
    for way, options in WAYS.items():
        value, (gx, gy) = fs.value_and_grad(program, wrt=("x", "y"), **options)(x, y, *rest)
        np.testing.assert_allclose(value, wanted.real, rtol=1e-11, err_msg=f"{way}\n{source}")
        size = 1.0 + np.sum(abs(gx * dx)) + np.sum(abs(gy * dy))
        error = abs(np.sum(gx * dx) + np.sum(gy * dy) - wanted.imag / STEP)
        assert error < 1e-12 * size, f"{way}: {error / size}\n{source}"
