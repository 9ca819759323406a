"""Reads and writes through arrays of indices, against SciPy and NumPy: `python -m benchmarks.sparse [--quick]` prints JSON on its
last line.

The arrays are as SciPy and NumPy make them, writeable, of int64 and of int32.
"""

# ruff: noqa: F722, F821, UP037  (the names of sizes)

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

import fsmooth as fs
from benchmarks.keeping import keep
from benchmarks.timing import alternated

RUNS, SECONDS = 25, 0.02
WIDTHS = (np.int64, np.int32)
Calls = dict[str, Callable[[], Any]]


def product(
    starts: fs.Array["*", fs.Offsets["m"]],
    columns: fs.Array["m", fs.Index["k"]],
    data: fs.Array["m"],
    x: fs.Array["k"],
):
    n = len(starts) - 1
    return [sum(data[j] * x[columns[j]] for j in range(starts[i], starts[i + 1])) for i in range(n)]


def gathered(idx: fs.Array["m", fs.Index["n"]], x: fs.Array["n"]):
    return sum(x[i] for i in idx)


def scattered(idx: fs.Array["m", fs.Index["n"]], e: fs.Array["m"], h: fs.Array["n"]):
    h = h.copy()
    for j in range(len(idx)):
        h[idx[j]] += e[j]
    return h


def cases(*, quick: bool) -> Iterator[tuple[str, int, type, Calls]]:
    """What is computed, of how many elements, with indices of which width, and how: with fsmooth first."""
    rng = np.random.default_rng(0)
    sizes = (
        ((5_000, 20), (20_000, 5)) if quick else ((200_000, 20), (5_000, 20), (800_000, 5), (20_000, 5), (1_000, 100))
    )
    for n, row in sizes:
        m = n * row
        data, columns, x = rng.normal(size=m), rng.integers(0, n, m), rng.normal(size=n)
        for width in WIDTHS:
            starts, own = (np.arange(n + 1) * row).astype(width), columns.astype(width)
            A = sparse.csr_matrix((n, n))
            A.data, A.indices, A.indptr = data, own, starts
            f = fs.function(product)
            calls: Calls = {
                "fsmooth": lambda f=f, A=A, x=x: f(A.indptr, A.indices, A.data, x),
                "SciPy": lambda A=A, x=x: A @ x,
            }
            yield f"A @ x, {row} in each of {n:,} rows", m, width, calls
    for m, n in ((100_000, 5_000),) if quick else ((4_000_000, 200_000), (100_000, 5_000)):
        x, e, wide = rng.normal(size=n), rng.normal(size=m), rng.integers(0, n, m)
        for width in WIDTHS:
            idx = wide.astype(width)
            f, g = fs.function(gathered), fs.function(scattered)
            yield (
                "sum of x[idx]",
                m,
                width,
                {
                    "fsmooth": lambda f=f, idx=idx, x=x: f(idx, x),
                    "NumPy": lambda idx=idx, x=x: np.sum(x[idx]),
                },
            )
            yield (
                "h[idx] += e",
                m,
                width,
                {
                    "fsmooth": lambda g=g, idx=idx, e=e, x=x: g(idx, e, x),
                    "NumPy": lambda idx=idx, e=e, x=x: _added(x, idx, e),
                },
            )


def _added(h: np.ndarray, idx: np.ndarray, e: np.ndarray) -> np.ndarray:
    h = h.copy()
    np.add.at(h, idx, e)
    return h


def rows(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Seconds of calls through Python."""
    for what, count, width, calls in cases(quick=quick):
        ours, theirs = [call() for call in calls.values()]
        assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        seconds = alternated(calls, 5 if quick else RUNS, SECONDS, clock=time.process_time)
        row = {
            "what": what,
            "count": count,
            "width": width.__name__,
            "peer": list(calls)[1],
            "seconds": [*seconds.values()],
        }
        print(row, file=sys.stderr, flush=True)
        yield row


def table(found: list[dict[str, Any]], *, quick: bool) -> str:
    """The table, kept unless it was quick."""
    lines = [
        "# Reads and writes through indices",
        "",
        f"`python -m benchmarks --only sparse` on {platform.machine()}, Python {platform.python_version()}, one core.",
        f"Calls through Python with writeable arrays, alternated, medians of the processor's time of {RUNS} runs.",
        "The indices are checked in each call.",
        "",
        "| | indices | fsmooth (µs) | against | fsmooth / it |",
        "|---|---|--:|---|--:|",
        *[
            "| {what} | {count:,} of {width} | {0:.4g} | {peer} | {1:.2f} |".format(
                row["seconds"][0] * 1e6, row["seconds"][0] / row["seconds"][1], **row
            )
            for row in found
        ],
    ]
    text = "\n".join(lines) + "\n"
    return text if quick else keep("sparse", found, text)


def main() -> None:
    print(json.dumps(list(rows(quick="--quick" in sys.argv))))


if __name__ == "__main__":
    main()
