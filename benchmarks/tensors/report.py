"""The table: Markdown and JSON.  What misses its bar is bold."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.keeping import keep
from benchmarks.tensors.rows import SIZES

Row = Mapping[str, Any]


def save(result: Mapping[str, Any], command: str) -> str:
    """Write tensors.json and tensors.md; gives the text of the latter."""
    return keep("tensors", result, text_of(result, command))


def text_of(result: Mapping[str, Any], command: str) -> str:
    """The tables."""
    rows = [*result["products"], *result["models"]]
    held = [_holds(row, peer) for row in rows for peer in row["bars"] if peer in row["seconds"]]
    lines = [
        "# Products of matrices, and what is made of them",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`), one thread each.",
        f"Calls through Python, medians of up to {result['runs']} alternated runs.  What misses its bar is bold; gradients are",
        "by all weights.",
        f"Bars that hold: {sum(held)} of {len(held)}.",
        "",
        "Products of n × n, fsmooth's time divided by NumPy's (the bar: 1 below n = 64, 1.2 from there on):",
        "",
        *_products(result["products"]),
        "",
        "| program | size | | first call (s) | fsmooth (ms) | / NumPy by hand | / PyTorch | / JAX | notes |",
        "|---|---|---|--:|--:|--:|--:|--:|---|",
        *[_model(row) for row in result["models"]],
    ]
    return "\n".join(lines) + "\n"


def _products(rows: Sequence[Row]) -> list[str]:
    sizes = [f"{n}" for n in SIZES if any([row["size"] == f"{n}" for row in rows])]
    lines = ["| | | " + " | ".join([f"n = {n}" for n in sizes]) + " |", "|---|---|" + "--:|" * len(sizes)]
    for name, precision in dict.fromkeys([(row["program"], row["precision"]) for row in rows]):
        own = {row["size"]: row for row in rows if (row["program"], row["precision"]) == (name, precision)}
        lines.append(
            f"| {name} | {precision} | " + " | ".join([_ratio(own[n], "NumPy", bar=False) for n in sizes]) + " |"
        )
    return lines


def _model(row: Row) -> str:
    ratios = [_ratio(row, peer) for peer in ("NumPy", "PyTorch", "JAX")]
    notes = ", ".join(row["notes"])
    taken = f"{row['first']:.2f} | {row['seconds']['fsmooth'] * 1e3:.3g}"
    return f"| {row['program']} | {row['size']} | {row['precision']} | {taken} | {' | '.join(ratios)} | {notes} |"


def _ratio(row: Row, peer: str, *, bar: bool = True) -> str:
    if peer not in row["seconds"]:
        return "–"
    text = f"{row['seconds']['fsmooth'] / row['seconds'][peer]:.2f}"
    text = text if _holds(row, peer) else f"**{text}**"
    return f"{text} (≤ {row['bars'][peer]:g})" if bar else text


def _holds(row: Row, peer: str) -> bool:
    return bool(row["seconds"]["fsmooth"] <= row["bars"][peer] * row["seconds"][peer])
