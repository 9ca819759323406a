"""Functions of NumPy and math, and partials, as programs and in programs."""

from __future__ import annotations

import functools
import math
import pickle

import numpy as np
import pytest

import fsmooth as fs

WEIGHTS = np.array([1.0, 2.0, 3.0])


def power(k, x, n=3):
    return k * x**n


def weighed(w, v):
    return sum(w[i] * v[i] for i in range(len(v)))


captured = functools.partial(weighed, WEIGHTS)


def test_functions_without_source() -> None:
    assert fs.grad(np.sin)(1.0) == fs.grad(math.sin)(1.0) == fs.grad(fs.sin)(1.0) == math.cos(1.0)
    assert fs.grad(np.arctan2, wrt=(0, 1))(1.0, 2.0) == pytest.approx((0.4, -0.2), rel=1e-15)
    assert fs.grad(math.atan2, wrt="y")(1.0, 2.0) == pytest.approx(0.4, rel=1e-15)
    assert fs.grad(np.sum)(np.ones(3)).tolist() == fs.grad(sum)(np.ones(3)).tolist() == [1.0, 1.0, 1.0]
    assert fs.function(np.dot)(WEIGHTS, WEIGHTS) == 14.0
    assert fs.hessian(np.exp)(0.0) == 1.0
    assert fs.jvp(np.tanh)(0.0, tangent=2.0) == (0.0, 2.0)
    assert np.diag(fs.jacobian(np.sin)(WEIGHTS)) == pytest.approx(np.cos(WEIGHTS), rel=1e-15)  # computed in vectors
    assert fs.function(lambda x: fs.grad(np.sin)(x) * fs.grad(math.exp)(x))(0.0) == 1.0
    assert fs.grad(np.sin).__name__ == "grad_sin"
    assert pickle.loads(pickle.dumps(fs.grad(np.sin)))(0.0) == 1.0
    assert fs.check_derivative(np.sin, 1.0)


def test_what_there_is_no_program_for() -> None:
    with pytest.raises(fs.UnsupportedError, match="fft cannot be used in a compiled function"):
        fs.grad(np.fft.fft)(np.ones(3))
    with pytest.raises(fs.SourceNotAvailableError, match="print is not a Python function"):
        fs.grad(print)(1.0)


def test_partials() -> None:
    assert fs.grad(functools.partial(power, 2.0))(3.0) == 54.0
    assert fs.grad(functools.partial(power, 2.0))(3.0, 2) == 12.0
    assert fs.grad(functools.partial(power, 2.0, n=2))(3.0) == 12.0
    assert fs.grad(functools.partial(power, k=2.0), wrt="x")(x=3.0) == 54.0
    assert fs.function(functools.partial(functools.partial(power, 2.0), n=1))(3.0) == 6.0


def test_what_a_partial_holds_is_read_anew() -> None:
    """As captured arrays are."""
    weights = np.ones(3)
    program = fs.function(functools.partial(weighed, weights))
    assert program(np.ones(3)) == 3.0
    weights[:] = 5.0
    assert program(np.ones(3)) == 15.0
    inside = fs.function(lambda v: captured(v) * 2.0)
    assert inside(np.ones(3)) == 12.0
    WEIGHTS[0] += 1.0
    try:
        assert inside(np.ones(3)) == 14.0
    finally:
        WEIGHTS[0] -= 1.0


def test_partials_made_in_programs() -> None:
    def inner(x):
        square = functools.partial(power, n=2)
        thrice = functools.partial(square, 3.0)
        return thrice(x) + fs.grad(functools.partial(power, 2.0))(x) + functools.partial(math.atan2, x)(2.0)

    assert fs.function(inner)(1.5) == pytest.approx(inner_by_hand(1.5), rel=1e-14)

    def wrong(x):
        return functools.partial(x)(x)

    with pytest.raises(fs.TypeMismatchError, match="partial takes a function first"):
        fs.function(wrong)(1.0)
    with pytest.raises(fs.ArgumentMismatchError, match="partial takes a function first"):
        fs.function(lambda x: functools.partial()(x))(1.0)  # type: ignore[call-arg]


def inner_by_hand(x: float) -> float:
    return 3.0 * x**2 + 6.0 * x**2 + math.atan2(x, 2.0)
