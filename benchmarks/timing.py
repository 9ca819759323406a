"""Alternated runs: every contender once, then every contender again, …; medians of seconds per call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Call = Callable[[], object]


def alternated(contenders: Mapping[str, Call], runs: int, seconds: float) -> dict[str, float]:
    """The median seconds per call of each contender over `runs` alternated runs of about `seconds` each."""
    repeats = {name: _repeats(call, seconds) for name, call in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, call in contenders.items():
            times[name].append(_run(call, repeats[name]))
    return {name: statistics.median(found) for name, found in times.items()}


def _run(call: Call, repeats: int) -> float:
    repeated = getattr(call, "repeated", None)
    if repeated is not None:
        start = time.perf_counter()
        repeated(repeats)
        return (time.perf_counter() - start) / repeats
    loop = range(repeats)
    start = time.perf_counter()
    for _ in loop:
        call()
    return (time.perf_counter() - start) / repeats


def _repeats(call: Call, seconds: float) -> int:
    call()
    once = min(_run(call, 3), _run(call, 3))
    return max(1, min(2_000_000, int(seconds / max(once, 1e-8))))
