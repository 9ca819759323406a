"""Programs: what can be elaborated.  A Python function, or a derivative of a program."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType

from fsmooth.core.term import Method, Verb
from fsmooth.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class SourceProgram:
    """A plain Python function."""

    function: Callable[..., object]

    @property
    def name(self) -> str:
        """The function's own name."""
        name = self.function.__name__
        return "anonymous" if name == "<lambda>" else name

    @property
    def signature(self) -> inspect.Signature:
        """The function's parameters."""
        return inspect.signature(self.function, follow_wrapped=not isinstance(self.function, FunctionType))


@dataclass(frozen=True, eq=False)
class LibraryProgram:
    """A function of M̃ by its name, of a given number of arguments."""

    name: str
    count: int

    @property
    def function(self) -> Callable[..., object]:
        """A stand-in that carries the name."""

        def stand_in() -> None: ...

        stand_in.__name__ = stand_in.__qualname__ = self.name
        return stand_in

    @property
    def signature(self) -> inspect.Signature:
        """Positional parameters."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(f"x{k}", kind) for k in range(self.count)])


@dataclass(frozen=True, eq=False)
class DerivedProgram:
    """A derivative of a program with respect to the named parameters."""

    program: SourceProgram | LibraryProgram | DerivedProgram
    verb: Verb
    wrt: tuple[str, ...]
    single: bool
    method: Method

    @property
    def name(self) -> str:
        """`grad_f`, `jacobian_f`, …"""
        return f"{self.verb.value}_{self.program.name}"

    @property
    def signature(self) -> inspect.Signature:
        """That of the program; a jvp also takes `tangent` by keyword."""
        signature = self.program.signature
        if self.verb is not Verb.JVP:
            return signature
        extra = inspect.Parameter("tangent", inspect.Parameter.KEYWORD_ONLY)
        return signature.replace(parameters=[*signature.parameters.values(), extra])


Program = SourceProgram | LibraryProgram | DerivedProgram


def wrt_names(program: Program, wrt: str | int | tuple[str | int, ...] | None) -> tuple[tuple[str, ...], bool]:
    """The names meant by `wrt` (a name, a position, a tuple of them; default the first), and whether it is one.

    Raises:
        ArgumentError: if there is no such parameter.

    """
    names = [n for n in program.signature.parameters if n != "tangent" or not isinstance(program, DerivedProgram)]
    if wrt is None:
        wrt = 0
    single = not isinstance(wrt, tuple | list)
    chosen = []
    for one in (wrt,) if single else wrt:  # type: ignore[union-attr]
        if isinstance(one, int) and -len(names) <= one < len(names):
            chosen.append(names[one])
        elif isinstance(one, str) and one in names:
            chosen.append(one)
        else:
            raise ArgumentError(f"wrt={one!r}: {program.name} has the parameters {', '.join(names)}")
    if not chosen:
        raise ArgumentError(f"wrt=(): name at least one of the parameters {', '.join(names)}")
    return tuple(chosen), single
