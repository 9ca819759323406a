"""The table of ratios as Markdown, and its figures as JSON."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

from benchmarks.keeping import keep

_EXPLANATION = """\
fsmooth's kernels at the C entry, buffers reused, like the C by hand; JAX (`jit`, 64-bit numbers) through its Python call.
Medians of alternated runs in one process for each row.  Every derivative was right before it was timed: to 1e-8 of each entry
of the suites' expected values, or of a closed form's largest entry.  In brackets: what the row has to show; bold: not shown.
Derivative / own primal and / C: below is better.  JAX / derivative: how many times faster fsmooth is.
"""


def save(rows: list[dict[str, Any]], cold: Mapping[str, float | str], command: str) -> str:
    """Write reverse.json and reverse.md; gives the text of the latter."""
    return keep("reverse", {"rows": rows, "cold": cold}, text_of(rows, cold, command))


def text_of(rows: list[dict[str, Any]], cold: Mapping[str, float | str], command: str) -> str:
    """The table."""
    lines = [
        "# Derivatives of the field's workloads",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`).",
        _EXPLANATION,
        "| workload | size | primal (µs) | derivative (µs) | / primal | / C | primal / C | JAX / derivative | notes |",
        "|---|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    lines += [_line(row) for row in rows if not _is_search(row)]
    lines += ["", "| search | ff (ms) | fr (ms) | rf (ms) | rr (ms) | notes |", "|---|--:|--:|--:|--:|---|"]
    for row in rows:
        if _is_search(row):
            most = row["bounds"].get("milliseconds")
            cells = [_at_most(row["seconds"].get(m), 1e-3, most) for m in ("ff", "fr", "rf", "rr")]
            lines.append(f"| {row['workload']} | {' | '.join(cells)} | {_notes(row)} |")
    lines += ["", "| what a user waits for | |", "|---|---:|"]
    lines += [f"| {name} | {v if isinstance(v, str) else f'{v:.3g}'} |" for name, v in cold.items()]
    return "\n".join(lines) + "\n"


def _is_search(row: Mapping[str, Any]) -> bool:
    return row["bounds"].get("milliseconds") is not None


def _line(row: Mapping[str, Any]) -> str:
    times, bounds = row["seconds"], row["bounds"]
    primal, derivative = times.get("primal"), times.get("derivative")
    cells = [
        row["workload"],
        row["size"],
        *[f"{t * 1e6:.4g}" if t else "–" for t in (primal, derivative)],
        _at_most(derivative, primal, bounds.get("primal")),
        _at_most(derivative, times.get("C"), bounds.get("hand")),
        _at_most(primal, times.get("C primal"), bounds.get("hand_primal")),
        _at_least(times.get("JAX"), derivative, bounds.get("jax")),
        _notes(row),
    ]
    return f"| {' | '.join(cells)} |"


def _notes(row: Mapping[str, Any]) -> str:
    times = row["seconds"]
    extra = []
    if "C, reciprocals" in times:
        extra.append(f"/ C with the reciprocals taken out: {times['derivative'] / times['C, reciprocals']:.3g}")
    return "; ".join([*extra, *row["notes"]]).replace("|", "\\|")


def _at_most(time: float | None, other: float | None, bound: float | None) -> str:
    if not time or not other:
        return "–" if bound is None else f"**–** (≤ {bound:g})"
    ratio = time / other
    if bound is None:
        return f"{ratio:.3g}"
    return f"{ratio:.3g} (≤ {bound:g})" if ratio <= bound else f"**{ratio:.3g}** (≤ {bound:g})"


def _at_least(time: float | None, other: float | None, bound: float | None) -> str:
    if not time or not other:
        return "–" if bound is None else f"**–** (≥ {bound:g})"
    ratio = time / other
    if bound is None:
        return f"{ratio:.3g}"
    return f"{ratio:.3g} (≥ {bound:g})" if ratio >= bound else f"**{ratio:.3g}** (≥ {bound:g})"
