"""What type checkers and editors see: functions keep their parameters, verbs say what they give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import fsmooth

PROGRAM = """\
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import fsmooth as fs

Vector = npt.NDArray[np.float64]


@fs.function
def energy(x: Vector, k: float = 1.0) -> float:
    return k * float(sum(a * a for a in x))


@fs.function(schedule="REAL")
def twice(x: float) -> float:
    return 2.0 * x


def plain(x: Vector, k: float) -> float:
    return k


x = np.ones(3)
assert_type(energy(x), float)
assert_type(energy(x, k=2.0, out=1.0), float)
assert_type(twice(1.0), float)
assert_type(fs.grad(energy)(x, 2.0), Any)
assert_type(fs.value_and_grad(plain)(x, 2.0), tuple[float, Any])
assert_type(fs.jvp(plain)(x, 2.0, tangent=x), tuple[float, Any])
value, pullback = fs.vjp(plain)(x, k=2.0)
assert_type(value, float)
assert_type(pullback.c_source(), str)
assert_type(fs.custom_derivative(jvp=plain)(plain)(x, 2.0), float)
assert_type(fs.unroll(range(3)), range)
fs.vmap(fs.grad(energy), in_axes=(0, None))(x, 2.0)
fs.set_log(print)
energy("no")  # wrong
fs.hessian(plain)(x)  # wrong
fs.mgrad(plain)(x, 1.0, 2.0)  # wrong
fs.grad(energy, method=3)  # wrong
"""


def test_a_program_of_a_user_who_checks_types(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert (Path(fsmooth.__file__).parent / "py.typed").is_file()
    (tmp_path / "program.py").write_text(PROGRAM)
    made = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", "--no-error-summary", "program.py"],
        env={**os.environ, "MYPYPATH": str(Path(fsmooth.__file__).parents[1])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line.split(":") for line in made.stdout.splitlines() if ": error:" in line]
    wrong = [str(k) for k, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]
    assert [(file, line) for file, line, *_ in errors] == [("program.py", line) for line in wrong], made.stdout
