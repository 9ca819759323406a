"""Functions of loops, and a lowered program."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from fsmooth.core.term import Failure, Running, Site
from fsmooth.core.types import Type
from fsmooth.loops.tree.expressions import Expression
from fsmooth.loops.tree.statements import Body


class Parameter(Struct, frozen=True):
    """A parameter: a scalar by value, or a pointer (`rank` is not None) to scalars that is read or written."""

    name: str
    type: Type
    pointer: bool = False
    output: bool = False


class Facts(Struct, frozen=True, eq=False):
    """What lowering knows of the names of a function.

    nonnegative  sizes that are never negative
    lengths      those of them that are lengths of arguments
    sizes        of arrays that are stored row by row: an index on each axis is below its size
    row_sizes    of arrays, how many scalars belong to each index of their first axis, where that is static
    """

    nonnegative: frozenset[str] = frozenset()
    lengths: frozenset[str] = frozenset()
    row_sizes: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, tuple[Expression, ...]] = field(default_factory=dict)


class Function(Struct, frozen=True, eq=False):
    """A function that returns 0, or reports failure; `is_called` by other functions of the program, and not from outside.

    `running`: where it keeps what it needs when a function that it calls, and that may call it, returns.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Body
    facts: Facts = Facts()
    is_called: bool = False
    running: Running = Running.STACK


class Program(Struct, frozen=True, eq=False):
    """A lowered program: the kernel, the function that gives the sizes of its results, and what to report.

    `names`: for the names in the kernel, those of the variables of the term; `origins`: where these come from, if that is
    known.  `definitions`: the functions that these call, and that call one another.  `deciding`: the arrays whose elements decide
    where memory is read or written, `sizing` those that decide how much of it is taken (lower.deciding).
    """

    name: str
    kernel: Function
    shape: Function | None
    parameters: tuple[Type, ...]
    result: Type
    sites: tuple[tuple[Failure | None, Site], ...]
    notes: tuple[str, ...]
    names: Mapping[str, str]
    origins: Mapping[str, Site]
    deciding: frozenset[str]
    sizing: frozenset[str]
    definitions: tuple[Function, ...] = ()
