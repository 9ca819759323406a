"""Programs as C functions: called by ctypes, SciPy and numba."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from scipy import LowLevelCallable
from scipy.integrate import quad

import fsmooth as fs
from fsmooth.runtime.library import FsError


def bell(x, width):
    return np.exp(-0.5 * (x / width) ** 2)


def test_numbers() -> None:
    slope = fs.grad(bell, wrt="width").cfunc(0.5, 2.0)
    assert slope.prototype == "double grad_bell_value(double x0, double x1)"
    assert repr(slope) == f"<C function {slope.prototype}>"
    assert slope.symbol_name == "grad_bell_value"
    exact = 0.7**2 / 1.3**3 * bell(0.7, 1.3)
    assert slope(0.7, 1.3) == pytest.approx(exact, rel=1e-14)
    by_address = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(slope.address)
    assert by_address(0.7, 1.3) == slope(0.7, 1.3)


def test_kinds_of_numbers() -> None:
    power = fs.function(lambda x, n, inverse: 1.0 / x**n if inverse else x**n).cfunc(2.0, 3, True)
    assert power.prototype.endswith("(double x0, int64_t x1, bool x2)")
    assert (power(2.0, 5, False), power(2.0, 5, True)) == (32.0, 1.0 / 32.0)
    single = fs.function(lambda x: x * x).cfunc(np.float32(0.5))
    assert single.prototype.startswith("float ")
    assert single(1.5) == 2.25


def test_no_arguments() -> None:
    assert fs.function(lambda: 2.0).cfunc()() == 2.0


def test_scipy_integrates() -> None:
    width = fs.grad(bell, wrt="width")
    found, _ = quad(LowLevelCallable(width.integrand(0.5, 2.0).ctypes), -60.0, 60.0, args=(2.0,))
    assert found == pytest.approx(np.sqrt(2.0 * np.pi), rel=1e-9)
    squared, _ = quad(LowLevelCallable(fs.function(lambda x: x * x).cfunc(0.5).ctypes), 0.0, 3.0)
    assert squared == pytest.approx(9.0, rel=1e-12)


def test_numba_calls() -> None:
    numba = pytest.importorskip("numba")
    slope = fs.grad(bell, wrt="width").cfunc(0.5, 2.0).ctypes

    @numba.njit
    def total(n):
        found = 0.0
        for k in range(n):
            found += slope(0.1 * k, 1.3)
        return found

    assert total(10) == pytest.approx(sum([slope(0.1 * k, 1.3) for k in range(10)]), rel=1e-13)


def test_failures_are_nan() -> None:
    program = fs.function(lambda x, k: np.array([x, 2.0 * x])[k])
    assert program.cfunc(0.5, 0)(3.0, 1) == 6.0
    assert np.isnan(program.cfunc(0.5, 0)(3.0, 2))
    packed = fs.function(bell).integrand(0.5, 1.0)
    assert np.isnan(packed(3, (ctypes.c_double * 3)()))


def test_far_numbers_are_refused() -> None:
    """What is compared would wrap around, and an element be read that is not there."""

    def near(n):
        table = np.array([1.0, 2.0, 3.0])
        return table[n] if n >= 0 and n + 5 < 8 else 0.0

    element = fs.function(near).cfunc(1)
    assert [element(n) for n in (-1, 0, 2, 3)] == [0.0, 1.0, 3.0, 0.0]
    assert element(2**61) == 0.0
    assert np.isnan([element(2**63 - 1), element(2**62), element(-(2**63))]).all()


def test_recursion_too_deep_is_nan() -> None:
    def total(x, n):
        return x if n < 1 else np.sin(total(x, n - 1)) + total(0.5 * x, n - 1 - n)

    program = fs.function(total)
    assert program.cfunc(0.5, 3)(0.5, 3) == program(0.5, 3)
    assert np.isnan(program.cfunc(0.5, 3)(0.5, 10**7))


def test_found_in_the_cache() -> None:
    first, second = [fs.function(bell).cfunc(0.5, 1.0) for _ in range(2)]
    assert first(0.3, 2.0) == second(0.3, 2.0)


def test_the_kernel() -> None:
    pointer = fs.grad(lambda x: x @ x).pointer(np.ones(3))
    assert "const double *restrict x, int64_t x_n0, double *restrict result" in pointer.prototype
    x, gradient, error = np.array([1.0, -2.0, 0.5, 3.0]), np.empty(4), FsError()
    assert pointer(x.ctypes.data, 4, gradient.ctypes.data, ctypes.byref(error)) == 0
    np.testing.assert_array_equal(gradient, 2.0 * x)


def test_what_is_no_function_of_numbers() -> None:
    with pytest.raises(fs.ArgumentError) as caught:
        fs.function(lambda x: x @ x).cfunc(np.ones(3))
    assert str(caught.value) == (
        "anonymous: a C function of numbers takes numbers and gives a real number; "
        "this one takes Array<Float> and gives Float\n"
        "  hint: .pointer() is the C function of any program"
    )
    with pytest.raises(fs.ArgumentError, match="a C function of float64 takes float64 and gives a real number"):
        fs.function(lambda x, n: x * n).integrand(0.5, 3)
    with pytest.raises(fs.ArgumentError, match="gives a real number"):
        fs.function(lambda n: n + 1).cfunc(3)


def test_what_is_captured() -> None:
    factor = np.array([2.0, 3.0])
    with pytest.raises(fs.ArgumentError) as caught:
        fs.function(lambda x: x * factor[0]).cfunc(1.0)
    assert str(caught.value) == (
        "anonymous: a C function has no place for the captured factor\n  hint: make it a parameter"
    )
