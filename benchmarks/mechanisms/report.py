"""Each mechanism in a process of its own, and the table: Markdown and JSON."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from benchmarks.keeping import keep
from benchmarks.mechanisms.switches import Mechanism, mechanisms

BAR = 1.1
"""A mechanism pays if there is a program that takes so many times as long without it."""

Row = dict[str, Any]


def table(pinned: Sequence[str]) -> str:
    """All of it; writes mechanisms.json, with the programs that changed, and mechanisms.md."""
    return kept(measured(mechanisms(), pinned))


def kept(found: dict[str, list[Row]]) -> str:
    """The table of what was measured, which is written down."""
    changed = {name: [row for row in rows if not row.get("same")] for name, rows in found.items()}
    return keep("mechanisms", changed, text_of(found, "python -m benchmarks --only mechanisms"))


def measured(chosen: Sequence[Mechanism], pinned: Sequence[str]) -> dict[str, list[Row]]:
    """For each mechanism a row for each program."""
    with tempfile.TemporaryDirectory() as folder:
        _run([folder], pinned)
        return {m.name: _run([folder, m.name], pinned) for m in chosen}


def _run(arguments: Sequence[str], pinned: Sequence[str]) -> Any:
    command = [*pinned, sys.executable, "-m", "benchmarks.mechanisms.measure", *arguments]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(made.stdout.splitlines()[-1])


def text_of(found: dict[str, list[Row]], command: str) -> str:
    """The table."""
    count = max([len(rows) for rows in found.values()])
    lines = [
        "# What each mechanism buys",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`).",
        f"{count} programs: all routes, users' programs, the examples, whole arrays, assignments, the field's workloads,",
        "and those that mechanisms were written for.",
        "*Changed*: programs with other C without the mechanism; *needed*: that cannot be compiled, or fail, without it.",
        "*Most*, *median*, *least*: the time of a call without it divided by that with it, of changed programs; fastest of",
        "alternated runs.",
        "*Compile*: fsmooth's processor seconds without it divided by those with it, all programs together.",
        f"**Bold**: no program takes {BAR} times as long without it.",
        "",
        "| mechanism | room | changed | needed | most | median | least | compile | slowest without it |",
        "|---|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    rooms = {m.name: m.room for m in mechanisms()}
    return "\n".join([*lines, *[_line(name, rooms[name], rows) for name, rows in found.items()], ""])


def _line(name: str, room: str, rows: list[Row]) -> str:
    changed = [row for row in rows if not row.get("same")]
    needed = [row for row in changed if "error" in row]
    ratios = {row["program"]: row["run without"] / row["run with"] for row in changed if "run with" in row}
    compiled = [row for row in rows if "seconds" in row]
    usual = sum([row["with"] for row in compiled])
    compile_ = f"{sum([row['seconds'] for row in compiled]) / usual:.2f}" if compiled else "–"
    most = max(ratios, key=lambda program: ratios[program]) if ratios else ""
    figures = [max, statistics.median, min]
    run = [f"{figure(list(ratios.values())):.2f}" if ratios else "–" for figure in figures]
    pays = bool(needed) or (bool(ratios) and ratios[most] >= BAR)
    shown = name if pays else f"**{name}**"
    return (
        f"| {shown} | {room} | {len(changed) or '–'} | {len(needed) or '–'} | {' | '.join(run)} | {compile_} | {most} |"
    )
