"""log2, log10, exp2, cbrt and erfc, as `math`, NumPy, SciPy and fsmooth name them: the C library's digits, and their derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import fsmooth as fs

POINTS = (0.04, 0.7, 3.0, 26.0)
NAMES: dict[str, tuple[tuple[Callable[[Any], Any], ...], Callable[[float], float], Callable[[float], float]]] = {
    "log2": (
        (lambda x: math.log2(x), lambda x: np.log2(x), lambda x: fs.log2(x)),
        math.log2,
        lambda x: 1 / (x * math.log(2)),
    ),
    "log10": (
        (lambda x: math.log10(x), lambda x: np.log10(x), lambda x: fs.log10(x)),
        math.log10,
        lambda x: 1 / (x * math.log(10)),
    ),
    "exp2": (
        (lambda x: math.exp2(x), lambda x: np.exp2(x), lambda x: special.exp2(x), lambda x: fs.exp2(x)),
        math.exp2,
        lambda x: math.exp2(x) * math.log(2),
    ),
    "cbrt": (
        (lambda x: math.cbrt(x), lambda x: np.cbrt(x), lambda x: special.cbrt(x), lambda x: fs.cbrt(x)),
        math.cbrt,
        lambda x: x ** (-2 / 3) / 3,
    ),
    "erfc": (
        (lambda x: math.erfc(x), lambda x: special.erfc(x), lambda x: fs.erfc(x)),
        math.erfc,
        lambda x: -2 / math.sqrt(math.pi) * math.exp(-x * x),
    ),
}
CASES = [(name, k) for name, (functions, _, _) in NAMES.items() for k in range(len(functions))]


@pytest.mark.parametrize(("name", "k"), CASES)
def test_values_and_slopes(name: str, k: int) -> None:
    functions, value, slope = NAMES[name]
    for x in POINTS:
        np.testing.assert_allclose(fs.function(functions[k])(x), value(x), rtol=4e-16)
        for method in ("forward", "reverse"):
            np.testing.assert_allclose(fs.grad(functions[k], method=method)(x), slope(x), rtol=4e-15)
        single = fs.grad(functions[k])(np.float32(x))
        np.testing.assert_allclose(single, np.float32(slope(float(np.float32(x)))), rtol=1e-4)


def test_exact_powers() -> None:
    """What a quotient of logarithms misses in the last place."""
    assert [fs.log10(10.0**k) for k in range(16)] == list(range(16))
    assert [fs.log2(2.0**k) for k in range(-1074, 1024, 7)] == list(range(-1074, 1024, 7))
    assert [fs.exp2(float(k)) for k in range(-1074, 1024, 7)] == [2.0**k for k in range(-1074, 1024, 7)]
    assert fs.cbrt(-27.0) == math.cbrt(-27.0)
    assert math.copysign(1.0, fs.cbrt(-0.0)) == -1.0


def test_erfc_has_digits_where_erf_is_one() -> None:
    assert fs.erf(10.0) == 1.0
    np.testing.assert_allclose(fs.erfc(10.0), 2.088487583762545e-45, rtol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_second_derivatives(name: str) -> None:
    slope, step = NAMES[name][2], 1e-5
    for x in POINTS[:3]:
        expected = (slope(x * (1 + step)) - slope(x * (1 - step))) / (2 * x * step)
        for method in ("forward", "reverse"):
            np.testing.assert_allclose(fs.hessian(NAMES[name][0][-1], method=method)(x), expected, rtol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_mapped_over_arrays(name: str) -> None:
    functions, value, slope = NAMES[name]
    x = np.array(POINTS)
    for function in functions[-2:]:
        np.testing.assert_allclose(fs.function(function)(x), [value(v) for v in POINTS], rtol=1e-15)
    total = fs.grad(lambda v: sum(functions[-1](v)))
    np.testing.assert_allclose(total(x), [slope(v) for v in POINTS], rtol=1e-14)
