"""All rows, each in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks import apart
from benchmarks.reverse.rows import ROWS, SMALLER

_MEASURE = "benchmarks.reverse.measure"


def table(pinned: Sequence[str]) -> list[dict[str, Any]]:
    """Every row as `measure` gives it, by the command that comes after `pinned`."""
    return apart.rows([*ROWS, *SMALLER], _MEASURE, pinned, [])


def quick_table(pinned: Sequence[str]) -> list[dict[str, Any]]:
    """The same without the smaller sizes, in shorter runs."""
    return apart.rows(list(ROWS), _MEASURE, pinned, ["--quick"])
