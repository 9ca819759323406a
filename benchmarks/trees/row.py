"""What a row of the table consists of: contenders, each with what it must give."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import own
from benchmarks.reference import Kernel, Reference
from fsmooth.core.nodes.packed import Forest, Packed

if TYPE_CHECKING:
    import fsmooth as fs
    from benchmarks.timing import Call

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Contender:
    """How it is made, and the arrays that it must give; None where it gives nothing that can be compared."""

    make: Callable[[], Call]
    right: Arrays | None = None


@dataclass(frozen=True)
class Row:
    """Contenders by name, and the bars: what the quotients of their times may be, or with `unit` the times themselves."""

    size: str
    contenders: Mapping[str, Contender]
    bounds: Mapping[str, float] = field(default_factory=dict)
    elements: int = 1


@functools.cache
def reference() -> Reference:
    """The C by hand, compiled when a row first needs it."""
    return Reference(Path(__file__).with_name("reference.c"))


def compiled(function: fs.Function, arguments: tuple[Any, ...], right: Arrays) -> Contender:
    """A program or derivative of fsmooth at its C entry."""
    return Contender(lambda: own.kernel(reference(), function, *arguments), right)


@functools.cache
def codipack() -> Reference:
    """The program with CoDiPack, from the headers in the folder `$CODIPACK`."""
    source = Path(__file__).with_name("codipack.cpp")
    return Reference(source, ("-isystem", os.environ["CODIPACK"]), ("-lstdc++", "-lm"))


def by_hand(name: str, arguments: tuple[Any, ...], result: Arrays, right: Arrays, kept: object = None) -> Contender:
    """The C by hand that fills these arrays."""
    return filling(reference, name, arguments, result, right, kept)


def filling(
    library: Callable[[], Reference],
    name: str,
    arguments: tuple[Any, ...],
    result: Arrays,
    right: Arrays,
    kept: object = None,
) -> Contender:
    """A function of a library that fills these arrays."""

    def made() -> Kernel:
        kernel = library().kernel(name, *arguments)
        kernel.result = result
        kernel.held.append(kept)
        return kernel

    return Contender(made, right)


def flat(result: object) -> Arrays:
    """The arrays of a result one after the other; of trees the columns of real numbers."""
    if isinstance(result, Packed | Forest):
        result = [c for c in result.columns.values() if isinstance(c, np.ndarray) and c.dtype.kind == "f"]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, tuple | list):
        return [x for r in result for x in flat(r)]
    return [np.asarray(result)]
