"""Times of every route and of `auto`, in this process: `python -m benchmarks.routes.measure [--quick] [NAME …]`.

Prints JSON on its last line.  A kernel is timed at its C entry; of alternated runs the fastest counts, which what else the
machine does can only make slower.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks import own
from benchmarks.reference import Reference
from benchmarks.routes.programs import Derivative, by, derivatives
from benchmarks.timing import Call, fastest

TOLERANCE = 1e-8


def measured(derivative: Derivative, runs: int, seconds: float, reference: Reference) -> list[dict[str, Any]]:
    """A row for each call: the seconds of each route, and the route that auto took."""
    made = {route: derivative.make(*by(route)) for route in derivative.routes}
    made["auto"] = derivative.make(*["auto"] * len(by(derivative.routes[0])))
    return [
        _row(derivative, shape, arguments, made, (runs, seconds), reference)
        for shape, arguments in derivative.calls.items()
    ]


def _row(
    derivative: Derivative,
    shape: str,
    arguments: Sequence[object],
    made: dict[str, fs.Function],
    length: tuple[int, float],
    reference: Reference,
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "derivative": derivative.name,
        "shape": shape,
        "routes": derivative.routes,
        "seconds": {},
        "notes": [],
    }
    calls: dict[str, Call] = {}
    first: list[np.ndarray] | None = None
    for route, function in made.items():
        try:
            call = own.kernel(reference, function, *arguments)
            found = _arrays(call())
        except Exception as error:  # a route that fails must not end the measurement of the others
            traceback.print_exc(file=sys.stderr)
            row["notes"].append(f"{route}: {type(error).__name__}"[:100])
            continue
        first = [np.array(x) for x in found] if first is None else first
        if not all([_near(x, y) for x, y in zip(first, found, strict=True)]):
            row["notes"].append(f"{route} differs")
            continue
        calls[route] = call
    chosen = made["auto"].compiled(*arguments).choices
    row["taken"] = " of ".join([choice.method.value for choice in reversed(chosen[: len(by(derivative.routes[0]))])])
    row["seconds"] = fastest(calls, *length)
    return row


def _arrays(result: object) -> list[np.ndarray]:
    if isinstance(result, tuple | list):
        return [x for r in result for x in _arrays(r)]
    return [np.asarray(result)]


def _near(x: np.ndarray, y: np.ndarray) -> bool:
    largest = float(np.max(np.abs(x), initial=1e-300))
    return bool(float(np.max(np.abs(x - y), initial=0.0)) <= TOLERANCE * largest)


def main() -> None:
    arguments = [a for a in sys.argv[1:] if a != "--quick"]
    runs, seconds = (5, 0.001) if "--quick" in sys.argv else (15, 0.003)
    reference = Reference()
    rows = []
    for derivative in derivatives():
        if not arguments or any([name in derivative.name for name in arguments]):
            for row in measured(derivative, runs, seconds, reference):
                rows.append(row)
                times = "  ".join([f"{k} {v * 1e6:.2f}" for k, v in row["seconds"].items()])
                print(
                    f"{row['derivative']} {row['shape']}: {times} µs; {row['taken']} {row['notes']}",
                    file=sys.stderr,
                    flush=True,
                )
    print(json.dumps({"runs": runs, "rows": rows}))


if __name__ == "__main__":
    main()
