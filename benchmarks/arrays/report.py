"""The tables: Markdown and JSON.  What misses its bar is bold."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.arrays.matrices import SMALL
from benchmarks.keeping import keep

FORMS, SAME_SPEED, LARGE = 1.1, 1.0, 2.0
"""The bars: of whole arrays against elements, of linear algebra against NumPy up to SMALL, and above."""
Row = Mapping[str, Any]


def save(result: Mapping[str, Any], command: str) -> str:
    """Write arrays.json and arrays.md; gives the text of the latter."""
    return keep("arrays", result, text_of(result, command))


def text_of(result: Mapping[str, Any], command: str) -> str:
    """The tables."""
    written, solved, called = result["forms"], result["linear algebra"], result["calls"]
    rows, columns, points = result["shape"]
    lines = [
        "# What NumPy's users write",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`).",
        f"Medians of up to {result['runs']} alternated runs, fewer where one takes long.  What misses its bar is bold.",
        "",
        "## Whole arrays against loops over their elements",
        "",
        f"Matrices of {rows} × {columns}, vectors of {rows * columns}, {points} points of 8 coordinates; both forms compiled by",
        "fsmooth, at their C entries with buffers that are reused and lie alike.  Gradients of array results are those of sums",
        f"with weights.  The bar: {FORMS} × the time of the elements, and as many arrays that the C stores besides its results.",
        _within([ratio(r) <= FORMS and r["arrays"]["whole"] <= r["arrays"]["spelled"] for r in written]),
        "",
        "| program | of | whole arrays (µs) | elements (µs) | ratio | arrays: whole | elements | notes |",
        "|---|---|--:|--:|--:|--:|--:|---|",
        *[_form(row) for row in written],
        "",
        "## Linear algebra against NumPy",
        "",
        "Calls through Python, n × n (`lstsq`: 2n × n); `expm` is SciPy's, gradients (∇) are by all arguments, and by hand in",
        "NumPy, as are Jacobians (∂) by right sides, and sums over 20n rows x, one of them the Hessian (∇²) of a regression.",
        "`V (b / s)` is made from the singular value decomposition U s Vᵀ.  fsmooth's time divided by NumPy's,",
        f"both on one thread; the bar is {SAME_SPEED:g} up to n = {SMALL}, {LARGE:g} above.",
        _within([ratio(r) <= bar(r) for r in solved]),
        "",
        *_factorisations(solved),
        "",
        "## Calls",
        "",
        "Through Python; of the runs the fastest.",
        _within([taken(r) <= r["microseconds"] for r in called if r["seconds"]]),
        "",
        "| call | µs | bar (µs) | notes |",
        "|---|--:|--:|---|",
        *[_call(row) for row in called],
    ]
    return "\n".join(lines) + "\n"


def ratio(row: Row) -> float:
    """The first contender's time divided by the second's."""
    first, second = row["seconds"].values()
    return float(first / second)


def bar(row: Row) -> float:
    """What the ratio of a function of linear algebra may be."""
    return SAME_SPEED if row["size"] <= SMALL else LARGE


def taken(row: Row) -> float:
    """The microseconds of a call."""
    return float(row["seconds"]["fsmooth"] * 1e6)


def _within(rows: Sequence[bool]) -> str:
    return f"Within the bar: {sum(rows)} of {len(rows)} rows."


def _marked(text: str, *, misses: bool) -> str:
    return f"**{text}**" if misses else text


def _form(row: Row) -> str:
    whole, spelled = [time * 1e6 for time in row["seconds"].values()]
    quotient, arrays = ratio(row), row["arrays"]
    cells = [
        f"`{row['program']}`",
        row["of"],
        f"{whole:.3g}",
        f"{spelled:.3g}",
        _marked(f"{quotient:.2f}", misses=quotient > FORMS),
        _marked(str(arrays["whole"]), misses=arrays["whole"] > arrays["spelled"]),
        str(arrays["spelled"]),
        "; ".join(row["notes"]),
    ]
    return f"| {' | '.join(cells)} |"


def _factorisations(rows: Sequence[Row]) -> list[str]:
    sizes = list(dict.fromkeys([row["size"] for row in rows]))
    lines = [f"| | {' | '.join([f'n = {n}' for n in sizes])} | notes |", f"|---|{'--:|' * len(sizes)}---|"]
    for name in dict.fromkeys([row["function"] for row in rows]):
        found = {row["size"]: row for row in rows if row["function"] == name}
        cells = [_marked(f"{ratio(found[n]):.2f}", misses=ratio(found[n]) > bar(found[n])) for n in sizes]
        notes = [f"n = {n}: {note}" for n in sizes for note in found[n]["notes"]]
        lines.append(f"| {name} | {' | '.join(cells)} | {'; '.join(notes)} |")
    return lines


def _call(row: Row) -> str:
    notes = "; ".join(row["notes"])
    if not row["seconds"]:
        return f"| {row['call']} | – | {row['microseconds']:g} | not installed here |"
    time = taken(row)
    return f"| {row['call']} | {_marked(f'{time:.2f}', misses=time > row['microseconds'])} | {row['microseconds']:g} | {notes} |"
