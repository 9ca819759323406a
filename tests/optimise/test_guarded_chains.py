"""Statements that leave a loop that may not run: each is computed once under a test, however many follow from it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

import fsmooth as fs
from tests.calls import calls_of

X, V = np.array([0.3, 0.7]), np.array([0.5, -0.25])


def _program(folder: Path, count: int):
    lines = ["import numpy as np", "def long(x):", "    t0 = x[0]", "    t1 = x[1]"]
    lines += [f"    t{k} = 0.5 * t{k - 1} + np.sin(t{k // 2}) * t{k - 2}" for k in range(2, count)]
    path = folder / f"long_{count}.py"
    path.write_text("\n".join([*lines, f"    return t{count - 1}", ""]))
    spec = importlib.util.spec_from_file_location(f"long_{count}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.long


def _second(program):
    return fs.jvp(fs.grad(program, method="forward"), wrt="x")


def test_the_work_is_linear(tmp_path: Path) -> None:
    few, many = (_second(_program(tmp_path, count)) for count in (12, 24))
    assert calls_of(lambda: many.compiled(X, V)) < 3 * calls_of(lambda: few.compiled(X, V))


def test_a_long_program(tmp_path: Path) -> None:
    """The mode is chosen by what is predicted, since it is so long."""
    program = _program(tmp_path, 40)

    def gradient(x):
        return np.array([program(x + 1e-30j * row).imag / 1e-30 for row in np.eye(2)])

    wanted = (gradient(X + 1e-5 * V) - gradient(X - 1e-5 * V)) / 2e-5
    np.testing.assert_allclose(fs.hvp(program)(X, V), wanted, rtol=1e-6)
