"""Every program and derivative in a process of its own, with an empty cache, and the table: Markdown and JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from benchmarks.compiling.measure import VERBS
from benchmarks.compiling.programs import examples
from benchmarks.keeping import keep

QUICK = ("pendulum", "gaussian", "option")
LONG = ("200", ("value", "gradient"))
"""A program of so many statements, and what is asked of it."""
FASTEST_OF = 3

Row = dict[str, Any]


def measured(names: Sequence[str], runs: int, pinned: Sequence[str]) -> list[Row]:
    """A row for each program and derivative; of several runs the one that took the fewest processor seconds."""
    wanted = [(name, verb) for name in names for verb in VERBS] + [(LONG[0], verb) for verb in LONG[1]]
    return [
        {
            "program": name,
            "verb": verb,
            **min([_first_call(name, verb, pinned) for _ in range(runs)], key=lambda r: r["processor"]),
        }
        for name, verb in wanted
    ]


def _first_call(name: str, verb: str, pinned: Sequence[str]) -> dict[str, float]:
    return _measured([name, verb], pinned)


def _measured(what: Sequence[str], pinned: Sequence[str]) -> dict[str, float]:
    command = [*pinned, sys.executable, "-m", "benchmarks.compiling.measure", *what]
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "FSMOOTH_CACHE_DIR": empty}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # fsmooth itself is compiled where it is installed
        made = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=240, check=True)
    found: dict[str, float] = json.loads(made.stdout.splitlines()[-1])
    return found


def table(pinned: Sequence[str]) -> str:
    """All of it; writes compile.json and compile.md."""
    rows = measured(list(examples()), FASTEST_OF, pinned)
    shared = min([_measured([], pinned)["seconds"] for _ in range(FASTEST_OF)])
    text = text_of(rows, shared, "python -m benchmarks --only compile")
    keep("compile", rows, text)
    return text


def quick_table(pinned: Sequence[str]) -> str:
    """A few programs, once each; saves nothing."""
    return text_of(
        measured(QUICK, 1, pinned), _measured([], pinned)["seconds"], "python -m benchmarks --only compile --quick"
    )


def text_of(rows: Sequence[Row], shared: float, command: str) -> str:
    """The table."""
    lines = [
        "# What users wait for the compiler",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`).",
        "Seconds of a first call in a new process that has imported fsmooth, with an empty cache; the C compiler is counted.",
        f"Of each, {shared:.2f} are for C that all programs share: only the first one on a machine waits for it, and with two",
        "processors it is compiled beside the program.",
        "",
        f"| | {' | '.join(VERBS)} |",
        f"|---|{'--:|' * len(VERBS)}",
    ]
    small = [row for row in rows if row["program"] != LONG[0]]
    for name, value in (("median", statistics.median), ("most", max)):
        found = [value([row["seconds"] for row in small if row["verb"] == verb]) for verb in VERBS]
        lines.append(f"| **{name}** | {' | '.join([f'{seconds:.2f}' for seconds in found])} |")
    for program in dict.fromkeys([row["program"] for row in rows]):
        times = {row["verb"]: row["seconds"] for row in rows if row["program"] == program}
        title = f"{program} statements" if program == LONG[0] else program
        lines.append(f"| {title} | {' | '.join([f'{times[v]:.2f}' if v in times else '–' for v in VERBS])} |")
    return "\n".join(lines) + "\n"
