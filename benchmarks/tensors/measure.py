"""All rows in this process: `python -m benchmarks.tensors.measure [--quick]` prints JSON on its last line.

Every contender is called through Python.  What is not right, compared with the first peer that is there, is not timed.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from benchmarks.flat import arrays_of
from benchmarks.tensors.rows import SIZES, Row, models, products
from benchmarks.timing import alternated

TOLERANCE = {"float64": 1e-9, "float32": 2e-3}
RUNS, SECONDS, MOST = 31, 0.002, 4.0
"""How many runs, about how many seconds one takes, and all runs of a row."""


def measured(row: Row, *, quick: bool) -> dict[str, Any]:
    """A row as JSON: seconds per call of each contender that is there and right."""
    notes: list[str] = []
    start = time.perf_counter()
    own = row.own()
    calls, found = {"fsmooth": own}, own()
    first = time.perf_counter() - start
    for name, make in row.peers.items():
        try:
            call = make()
            wanted = call()
        except ImportError as failure:
            notes.append(f"{name}: {failure}"[:80])
            continue
        if _differ(found, wanted, TOLERANCE[row.precision]):
            notes.append(f"{name} gives something else")
        else:
            calls[name] = call
    seconds = alternated(calls, 5 if quick else RUNS, SECONDS, MOST)
    print(f"{row.name} {row.size} {row.precision}: {seconds} {notes}", file=sys.stderr, flush=True)
    return {
        "program": row.name,
        "size": row.size,
        "precision": row.precision,
        "seconds": seconds,
        "first": first,
        "bars": dict(row.bars),
        "notes": notes,
    }


def _differ(found: object, wanted: object, tolerance: float) -> bool:
    xs, ys = arrays_of(found), arrays_of(wanted)
    return len(xs) != len(ys) or any([_worst(x, y) > tolerance for x, y in zip(xs, ys, strict=True)])


def _worst(x: np.ndarray, y: np.ndarray) -> float:
    if x.shape != y.shape:
        return float("inf")
    return float(np.max(np.abs(x - y), initial=0.0) / np.max(np.abs(y), initial=1e-300))


def main() -> None:
    quick = "--quick" in sys.argv
    rows = {
        "products": [measured(row, quick=quick) for row in products(SIZES[:2] if quick else SIZES)],
        "models": [measured(row, quick=quick) for row in models(quick=quick)],
    }
    print(json.dumps({"runs": RUNS, **rows}))


if __name__ == "__main__":
    main()
