"""What a name can stand for while a program is elaborated.

A run-time value is a core term.  Everything else is known at compile time: Python objects (`Static`), functions
of the program (`Closure`), derivatives of programs (`Derived`), and ways of iterating (`Sequence`).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass

from fsmooth.core.term import Deriv, Term
from fsmooth.core.term import Method as How
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.programs import Program
from fsmooth.frontend.python.source import Source


@dataclass(frozen=True, eq=False)
class Static:
    """A Python object known at compile time: a module, function, class, string, container; `fetch` says from where."""

    value: object
    fetch: Lookup | None = None


@dataclass(frozen=True, eq=False)
class Closure:
    """A function defined inside the program, with the names around it and its defaults at that moment."""

    node: ast.FunctionDef | ast.Lambda
    source: Source
    names: dict[str, Value]
    signature: inspect.Signature


@dataclass(frozen=True, eq=False)
class Default:
    """The default of a parameter of a function defined inside the program."""

    value: Value


@dataclass(frozen=True, eq=False)
class Derived:
    """A derivative of a closure or program, written inside a program."""

    base: Closure | Static | Derived
    verb: str
    wrt: object
    how: How = How.AUTO
    checkpoint: bool = False


@dataclass(frozen=True, eq=False)
class Method:
    """A method of an array, waiting for its arguments."""

    owner: Term
    name: str


@dataclass(frozen=True, eq=False)
class Sequence:
    """Something to iterate over: a number of steps, and the element at each."""

    size: Term
    element: Callable[[Term], Value]


@dataclass(frozen=True, eq=False)
class Unrolled:
    """Something to iterate over at compile time."""

    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Pullback:
    """The second part of what `fs.vjp(f)(x)` gives inside a program: a function of the cotangent of `value`."""

    derivative: Deriv
    arguments: tuple[Term, ...]
    value: Term


@dataclass(frozen=True, eq=False)
class Missing:
    """A name that has no value here, and why."""

    why: str
    hint: str = ""


Value = Term | Static | Closure | Derived | Method | Sequence | Unrolled | Pullback | Missing

__all__ = [
    "Closure",
    "Default",
    "Derived",
    "Method",
    "Missing",
    "Program",
    "Pullback",
    "Sequence",
    "Static",
    "Unrolled",
    "Value",
]
