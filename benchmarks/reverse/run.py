"""All rows, each in a process of its own, so that one that fails, crashes or takes too long is a note in its row."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.reverse.rows import ROWS, SMALLER

LONGEST = 60.0
"""What a row may take in seconds."""


def table(pinned: Sequence[str]) -> list[dict[str, Any]]:
    """Every row as `measure` gives it, by the command that comes after `pinned`."""
    return _table([*ROWS, *SMALLER], pinned, [])


def quick_table(pinned: Sequence[str]) -> list[dict[str, Any]]:
    """The same without the smaller sizes, in shorter runs."""
    return _table(list(ROWS), pinned, ["--quick"])


def _table(names: Sequence[str], pinned: Sequence[str], options: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for name in names:
        rows.append(_row(name, [*pinned, sys.executable, "-m", "benchmarks.reverse.measure", name, *options]))
        times = "  ".join([f"{k} {v * 1e6:.1f} µs" for k, v in rows[-1]["seconds"].items()])
        print(f"{name} {rows[-1]['size']}: {times} {' · '.join(rows[-1]['notes'])}", file=sys.stderr, flush=True)
    return rows


def _row(name: str, command: Sequence[str]) -> dict[str, Any]:
    failed = {"workload": name, "size": "", "seconds": {}, "bounds": {}}
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return {**failed, "notes": [f"took more than {LONGEST:.0f} s"]}
    lines = made.stdout.splitlines()
    if made.returncode != 0 or not lines:
        said = made.stderr.strip().splitlines()
        return {**failed, "notes": [f"ended with {made.returncode}: {said[-1] if said else ''}"[:200]]}
    row: dict[str, Any] = json.loads(lines[-1])
    if row["notes"]:
        sys.stderr.write(made.stderr)
    return row
