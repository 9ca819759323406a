"""Alternated runs: every contender once, then every contender again, …; medians of seconds per call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Call = Callable[[], object]
Clock = Callable[[], float]

FEWEST = 3


def alternated(
    contenders: Mapping[str, Call], runs: int, seconds: float, most: float = 1e9, clock: Clock = time.perf_counter
) -> dict[str, float]:
    """The median seconds per call of each contender over `runs` alternated runs of about `seconds` each.

    Slow contenders get fewer runs, but at least three, such that all runs together take about `most` seconds.  With the clock
    `time.process_time`, time in which other processes run does not count.
    """
    once = {name: _once(call, clock) for name, call in contenders.items()}
    repeats = {name: max(1, min(2_000_000, int(seconds / max(t, 1e-8)))) for name, t in once.items()}
    round_ = sum([repeats[name] * t for name, t in once.items()])
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(max(FEWEST, min(runs, int(most / max(round_, 1e-9))))):
        for name, call in contenders.items():
            times[name].append(_run(call, repeats[name], clock))
    return {name: statistics.median(found) for name, found in times.items()}


def fastest(contenders: Mapping[str, Call], runs: int, seconds: float) -> dict[str, float]:
    """The fewest seconds per call of each contender, run in turns as by `alternated`."""
    repeats = {name: max(1, min(2_000_000, int(seconds / max(_once(call), 1e-8)))) for name, call in contenders.items()}
    times = {name: float("inf") for name in contenders}
    for _ in range(runs):
        for name, call in contenders.items():
            times[name] = min(times[name], _run(call, repeats[name]))
    return times


def _run(call: Call, repeats: int, clock: Clock = time.perf_counter) -> float:
    repeated = getattr(call, "repeated", None)
    if repeated is not None:
        start = clock()
        repeated(repeats)
        return (clock() - start) / repeats
    loop = range(repeats)
    start = clock()
    for _ in loop:
        call()
    return (clock() - start) / repeats


def _once(call: Call, clock: Clock = time.perf_counter) -> float:
    """About the seconds of a call."""
    first = _run(call, 1, clock)
    return first if first > 0.3 else min(_run(call, 3, clock), _run(call, 3, clock))
