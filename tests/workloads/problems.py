"""The problems that the workloads of ADBench are tested on: made ones, and its files where they are found."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest
from benchmarks.workloads import ba, files, gmm, hand, ht, lstm

Make = Callable[[], Any]

MODELS = [
    f"model_{size}/{part}.txt" for size, part in (("small", "bones"), ("small", "triangles"), ("small", "vertices"))
]
LOADS: dict[str, Callable[[str], Any]] = {"gmm": gmm.load, "ba": ba.load, "hand": ht.load, "lstm": lstm.load}
MADE: dict[str, dict[str, Make]] = {
    "gmm": {"made of 2": partial(gmm.generate, 2, 5, 100), "made of 10": partial(gmm.generate, 10, 25, 50)},
    "ba": {"made": partial(ba.made, 2, 10, 30)},
    "hand": {"made simple": partial(hand.simple, 100), "made complicated": partial(hand.complicated, 100)},
    "lstm": {"made of 2": partial(lstm.made, 2, 20, 14), "made of 4": partial(lstm.made, 4, 20, 14)},
}
"""Small ones, on every machine."""


def published(workload: str, names: Iterable[str] | None = None) -> list[Any]:
    """The files of a workload, skipped by name where they are not found."""
    return [_published(workload, name) for name in (files.names(workload) if names is None else names)]


def problems(workload: str, names: Iterable[str] | None = None) -> list[Any]:
    """Those made and those of files, as functions that give them."""
    return [*[pytest.param(make, id=name) for name, make in MADE[workload].items()], *published(workload, names)]


@functools.cache
def _published(workload: str, name: str) -> Any:
    parts = [*MODELS, "model_big/vertices.txt"] if workload == "hand" else []
    absent = not files.are_here(workload, name, *parts)
    reason = f"not here: adbench/{workload}/{name} (set FSMOOTH_DATA)"
    return pytest.param(partial(LOADS[workload], name), id=name, marks=pytest.mark.skipif(absent, reason=reason))
