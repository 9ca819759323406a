"""What a row of the table consists of, and how its derivative is judged."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.reference import Kernel, Reference

if TYPE_CHECKING:
    import fsmooth as fs
    from benchmarks.timing import Call

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Bounds:
    """What a row has to show: derivative / own primal, / C by hand, primal / C by hand; JAX / derivative; milliseconds."""

    primal: float | None = None
    hand: float | None = None
    hand_primal: float | None = None
    jax: float | None = None
    milliseconds: float | None = None


@dataclass(frozen=True)
class Workload:
    """A primal and a derivative on the same arguments; `right` gives the worst relative error of the derivative's arrays."""

    size: str
    primal: fs.Function
    derivative: fs.Function
    arguments: Sequence[object]
    right: Callable[[Arrays], float]
    bounds: Bounds
    hand: dict[str, Callable[[], Kernel]] = field(default_factory=dict)
    jax: Callable[[Any], Call] | None = None


@dataclass(frozen=True)
class Search:
    """A search by nested derivatives in four combinations of modes, timed as a whole."""

    size: str
    made: Callable[[str], Callable[..., object]]
    start: object
    expected: float
    bounds: Bounds


@functools.cache
def reference() -> Reference:
    """The C by hand, compiled when a row first needs it."""
    return Reference(Path(__file__).with_name("reference.c"))


def by_hand(name: str, *arguments: object, result: Sequence[np.ndarray]) -> Kernel:
    """A call of the C by hand that gives these arrays."""
    made = reference().kernel(name, *arguments)
    made.result = list(result)
    return made


def worst(found: object, wanted: object) -> float:
    """The largest error of an entry, by the largest entry."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    if found.shape != wanted.shape:
        return float("inf")
    return float(np.max(np.abs(found - wanted)) / max(1e-300, float(np.max(np.abs(wanted)))))


def each(found: object, wanted: object) -> float:
    """The largest relative error of an entry."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    if found.shape != wanted.shape:
        return float("inf")
    return float(np.max(np.abs(found - wanted) / np.where(wanted == 0.0, 1e-300, np.abs(wanted))))


def all_of(measure: Callable[[object, object], float], wanted: Sequence[object], found: Arrays) -> float:
    """The largest error of several arrays."""
    return max([measure(f, w) for f, w in zip(found, wanted, strict=True)])
