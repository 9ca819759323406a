"""float32 against float64, the same programs: `python -m benchmarks.widths [--quick]` prints JSON on its last line."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.keeping import keep
from benchmarks.mechanisms.programs import programs
from benchmarks.timing import alternated

WORKLOADS = (
    "mixture, value and gradient",
    "gmm, primal",
    "gmm, derivative",
    "gmm, 32 dimensions, derivative",
    "ba, derivative",
    "kmeans, derivative",
    "nnmf, both factors, derivative",
    "lse, derivative",
    "ht complicated, derivative",
    "lstm, derivative",
    "llsq, derivative",
)
RUNS, SECONDS = 31, 0.004


def single(value: Any) -> Any:
    """The same arguments with arrays of float32 in place of float64."""
    return converted(value, np.float64, np.float32)


def converted(value: Any, old: type, new: type) -> Any:
    """Arguments with arrays of one type of numbers in place of another, in whatever they are."""
    if isinstance(value, np.ndarray):
        return value.astype(new) if value.dtype == old else value
    if isinstance(value, dict):
        return {key: converted(x, old, new) for key, x in value.items()}
    if isinstance(value, tuple | list):
        items = [converted(x, old, new) for x in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def rows(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Seconds of calls through Python in both widths."""
    for program in programs():
        if program.name in WORKLOADS:
            wide, narrow, given = program.make(), program.make(), single(program.arguments)
            calls = {"f64": lambda: wide(*program.arguments), "f32": lambda: narrow(*given)}
            row = {"program": program.name, **alternated(calls, 5 if quick else RUNS, SECONDS)}
            print(row, file=sys.stderr, flush=True)
            yield row


def table(found: list[dict[str, Any]], *, quick: bool) -> str:
    """The table, kept unless it was quick."""
    lines = [
        "# float32 and float64",
        "",
        f"`python -m benchmarks --only widths` on {platform.machine()}, Python {platform.python_version()}, one core.",
        f"Calls through Python, alternated, medians of {RUNS} runs.  The programs are the same; those gain least that have short",
        "rows of functions of `math`, or much arithmetic of indices, which has 64 bits in both.",
        "",
        "| program | float64 (µs) | float32 / float64 |",
        "|---|--:|--:|",
        *[f"| {row['program']} | {row['f64'] * 1e6:.4g} | {row['f32'] / row['f64']:.2f} |" for row in found],
    ]
    text = "\n".join(lines) + "\n"
    return text if quick else keep("widths", found, text)


def main() -> None:
    print(json.dumps(list(rows(quick="--quick" in sys.argv))))


if __name__ == "__main__":
    main()
