"""Names of macros, of functions of C and of words of C++ are names in programs, in C and in headers."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import fsmooth as fs
from tests.shipping.callers import compiler


def constants(x, HUGE_VAL, M_E, SIZE_MAX, INT64_MAX, FP_NAN, FS_ERROR, EOF, printf, getc):
    """A macro of each kind."""
    product = M_E * SIZE_MAX * INT64_MAX * FP_NAN * FS_ERROR * EOF * printf * getc
    return HUGE_VAL[0] * np.sin(HUGE_VAL[-1]) + x[0] * product


def moved(x, new, this, template):
    """Words of C++."""
    return x + new * this - template


def area(r):
    area = 3.0 * r * r
    return area


def value(count, done, work, size):
    return count * done + work * size


def test_macros() -> None:
    x, y = np.array([0.5, 2.0]), np.array([1.5, 0.25])
    rest = np.arange(2.0, 10.0)
    assert fs.function(constants)(x, y, *rest) == pytest.approx(constants(x, y, *rest), rel=1e-15)
    assert fs.grad(constants)(x, y, *rest) == pytest.approx([np.prod(rest), 0.0])


@pytest.mark.parametrize("how", [{}, {"memory": "caller"}, {"memory": "caller", "profile": "plain"}])
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(("f", "count"), [(moved, 4), (area, 1), (value, 4)])
def test_headers_and_batches(f, count, batch, how, tmp_path) -> None:
    code, header = fs.function(f).save(tmp_path / f.__name__, *[1.5] * count, batch=batch, **how)
    strict = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([compiler(), *strict, code], check=True)
    subprocess.run([compiler(), *strict, "-x", "c++", header], check=True)


@pytest.mark.parametrize("f", [lambda x: np.sum(x), lambda x: np.outer(x, x) @ x, lambda x: np.sin(x) * x])
def test_single_precision_without_vectors(f, tmp_path) -> None:
    given = np.ones(3, np.float32)
    code, _ = fs.function(f).save(tmp_path / "single", given, memory="caller", profile="plain")
    subprocess.run(
        [compiler(), "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", code], check=True
    )
