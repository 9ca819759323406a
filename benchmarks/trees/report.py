"""The tables as Markdown, and their figures as JSON.  What misses its bar is bold."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import apart
from benchmarks.keeping import keep
from benchmarks.trees.rows import CALLS, LOOPS, PAPER, ROWS, TREES

Row = Mapping[str, Any]
_MEASURE, LONGEST = "benchmarks.trees.measure", 300.0

_EXPLANATION = """\
fsmooth's kernels at the C entry, buffers reused, like the C by hand.  Medians of alternated runs in one process for each row, in
seconds that the process had the core: the machine was shared and loaded, so that ratios say more than times.  Every result was
right before it was timed, to 1e-8 of the largest entry of what plain Python, NumPy or a closed form gives.  In brackets: the
bar; bold: missed.  PyTorch (eager) and CoDiPack are measured where they are: a package, and headers in the folder $CODIPACK.
"""
_TREES = [
    "value / C value",
    "gradient / value",
    "gradient / C gradient",
    "tape / gradient",
    "gradient / CoDiPack",
    "gradient / PyTorch",
]
_LOOPS = [
    "value / loop value",
    "gradient / loop gradient",
    "gradient / value",
    "gradient / C gradient",
    "tape / gradient",
]


def table(pinned: Sequence[str]) -> list[dict[str, Any]]:
    """Every row as `measure` gives it, by the command that comes after `pinned`."""
    return apart.rows(list(ROWS), _MEASURE, pinned, [], LONGEST)


def quick_table(pinned: Sequence[str]) -> list[dict[str, Any]]:
    """The same in shorter runs."""
    return apart.rows(list(ROWS), _MEASURE, pinned, ["--quick"], LONGEST)


def save(rows: Sequence[Row], command: str) -> str:
    """Write trees.json and trees.md; gives the text of the latter."""
    return keep("trees", rows, text_of(rows, command))


def text_of(rows: Sequence[Row], command: str) -> str:
    """The tables."""
    found = {row["workload"]: row for row in rows}
    lines = [
        "# Trees and recursion",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`).",
        _EXPLANATION,
        f"Bars that hold: {sum(map(sum, map(held, rows)))} of {sum([len(row['bounds']) for row in rows])}.",
        "",
        *_ratios("trees", [found[name] for name in TREES if name in found], _TREES),
        "",
        "Against loops over arrays by fsmooth, and as C by hand; the derivatives are those in reverse mode.",
        "",
        *_ratios("lists and iterations", [found[name] for name in LOOPS if name in found], _LOOPS),
        "",
        "Table 1 of paper 003, on arrays; of the particles an element is a step of one of four.",
        "",
        "| program | size | value (ns / element) | reverse (ns / element) | tape (ns / element) | notes |",
        "|---|---|--:|--:|--:|---|",
        *[_per_element(found[name]) for name in PAPER if name in found],
        "",
        "| what trees cost to hand over | size | µs | notes |",
        "|---|---|--:|---|",
        *[_call(found[name]) for name in CALLS if name in found],
    ]
    return "\n".join(lines) + "\n"


def held(row: Row) -> list[bool]:
    """Does each bar of a row hold?  What was not measured does not."""
    found = [(measured(row, of), most) for of, most in row["bounds"].items()]
    return [value is not None and value <= most for value, most in found]


def measured(row: Row, of: str) -> float | None:
    """A quotient `a / b` of times, else nanoseconds per element, microseconds per node of `pack`, or of `a - b`.

    Of several ways of the C by hand the fastest counts.
    """
    seconds = row["seconds"]
    if " - " in of:
        first, second = [_fastest(seconds, name) for name in of.split(" - ")]
        return None if first is None or second is None else (first - second) * 1e6
    if " / " in of:
        first, second = [_fastest(seconds, name) for name in of.split(" / ")]
        return None if first is None or second is None else first / second
    time = _fastest(seconds, of)
    return None if time is None else time * (1e6 if of == "pack" else 1e9) / row["elements"]


def _fastest(seconds: Mapping[str, float], name: str) -> float | None:
    return min([t for key, t in seconds.items() if key == name or key.startswith(f"{name}, ")], default=None)


def _ratios(title: str, rows: Sequence[Row], of: Sequence[str]) -> list[str]:
    head = [title, "size", "value (µs)", "gradient (µs)", *of, "notes"]
    lines = [f"| {' | '.join(head)} |", f"|---|---|{'--:|' * (len(of) + 2)}---|"]
    for row in rows:
        times = [row["seconds"].get(name) for name in ("value", "gradient")]
        cells = [f"{t * 1e6:.4g}" if t is not None else "–" for t in times]
        lines.append(_line([row["workload"], row["size"], *cells, *[_cell(row, name) for name in of], _notes(row)]))
    return lines


def _per_element(row: Row) -> str:
    cells = [_cell(row, name) for name in ("value", "gradient", "tape")]
    return _line([row["workload"], row["size"], *cells, _notes(row)])


def _call(row: Row) -> str:
    bounds = list(row["bounds"])
    what = {"pack": "per node", "call - kernel": "more than its kernel"}
    cell = ", ".join([f"{_cell(row, of)} {what.get(of, of)}" for of in bounds])
    return _line([row["workload"], row["size"], cell or "–", _notes(row)])


def _cell(row: Row, of: str) -> str:
    value, most = measured(row, of), row["bounds"].get(of)
    text = "–" if value is None else f"{value:.3g}"
    if most is None:
        return text
    misses = value is None or value > most
    return f"{f'**{text}**' if misses else text} (≤ {most:g})"


def _notes(row: Row) -> str:
    return "; ".join(row["notes"]).replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
