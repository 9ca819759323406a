"""Rows of a table, each in a process of its own, so that one that fails, crashes or takes too long is a note in its row."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

LONGEST = 60.0
"""What a row may take in seconds."""


def rows(
    names: Sequence[str], module: str, pinned: Sequence[str], options: Sequence[str], longest: float = LONGEST
) -> list[dict[str, Any]]:
    """What `python -m module NAME` prints on its last line for each name, by the command that comes after `pinned`."""
    made = []
    for name in names:
        made.append(row(name, [*pinned, sys.executable, "-m", module, name, *options], longest))
        times = "  ".join([f"{k} {v * 1e6:.1f} µs" for k, v in made[-1]["seconds"].items()])
        print(f"{name} {made[-1]['size']}: {times} {' · '.join(made[-1]['notes'])}", file=sys.stderr, flush=True)
    return made


def row(name: str, command: Sequence[str], longest: float = LONGEST) -> dict[str, Any]:
    """One of them."""
    failed = {"workload": name, "size": "", "seconds": {}, "bounds": {}}
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=longest, check=False)
    except subprocess.TimeoutExpired:
        return {**failed, "notes": [f"took more than {longest:.0f} s"]}
    lines = made.stdout.splitlines()
    if made.returncode != 0 or not lines:
        said = made.stderr.strip().splitlines()
        return {**failed, "notes": [f"ended with {made.returncode}: {said[-1] if said else ''}"[:200]]}
    found: dict[str, Any] = json.loads(lines[-1])
    if found["notes"]:
        sys.stderr.write(made.stderr)
    return found
