"""How times grow where loops change arrays at indices that data give: `python -m benchmarks.growth [--quick]` prints JSON on its
last line.

Each program with n elements and steps, and with twice as many: what copies an array in each step takes four times as long.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks import own
from benchmarks.keeping import keep
from benchmarks.reverse.workload import reference
from benchmarks.timing import alternated
from benchmarks.workloads import in_place

RUNS, SECONDS = 15, 0.01
MOST = 3.0
"""Twice the work is to take at most so many times as long: what fits a faster memory no longer may take more than twice."""

Case = tuple[str, Callable[..., Any], str, Callable[[int], tuple[Any, ...]]]


def compressed(n: int) -> tuple[np.ndarray, ...]:
    """A lower triangle with three entries in each row beside the diagonal, and a vector."""
    rng = np.random.default_rng(0)
    idx = np.stack([*(rng.integers(0, np.arange(n) + 1) for _ in range(3)), np.arange(n)], axis=1).ravel()
    return (
        np.arange(0, 4 * n + 1, 4),
        idx,
        rng.uniform(0.1, 0.3, 4 * n) + 1.0 * (np.arange(4 * n) % 4 == 3),
        rng.uniform(0, 1, n),
    )


def cases() -> Iterator[Case]:
    """A name, a program, what it is differentiated by, and its arguments of size n."""
    rng = np.random.default_rng(0)
    x, places = lambda n: rng.uniform(0.5, 1.0, n), lambda n: rng.integers(0, n, n)
    yield "an element twice in a step", in_place.one_twice, "x", lambda n: (x(n), places(n))
    yield "two arrays in turn", in_place.two_in_turn, "x", lambda n: (x(n), places(n), places(n))
    yield "in a branch", in_place.in_branches, "x", lambda n: (x(n), places(n), places(n))
    yield "rows of four", in_place.rows, "A", lambda n: (rng.uniform(0.5, 1.0, (n, 4)), places(n), places(n))
    yield "triangular solve, compressed", in_place.triangular, "val", compressed
    yield "three sweeps, compressed", in_place.swept, "b", compressed
    yield "Fourier transform in place", in_place.transformed, "re", lambda n: (x(n), x(n))


def measure(*, quick: bool) -> list[dict[str, Any]]:
    """A row for each program, with seconds of a value and of a gradient in reverse mode."""
    n, runs = 4096, 3 if quick else RUNS
    found = []
    for name, f, wrt, arguments in cases():
        row: dict[str, Any] = {"program": name, "n": n}
        for what, function in (("value", fs.function(f)), ("gradient", fs.grad(f, wrt=wrt, method="reverse"))):
            calls = {str(size): own.kernel(reference(), function, *arguments(size)) for size in (n, 2 * n)}
            times = alternated(calls, runs, SECONDS)
            row[what] = [times[str(n)], times[str(2 * n)]]
        found.append(row)
        print(row, file=sys.stderr)
    return found


def table(found: list[dict[str, Any]], *, quick: bool) -> str:
    """The table; writes growth.json and growth.md unless it was quick."""
    lines = [
        "# How times grow in loops that change arrays",
        "",
        f"`python -m benchmarks --only growth` on {platform.machine()}, Python {platform.python_version()}, one core.",
        f"fsmooth's kernels at the C entry, medians of {RUNS} alternated runs; gradients in reverse mode.",
        f"n elements and as many steps, then twice as many, which is to take at most {MOST:g} times as long; bold: more.",
        "",
        "| program | n | value (µs) | twice | gradient (µs) | twice |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for row in found:
        cells = []
        for what in ("value", "gradient"):
            once, twice = row[what]
            ratio = f"{twice / once:.2f}"
            cells += [f"{once * 1e6:.4g}", ratio if twice <= MOST * once else f"**{ratio}**"]
        lines.append(f"| {row['program']} | {row['n']} | {' | '.join(cells)} |")
    text = "\n".join([*lines, ""])
    return text if quick else keep("growth", found, text)


if __name__ == "__main__":
    print(json.dumps(measure(quick="--quick" in sys.argv[1:])))
