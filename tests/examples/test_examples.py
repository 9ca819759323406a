"""Every program of examples/ runs in a directory of its own and prints what it should."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parents[2] / "examples"


def _numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", text)]


def _bundle_adjustment(lines: list[str]) -> None:
    found = lines[0].startswith("the Ladybug problem")
    assert ("final cost 1.334" if found else "final cost 1.726608e+04") in lines[-1]


def _mixture_model(lines: list[str]) -> None:
    before, after = _numbers(lines[0].replace("->", ""))
    assert before == pytest.approx(-2.910, abs=0.01)
    assert after > -1.85
    assert _numbers(lines[1]) == pytest.approx([-2.0, 0.5, 3.0], abs=0.1)


def _fit_an_ode(lines: list[str]) -> None:
    squares = [_numbers(line)[1] for line in lines[:-1]]
    assert squares[0] > 100.0
    assert squares[-1] < 0.05
    assert _numbers(lines[-1]) == pytest.approx([1.5, 1.0, 3.0, 1.0], abs=0.01)


def _logistic_regression(lines: list[str]) -> None:
    iterations, gradient, accuracy = _numbers(lines[0])
    assert iterations < 40
    assert gradient < 1e-5
    assert accuracy > 0.9


def _newton(lines: list[str]) -> None:
    assert len(lines) < 40
    assert _numbers(lines[-2])[1] < 1e-10
    assert _numbers(lines[-1]) == pytest.approx([1.0] * 10, abs=1e-9)


def _matrix_identities(lines: list[str]) -> None:
    text = "\n".join(lines)
    bodies = re.findall(r"build \(length [MA].*", text)
    assert bodies == [
        "build (length M) (fun r -> delta (length M) r 1.0)",
        "build (length A 1) (fun r -> build (length A) (fun r_1 -> A[r_1][r]))",
        "build (length M) (fun r -> build (length v) (fun r_1 -> v[r_1] * u[r]))",
    ]
    assert lines[-1] == "all three hold"


def _one_sensor(lines: list[str]) -> None:
    assert lines[0] == "399 cells, from 49801 to 50199; most at 50000"
    assert lines[1].startswith("one run: ")


def _ship_c(lines: list[str]) -> None:
    assert lines == ["from C: 25 0 0 0"]


def _tree_lstm(lines: list[str]) -> None:
    losses = [_numbers(line)[1] for line in lines]
    assert losses[0] > 0.6
    assert losses[-1] < 0.1


def _convolution(lines: list[str]) -> None:
    losses = [_numbers(line)[1] for line in lines[:-1]]
    assert losses[0] > 0.6
    assert losses[-1] < 0.3
    assert _numbers(lines[-1])[0] > 0.9


def _char_lstm(lines: list[str]) -> None:
    losses = [_numbers(line)[1] for line in lines[:-1]]
    assert losses[0] > 2.0
    assert losses[-1] < 0.2
    assert lines[-1] == "how much wood would a woodchuck chuck if a woodc"


def _ctc(lines: list[str]) -> None:
    losses = [_numbers(line)[1] for line in lines[:-1]]
    assert losses[0] > 20.0
    assert losses[-1] < 0.5
    assert _numbers(lines[-1])[0] >= 18


def _attention(lines: list[str]) -> None:
    losses = [_numbers(line)[1] for line in lines[:-1]]
    assert losses[0] > 2.0
    assert losses[-1] < 0.05
    assert _numbers(lines[-1])[0] > 990


def _gaussian_process(lines: list[str]) -> None:
    length, height, noise, iterations = _numbers(lines[0])
    assert noise == pytest.approx(0.1, abs=0.02)
    assert 0.8 < length < 2.0
    assert 0.5 < height < 2.0
    assert iterations < 40
    assert _numbers(lines[1])[0] < 0.15


def _strategies(lines: list[str]) -> None:
    assert _numbers(lines[0]) == [1.0] * 5
    assert lines[1] == "fun (n : Int) -> build (maximum n 0) (fun r -> 1.0)"
    assert sum(["get_build" in line for line in lines[2:]]) == 2


_EXPECTED = {
    "bundle_adjustment": _bundle_adjustment,
    "attention": _attention,
    "char_lstm": _char_lstm,
    "convolution": _convolution,
    "ctc": _ctc,
    "fit_an_ode": _fit_an_ode,
    "gaussian_process": _gaussian_process,
    "logistic_regression": _logistic_regression,
    "matrix_identities": _matrix_identities,
    "mixture_model": _mixture_model,
    "newton": _newton,
    "one_sensor": _one_sensor,
    "ship_c": _ship_c,
    "strategies": _strategies,
    "tree_lstm": _tree_lstm,
}


@pytest.mark.parametrize("name", sorted(_EXPECTED))
def test_example(name, tmp_path):
    if name in ("gaussian_process", "logistic_regression"):
        pytest.importorskip("scipy")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(_FOLDER / f"{name}.py")],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.strip().splitlines()
    assert all(not math.isnan(x) for x in _numbers(done.stdout))
    assert "nan" not in done.stdout
    _EXPECTED[name](lines)


def test_every_example_is_tested_and_short():
    programs = {file.stem: len(file.read_text(encoding="utf-8").splitlines()) for file in _FOLDER.glob("*.py")}
    assert set(programs) == set(_EXPECTED)
    assert max(programs.values()) < 60
