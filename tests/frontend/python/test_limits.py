"""What `np.finfo` and `np.iinfo` know, in programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fsmooth as fs

INFO = np.finfo(float)
NARROW = np.finfo(np.float32)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x * np.finfo(np.float64).eps,
        lambda x: x * np.finfo(float).tiny,
        lambda x: np.minimum(x, np.finfo("float32").max),
        lambda x: x * np.finfo(x.dtype).eps,
        lambda x: x * np.finfo(dtype=float).eps,
        lambda x: x * NARROW.eps,
        lambda x: x * np.finfo(x.dtype).resolution,
        lambda x: x * INFO.eps,
        lambda x: x * (np.iinfo(np.int32).max - np.finfo(np.float32).nmant),
        lambda x: np.sqrt(np.maximum(x, np.finfo(np.float32).smallest_normal)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_as_numpy(program: Any, dtype: Any) -> None:
    x = np.array([0.5, -2.0, 3.0], dtype)
    np.testing.assert_allclose(fs.function(program)(x), program(x), rtol=1e-6)
    if dtype is np.float64:
        np.testing.assert_array_equal(fs.function(program)(x), program(x))


def test_dtypes_stay() -> None:
    assert fs.function(lambda x: x * np.finfo(x.dtype).eps)(np.ones(2, np.float32)).dtype == np.float32


def test_derivatives() -> None:
    assert fs.grad(lambda x: x * np.finfo(float).eps)(1.0) == np.finfo(float).eps


@pytest.mark.parametrize(
    ("program", "error", "message", "hint"),
    [
        (
            lambda x: x * np.finfo(int).eps,
            fs.TypeMismatchError,
            "int is not a dtype of real numbers",
            "np.finfo is for real numbers, np.iinfo for integers",
        ),
        (
            lambda x: x * np.iinfo(x.dtype).max,
            fs.TypeMismatchError,
            "x.dtype is not a dtype of integers",
            "np.finfo is for real numbers, np.iinfo for integers",
        ),
        (lambda x: x * np.finfo(x).eps, fs.TypeMismatchError, "x is not a dtype", "write x.dtype"),
        (
            lambda x: x * np.finfo().eps,
            fs.ArgumentMismatchError,
            "np.finfo takes one dtype, not 0",
            "write np.finfo(float), or np.finfo(x.dtype)",
        ),
    ],
)
def test_what_is_refused(program: Any, error: type[Exception], message: str, hint: str) -> None:
    with pytest.raises(error) as caught:
        fs.function(program)(np.ones(2))
    lines = str(caught.value).splitlines()
    assert lines[0] == message
    assert lines[-1] == f"  hint: {hint}"
