"""Functions of loops, and a lowered program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fsmooth.core.term import Failure, Site
from fsmooth.core.types import Type
from fsmooth.loops.tree.statements import Statement


@dataclass(frozen=True)
class Parameter:
    """A parameter: a scalar by value, or a pointer (`rank` is not None) to scalars that is read or written."""

    name: str
    type: Type
    pointer: bool = False
    output: bool = False


@dataclass(eq=False)
class Function:
    """A function that returns 0, or reports failure."""

    name: str
    parameters: tuple[Parameter, ...]
    body: list[Statement]


@dataclass(eq=False)
class Program:
    """A lowered program: the kernel, the function that gives the sizes of its results, and what to report.

    `names`: for the names in the kernel, those of the variables of the term.  `deciding`: the arrays whose elements decide
    where memory is read or written (lower.deciding).
    """

    name: str
    kernel: Function
    shape: Function | None
    parameters: tuple[Type, ...]
    result: Type
    sites: tuple[tuple[Failure | None, Site], ...]
    notes: tuple[str, ...]
    names: Mapping[str, str]
    deciding: frozenset[str]
