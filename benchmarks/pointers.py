"""Compiled programs as C functions: `python -m benchmarks.pointers [--quick]` prints JSON on its last line."""

from __future__ import annotations

import importlib.util
import json
import math
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import LowLevelCallable
from scipy.integrate import quad

import fsmooth as fs
from benchmarks.keeping import keep
from benchmarks.timing import alternated

RUNS, SECONDS = 31, 0.02
CALLS = 100_000


def bell(x, width):
    return np.exp(-0.5 * (x / width) ** 2)


def bell_in_python(x: float, width: float) -> float:
    return math.exp(-0.5 * (x / width) ** 2)


def slope_in_python(x: float, width: float) -> float:
    return x * x / width**3 * math.exp(-0.5 * (x / width) ** 2)


def oscillation(x, a):
    return np.sin(a * x) * np.exp(-x) * np.cos(x * x) + np.log(1.0 + x * x)


def oscillation_in_python(x: float, a: float) -> float:
    return math.sin(a * x) * math.exp(-x) * math.cos(x * x) + math.log(1.0 + x * x)


def bells(x, width):
    total = 0.0
    for k in range(8):
        total += (k + 1.0) * np.exp(-0.5 * ((x - k) / width) ** 2)
    return total


def bells_in_python(x: float, width: float) -> float:
    total = 0.0
    for k in range(8):
        total += (k + 1.0) * math.exp(-0.5 * ((x - k) / width) ** 2)
    return total


def slope_of_bells_in_python(x: float, width: float) -> float:
    total = 0.0
    for k in range(8):
        z = (x - k) / width
        total += (k + 1.0) * math.exp(-0.5 * z * z) * z * z / width
    return total


def integrals() -> Iterator[tuple[str, Any, Callable[..., float], tuple[float, float], float]]:
    """What is integrated: as a program, as Python by hand, from where to where, and the parameter."""
    yield "a bell", fs.function(bell), bell_in_python, (-20.0, 20.0), 2.0
    yield "its derivative by the width", fs.grad(bell, wrt="width"), slope_in_python, (-20.0, 20.0), 2.0
    yield "eight bells", fs.function(bells), bells_in_python, (-10.0, 20.0), 0.5
    yield "their derivative by the width", fs.grad(bells, wrt="width"), slope_of_bells_in_python, (-10.0, 20.0), 0.5
    yield "an oscillation", fs.function(oscillation), oscillation_in_python, (0.0, 6.0), 3.0


def rows(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Seconds of `scipy.integrate.quad` with the C function, with Python, and with the program as Python calls it."""
    runs = 5 if quick else RUNS
    for name, program, by_hand, limits, parameter in integrals():
        pointer = LowLevelCallable(program.integrand(0.5, parameter).ctypes)
        functions = {"pointer": pointer, "python": by_hand, "call": program}
        found = {way: quad(f, *limits, args=(parameter,))[0] for way, f in functions.items()}
        assert np.allclose(list(found.values()), found["python"], rtol=1e-9)
        calls = {way: lambda f=f, at=limits, of=parameter: quad(f, *at, args=(of,)) for way, f in functions.items()}
        row = {"integral": name, **alternated(calls, runs, SECONDS)}
        print(row, file=sys.stderr, flush=True)
        yield row


def from_numba(*, quick: bool) -> float | None:
    """Seconds that a loop of numba's takes for each call of a C function that multiplies; None without numba."""
    if importlib.util.find_spec("numba") is None:
        return None
    import numba  # noqa: PLC0415

    square = fs.function(lambda x: x * x).cfunc(0.5).ctypes

    @numba.njit
    def total(count: int) -> float:
        found = 0.0
        for k in range(count):
            found += square(0.5 * k)
        return found

    assert total(3) == 1.25
    seconds: float = alternated({"loop": lambda: total(CALLS)}, 5 if quick else RUNS, SECONDS)["loop"] / CALLS
    return seconds


def table(found: dict[str, Any], *, quick: bool) -> str:
    """The table, kept unless it was quick."""
    numba = found["numba"]
    lines = [
        "# C functions",
        "",
        f"`python -m benchmarks --only pointers` on {platform.machine()}, Python {platform.python_version()}, one core.",
        f"`scipy.integrate.quad`, alternated, medians of {RUNS} runs: with `LowLevelCallable(f.integrand(…).ctypes)`,",
        "with a Python function of `math` by hand, and with the program itself.",
        "",
        "| integral | C function (µs) | Python / C function (bar 20) | program / C function |",
        "|---|--:|--:|--:|",
        *[
            "| {} | {:.4g} | {:.1f} | {:.1f} |".format(
                row["integral"], row["pointer"] * 1e6, row["python"] / row["pointer"], row["call"] / row["pointer"]
            )
            for row in found["rows"]
        ],
        "",
        "From numba: not measured, it was not there."
        if numba is None
        else f"From a loop that numba compiled, a call of a C function that multiplies takes {numba * 1e9:.1f} ns (bar 60).",
    ]
    text = "\n".join(lines) + "\n"
    return text if quick else keep("pointers", found, text)


def main() -> None:
    quick = "--quick" in sys.argv
    print(json.dumps({"rows": list(rows(quick=quick)), "numba": from_numba(quick=quick)}))


if __name__ == "__main__":
    main()
