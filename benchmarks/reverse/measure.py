"""One row, measured in this process: `python -m benchmarks.reverse.measure NAME [--quick]`; prints JSON on its last line.

fsmooth's kernels are timed at their C entry with buffers made before, like the C by hand.  A derivative that is not right is not
timed; a peer that fails or differs is named in the notes.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks import own
from benchmarks.reverse.rows import ROWS, SMALLER
from benchmarks.reverse.workload import Bounds, Search, Workload, reference, worst
from benchmarks.timing import Call, alternated

try:
    from benchmarks.reverse import peer_jax
except ImportError:
    peer_jax = None  # type: ignore[assignment]

TOLERANCE = 1e-8
MOST = 10.0
"""Seconds that the runs of a row may take."""
MODES = ("ff", "fr", "rf", "rr")


def measured(name: str, runs: int, seconds: float) -> dict[str, Any]:
    """A row as JSON: seconds per call of each contender that is right, and notes on those that are not."""
    row: dict[str, Any] = {"workload": name, "size": "", "seconds": {}, "notes": [], "bounds": asdict(Bounds())}
    calls: dict[str, Call] = {}
    try:
        workload = (ROWS | SMALLER)[name]()
        row["size"], row["bounds"] = workload.size, asdict(workload.bounds)
        fill = _search if isinstance(workload, Search) else _contenders
        fill(workload, calls, row)  # type: ignore[arg-type]
        row["seconds"] = alternated(calls, runs, seconds, MOST) if calls else {}
    except Exception as error:  # the other rows are to be measured all the same
        traceback.print_exc(file=sys.stderr)
        row["notes"].append(reason(error))
    return row


def _contenders(workload: Workload, calls: dict[str, Call], row: dict[str, Any]) -> None:
    derivative = own.kernel(reference(), workload.derivative, *workload.arguments)
    right = _arrays(derivative())
    error = workload.right(right)
    row["error"] = error
    if not error <= TOLERANCE:
        row["notes"].append(f"the derivative is wrong by {error:.1e}")
        return
    primal = own.kernel(reference(), workload.primal, *workload.arguments)
    calls |= {"primal": primal, "derivative": derivative}
    peers: dict[str, Callable[[], Call]] = dict(workload.hand)
    if peer_jax is not None and workload.jax is not None:
        peers["JAX"] = lambda: workload.jax(peer_jax)  # type: ignore[misc]
    for name, make in peers.items():
        wanted = _arrays(primal()) if name == "C primal" else right
        try:
            call = make()
            difference = max([worst(f, w) for f, w in zip(_arrays(call()), wanted, strict=True)])
        except Exception as error:  # a peer's failure must not end the measurement of the others
            row["notes"].append(f"{name}: {reason(error)}")
            continue
        if difference <= TOLERANCE:
            calls[name] = call
        else:
            row["notes"].append(f"{name} differs by {difference:.1e}")


def _search(workload: Search, calls: dict[str, Call], row: dict[str, Any]) -> None:
    for modes in MODES:
        try:
            function = workload.made(modes)
            found = np.asarray(function(workload.start))
        except Exception as error:  # each combination of modes for itself
            traceback.print_exc(file=sys.stderr)
            row["notes"].append(f"{modes}: {reason(error)}")
            continue
        error = worst(found, np.full(found.shape, workload.expected))
        if error <= TOLERANCE:
            calls[modes] = lambda function=function: function(workload.start)  # type: ignore[misc]
        else:
            row["notes"].append(f"{modes} is wrong by {error:.1e}")


def _arrays(result: object) -> list[np.ndarray]:
    if isinstance(result, tuple | list):
        return [x for r in result for x in _arrays(r)]
    return [np.asarray(result)]


def reason(error: BaseException) -> str:
    """An error in one short line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def main() -> None:
    runs, seconds = (5, 0.01) if "--quick" in sys.argv else (15, 0.05)
    row = measured(sys.argv[1], runs, seconds)
    print(json.dumps(row), flush=True)
    os._exit(0)  # JAX's threads need not be waited for


if __name__ == "__main__":
    main()
