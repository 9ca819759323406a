"""How often `auto` took a route that is nearly the fastest, and where it lost most: Markdown and JSON."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.keeping import keep

NEAR = 1.3
"""A route is near the fastest if it takes no more than this many times its time, or than `TINY` seconds more."""
TINY = 2e-8

_EXPLANATION = """\
fsmooth's kernels at the C entry, buffers reused; the fastest of alternated runs in one process.  Every route gave the same
numbers.  Loss: the time of the route that `auto` took divided by that of the fastest; bold: more than 1.3, and more than
20 ns.  Of Hessians the outer mode comes first.
"""


def save(result: Mapping[str, Any], command: str) -> str:
    """Write routes.json and routes.md; gives the text of the latter."""
    return keep("routes", result, text_of(result, command))


def text_of(result: Mapping[str, Any], command: str) -> str:
    """The table."""
    rows = [row for row in result["rows"] if loss(row) is not None]
    near = [row for row in rows if is_near(row)]
    lines = [
        "# The routes that `auto` takes",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`).",
        _EXPLANATION,
        f"Near the fastest in {len(near)} of {len(rows)} calls; the worst loss is {max(map(loss, rows), default=1.0):.3g}.",  # type: ignore[type-var]
    ]
    for routes in sorted({tuple(_routes(row)) for row in result["rows"]}, key=len):
        lines += ["", f"| derivative | shape | {' | '.join([f'{r} (µs)' for r in routes])} | taken | loss | notes |"]
        lines += [f"|---|---|{'--:|' * len(routes)}---|--:|---|"]
        lines += [_line(row, routes) for row in result["rows"] if tuple(_routes(row)) == routes]
    return "\n".join(lines) + "\n"


def loss(row: Mapping[str, Any]) -> float | None:
    """The time of the route that auto took divided by the fastest; None if a route failed."""
    times, taken = row["seconds"], row.get("taken")
    if "auto" not in times or taken not in times:
        return None
    return float(_took(row) / _best(row))


def is_near(row: Mapping[str, Any]) -> bool:
    """Is the route that auto took nearly as fast as the fastest?"""
    found = loss(row)
    return found is not None and (found <= NEAR or _took(row) - _best(row) <= TINY)


def _took(row: Mapping[str, Any]) -> float:
    """Of the two times of the route that auto took, which is the same code, the shorter."""
    return float(min(row["seconds"]["auto"], row["seconds"][row["taken"]]))


def _best(row: Mapping[str, Any]) -> float:
    return float(min([time for time in row["seconds"].values()]))


def _routes(row: Mapping[str, Any]) -> Sequence[str]:
    return list(row["routes"])


def _line(row: Mapping[str, Any], routes: Sequence[str]) -> str:
    times = [row["seconds"].get(route) for route in routes]
    cells = [f"{time * 1e6:.3g}" if time else "–" for time in times]
    found = loss(row)
    ratio = "–" if found is None else f"{found:.3g}" if is_near(row) else f"**{found:.3g}**"
    notes = "; ".join(row["notes"]).replace("|", "\\|")
    return (
        f"| {row['derivative']} | {row['shape']} | {' | '.join(cells)} | {row.get('taken', '–')} | {ratio} | {notes} |"
    )
