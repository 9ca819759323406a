"""Programs in plain loops against NumPy by hand: `python -m benchmarks.plain_loops [--quick]` prints JSON on its last line.

What NumPy computes is what ours is checked against.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.compiling.programs import mixture
from benchmarks.keeping import keep
from benchmarks.timing import alternated
from benchmarks.workloads import plain_loops as loops

RUNS, SECONDS = 21, 0.01
Case = tuple[str, Callable[..., Any], Callable[..., Any] | None, tuple[Any, ...]]


def cases(*, quick: bool) -> Iterator[Case]:
    """A name, a program, the same in NumPy with its gradient, and arguments."""
    rng = np.random.default_rng(0)
    scale = 10 if quick else 1
    x = rng.normal(size=10_000 // scale)
    yield f"smallest of {len(x)}, by min", loops.smallest, None, (x,)
    yield f"smallest of {len(x)}, and where", loops.smallest_and_where, loops.smallest_and_where_in_numpy, (x,)
    points = rng.normal(size=(5_000 // scale, 2))
    yield f"nearest of {len(points)} points", loops.nearest, loops.nearest_in_numpy, (np.array([0.1, 0.2]), points)
    points = rng.normal(size=(2_000 // scale, 30))
    name, centres = f"{len(points)} × 30, 10 centres", points[:10] + 0.5 * rng.normal(size=(10, 30))
    yield f"{name}, by min", loops.clusters, loops.clusters_in_numpy, (centres, points)
    yield f"{name}, by comparing", loops.clusters_by_comparing, loops.clusters_in_numpy, (centres, points)
    labels, weights = rng.integers(0, 10, len(points)), 0.1 * rng.normal(size=(10, 30))
    yield f"{len(points)} × 30, 10 classes", loops.classes, loops.classes_in_numpy, (weights, points, labels)
    n = 20_000 // scale
    given = (rng.integers(0, 500, n), rng.integers(0, 400, n), rng.normal(size=n))
    users, films = rng.normal(size=(500, 16)), rng.normal(size=(400, 16))
    yield f"{n} ratings, 16 factors", loops.ratings, loops.ratings_in_numpy, (users, films, *given)
    particles = 3.0 * rng.normal(size=(200 // scale, 3))
    yield f"forces of {len(particles)}", loops.forces, loops.forces_in_numpy, (particles,)
    yield f"forces of {len(particles)}, rows", loops.forces_of_rows, loops.forces_in_numpy, (particles,)
    yield f"pairs of {400 // scale}, cut off", loops.cut_off, None, (np.array([0.5, 1.0]), x[: 400 // scale])
    yield f"three bells, {n}", mixture, None, (rng.random(6), rng.normal(size=n))
    yield f"volatility, {len(x)}", loops.volatility, None, (np.array([0.1, 0.1, 0.8]), x)


def measure(*, quick: bool) -> list[dict[str, Any]]:
    """A row for each: seconds of a value, of a value and gradient, of a product with the Hessian, and of NumPy."""
    found = []
    for name, f, by_hand, arguments in cases(quick=quick):
        value, gradient, product = fs.function(f), fs.value_and_grad(f), fs.hvp(f)
        tangent = np.ones_like(arguments[0])
        calls: dict[str, Callable[[], Any]] = {
            "value": lambda value=value, arguments=arguments: value(*arguments),
            "gradient": lambda gradient=gradient, arguments=arguments: gradient(*arguments),
            "HVP": lambda product=product, arguments=arguments, tangent=tangent: product(*arguments, tangent=tangent),
        }
        if by_hand is not None:
            for own, numpy_s in zip(gradient(*arguments), by_hand(*arguments), strict=True):
                np.testing.assert_allclose(own, numpy_s, rtol=1e-9, atol=1e-9)
            calls["NumPy"] = lambda by_hand=by_hand, arguments=arguments: by_hand(*arguments)
        times = alternated(calls, 3 if quick else RUNS, SECONDS)
        found.append({"program": name, **times})
        print(found[-1], file=sys.stderr)
    return found


def table(found: list[dict[str, Any]], *, quick: bool) -> str:
    """The table; writes plain_loops.json and plain_loops.md unless it was quick."""
    lines = [
        "# Plain loops",
        "",
        f"`python -m benchmarks --only loops` on {platform.machine()}, Python {platform.python_version()}, one core.",
        f"µs of calls through Python, medians of {RUNS} alternated runs.  Gradients with their values; NumPy by hand has both,",
        "and the same results.",
        "",
        "| program | value | gradient | HVP | NumPy: value and gradient |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in found:
        cells = [f"{row[what] * 1e6:.4g}" if what in row else "" for what in ("value", "gradient", "HVP", "NumPy")]
        lines.append(f"| {row['program']} | {' | '.join(cells)} |")
    text = "\n".join([*lines, ""])
    return text if quick else keep("plain_loops", found, text)


if __name__ == "__main__":
    print(json.dumps(measure(quick="--quick" in sys.argv[1:])))
