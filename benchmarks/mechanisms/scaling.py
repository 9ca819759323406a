"""Each threshold halved and doubled: Markdown and JSON."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Mapping, Sequence

from benchmarks.keeping import keep
from benchmarks.mechanisms.report import Row, measured
from benchmarks.mechanisms.switches import scaled
from fsmooth import thresholds

FACTORS = (0.5, 2.0)


def table(pinned: Sequence[str]) -> str:
    """All of it; writes thresholds.json, with the programs that changed, and thresholds.md."""
    return kept(measured([m for factor in FACTORS for m in scaled(factor)], pinned))


def kept(found: Mapping[str, list[Row]]) -> str:
    """The table of what was measured, which is written down."""
    changed = {name: [row for row in rows if not row.get("same")] for name, rows in found.items()}
    return keep("thresholds", changed, text_of(changed))


def text_of(found: Mapping[str, list[Row]]) -> str:
    """The table, of the programs that changed."""
    lines = [
        "# What half and twice each threshold does",
        "",
        f"`python -m benchmarks --only thresholds` on {platform.machine()}, Python {platform.python_version()}, one core "
        "(`taskset`).",
        "The programs are those of [mechanisms.md](mechanisms.md). *Changed*: programs with other C; of these, the time of a",
        "call divided by that with the threshold as it is: *least*, *median*, *most*; fastest of alternated runs.",
        "What each decides is said in [thresholds.py](../../src/fsmooth/thresholds.py).  Those of chunks change",
        "programs with threads only, of which none is here ([threads.md](threads.md)).",
        "",
        "| threshold | | half: changed | least | median | most | twice: changed | least | median | most |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    left: list[str] = []
    for name, value in vars(thresholds).items():
        if not name.isupper():
            continue
        sides = [_side(found[key]) for factor in FACTORS if (key := f"{name} {factor:g}") in found]
        if len(sides) < len(FACTORS):
            left.append(name)
        else:
            lines.append(f"| {name} | {value:g} | {' | '.join(sides)} |")
    if left:
        lines += ["", f"Not measured: {', '.join(left)}."]
    return "\n".join([*lines, ""])


def _side(rows: Sequence[Row]) -> str:
    if not rows:
        return "– | | | "
    failed = sum(["error" in row for row in rows])
    ratios = [row["run without"] / row["run with"] for row in rows if "run with" in row]
    count = f"{len(rows)}, {failed} fail" if failed else f"{len(rows)}"
    if not ratios:
        return f"{count} | | | "
    return " | ".join([count, *[f"{f(ratios):.2f}" for f in (min, statistics.median, max)]])
