"""Futhark's own compiler, where it is on the PATH: it accepts the text, computes the same, and its derivative is ours."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.futhark.entry import futhark
from tests.futhark.harness import agree, flat, flat_arguments
from tests.futhark.workloads import WORKLOADS
from tests.lower.harness import expected
from tests.lower.programs import PROGRAMS

COMPILER = shutil.which("futhark")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="not here: futhark (put Futhark's compiler on the PATH)")

CHECKED = [name for name in PROGRAMS if not name.startswith("prim_")]
COMPUTED = ("dot", "histogram", "fold_array", "sum_of_deltas", "matmul", "collect", "two_states", "tuple_argument")
"""A compilation each."""


def _accepted(folder: Path, text: str) -> Path:
    file = folder / "program.fut"
    file.write_text(text)
    done = subprocess.run([str(COMPILER), "check", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return file


def _run(folder: Path, text: str, entry: str, arguments: list[Any]) -> list[Any]:
    """The results of an entry point, compiled to C by Futhark."""
    file = _accepted(folder, text)
    program = folder / "program"
    subprocess.run([str(COMPILER), "c", str(file), "-o", str(program)], capture_output=True, check=True)
    given = "\n".join(map(_written, arguments))
    done = subprocess.run([str(program), "-e", entry], input=given, capture_output=True, text=True, check=True)
    return _values(done.stdout)


def _written(value: Any) -> str:
    """A number or an array as Futhark reads it."""
    if isinstance(value, np.ndarray):
        name = {"f": f"f{value.dtype.itemsize * 8}", "i": "i64", "b": "bool"}[value.dtype.kind]
        if value.size == 0:
            return f"empty({''.join([f'[{n}]' for n in value.shape])}{name})"
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, np.bool_):
        return str(value).lower()
    suffix = {np.float64: "f64", np.float32: "f32", np.int64: "i64"}[type(value)]
    if np.isnan(value):
        return f"{suffix}.nan"
    return f"{'-' if value < 0 else ''}{suffix}.inf" if np.isinf(value) else f"{value}{suffix}"


def _values(text: str) -> list[Any]:
    """What Futhark prints: numbers, and arrays as lists."""
    tokens = re.findall(r"empty\([^)]*\)|[\[\]]|[^\s,\[\]]+", text)
    stack: list[list[Any]] = [[]]
    for token in tokens:
        if token == "[":
            stack.append([])
        elif token == "]":
            done = stack.pop()
            stack[-1].append(done)
        elif token.startswith("empty"):
            stack[-1].append([])
        elif token in ("true", "false"):
            stack[-1].append(token == "true")
        else:
            plain = re.sub(r"^(-?)f(64|32)\.", r"\1", token)
            stack[-1].append(float(re.sub(r"(f64|f32|i64)$", "", plain)))
    return stack[0]


@pytest.mark.parametrize("name", CHECKED)
def test_futhark_accepts_the_text(name: str, tmp_path: Path) -> None:
    _accepted(tmp_path, futhark(PROGRAMS[name][0], "program"))


@pytest.mark.parametrize("name", WORKLOADS)
def test_futhark_accepts_workloads(name: str, tmp_path: Path) -> None:
    function, given = WORKLOADS[name]
    _accepted(tmp_path, function.futhark(*given))


@pytest.mark.parametrize("name", COMPUTED)
def test_futhark_computes_the_same(name: str, tmp_path: Path) -> None:
    term, cases = PROGRAMS[name]
    arguments = flat_arguments(cases[0], [q.type for q in term.parameters])
    found = _run(tmp_path, futhark(term, "program"), "program", arguments)
    agree(found, list(flat(expected(term, *cases[0]), term.body.type)), 1e-10)


def test_the_primitives(tmp_path: Path) -> None:
    """At a point at which all have a value."""
    for name in ("expm1", "exp2", "digamma", "trigamma", "sigmoid", "sign", "maximum", "fmod", "erf", "lgamma"):
        term, cases = PROGRAMS[f"prim_{name}_Float"]
        case = cases[0]
        found = _run(tmp_path, futhark(term, "program"), "program", [np.float64(x) for x in case])
        agree(found, list(flat(expected(term, *case), term.body.type)), 1e-10)


def test_our_gradient_is_theirs(tmp_path: Path) -> None:
    def loss(u: fs.Array["n"], v: fs.Array["n"]):  # noqa: F821
        return sum(fs.tanh(u[i] * v[i]) + fs.exp(-u[i]) for i in range(len(u)))

    u, v = np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.25, -0.5])
    found = _run(tmp_path, fs.grad(loss).futhark(u, v, ad="futhark"), "grad_loss", [u, v])
    agree(found, [np.asarray(fs.grad(loss)(u, v))], 1e-10)
