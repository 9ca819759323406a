"""One row, measured in this process: `python -m benchmarks.trees.measure NAME [--quick]`; prints JSON on its last line.

Programs are timed at their C entries with buffers made before, like the C by hand, in seconds of this process alone.  What is
not right is not timed.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from typing import Any

from benchmarks.reverse.workload import worst
from benchmarks.timing import Call, alternated
from benchmarks.trees.row import Arrays, Contender, Row, flat
from benchmarks.trees.rows import ROWS

TOLERANCE = 1e-8
MOST = 2.0
"""Seconds that the runs of a row may take."""
Length = tuple[int, float]
"""How many runs, and about how many seconds one takes."""
ALL: Length = (9, 0.005)
QUICK: Length = (3, 0.001)


def measured(name: str, row: Row, length: Length) -> dict[str, Any]:
    """A row as JSON: seconds per call of each contender that is right, and notes on those that are not."""
    notes: list[str] = []
    calls: dict[str, Call] = {}
    for contender, made in row.contenders.items():
        try:
            call = made.make()
            error = _error(made, flat(call()))
        except Exception as failure:  # the others are to be measured all the same
            traceback.print_exc(file=sys.stderr)
            said = str(failure).strip().splitlines()
            notes.append(f"{contender}: {type(failure).__name__}: {said[0] if said else ''}"[:200])
            continue
        if error <= TOLERANCE:
            calls[contender] = call
        else:
            notes.append(f"{contender} is wrong by {error:.1e}")
    seconds = alternated(calls, *length, MOST, time.process_time) if calls else {}
    return {
        "workload": name,
        "size": row.size,
        "seconds": seconds,
        "bounds": dict(row.bounds),
        "elements": row.elements,
        "notes": notes,
    }


def _error(contender: Contender, found: Arrays) -> float:
    if contender.right is None:
        return 0.0
    return max([worst(f, w) for f, w in zip(found, contender.right, strict=True)], default=0.0)


def main() -> None:
    name = sys.argv[1]
    print(json.dumps(measured(name, ROWS[name](), QUICK if "--quick" in sys.argv else ALL)), flush=True)


if __name__ == "__main__":
    main()
