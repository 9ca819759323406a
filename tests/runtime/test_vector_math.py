"""Vector math in loops: within 4 ulp, and exact about NaN, infinities, zeros with a sign and subnormal numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fsmooth as fs

SPECIAL = [0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 1e300, -1e300, 5e-324, -5e-324, 1e-310, 709.0, 710.0]
ORDINARY = np.random.default_rng(3).uniform(-3, 3, 210)
UNARY = {
    "sin": (np.sin, lambda v: [fs.sin(x) for x in v]),
    "cos": (np.cos, lambda v: [fs.cos(x) for x in v]),
    "tan": (np.tan, lambda v: [fs.tan(x) for x in v]),
    "asin": (np.arcsin, lambda v: [fs.asin(x) for x in v]),
    "acos": (np.arccos, lambda v: [fs.acos(x) for x in v]),
    "atan": (np.arctan, lambda v: [fs.atan(x) for x in v]),
    "sinh": (np.sinh, lambda v: [fs.sinh(x) for x in v]),
    "cosh": (np.cosh, lambda v: [fs.cosh(x) for x in v]),
    "tanh": (np.tanh, lambda v: [fs.tanh(x) for x in v]),
    "exp": (np.exp, lambda v: [fs.exp(x) for x in v]),
    "expm1": (np.expm1, lambda v: [fs.expm1(x) for x in v]),
    "log": (np.log, lambda v: [fs.log(x) for x in v]),
    "log1p": (np.log1p, lambda v: [fs.log1p(x) for x in v]),
    "exp2": (np.exp2, lambda v: [fs.exp2(x) for x in v]),
    "log2": (np.log2, lambda v: [fs.log2(x) for x in v]),
    "log10": (np.log10, lambda v: [fs.log10(x) for x in v]),
    "cbrt": (np.cbrt, lambda v: [fs.cbrt(x) for x in v]),
    "erfc": (np.vectorize(math.erfc, otypes=[np.longdouble]), lambda v: [fs.erfc(x) for x in v]),
    "erf": (np.vectorize(math.erf, otypes=[np.longdouble]), lambda v: [fs.erf(x) for x in v]),
}
BINARY = {
    "atan2": (np.arctan2, lambda v, w: [fs.atan2(v[k], w[k]) for k in range(len(v))]),
    "hypot": (np.hypot, lambda v, w: [fs.hypot(v[k], w[k]) for k in range(len(v))]),
    "pow": (np.power, lambda v, w: [v[k] ** w[k] for k in range(len(v))]),
}


def check(found: np.ndarray, expected: np.ndarray) -> None:
    """Within 4 ulp, and the same where it is no ordinary number."""
    with np.errstate(over="ignore"):
        rounded = expected.astype(found.dtype)
    assert np.array_equal(np.isnan(found), np.isnan(rounded))
    infinite = np.isinf(rounded) | np.isinf(found)
    assert np.array_equal(found[infinite], rounded[infinite])
    zero = (rounded == 0) | (found == 0)
    assert np.array_equal(np.signbit(found[zero]), np.signbit(rounded[zero]))
    rest = np.isfinite(rounded)
    error = np.abs(found[rest] - expected[rest]) / np.spacing(np.abs(rounded[rest])).astype(np.longdouble)
    assert error.max() <= 4.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    exact, f = UNARY[name]
    program = fs.function(f)
    with np.errstate(all="ignore"):
        v = np.array([*SPECIAL, *ORDINARY], dtype)
        expected = exact(v.astype(np.longdouble))
    check(program(v), expected)
    suffix = "f" if dtype is np.float32 else ""
    assert f"fs_{name}{suffix}(" in program.c_source()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, dtype):
    exact, f = BINARY[name]
    with np.errstate(all="ignore"):
        some = np.array([*SPECIAL, 0.5, 2.0, 3.0, -2.0], dtype)
        v, w = [np.ascontiguousarray(m.ravel()) for m in np.meshgrid(some, some)]
        expected = exact(v.astype(np.longdouble), w.astype(np.longdouble))
    check(fs.function(f)(v, w), expected)
