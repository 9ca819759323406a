"""Programs: what can be elaborated.  A Python function, or a derivative of a program."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType

from fsmooth.core.term import NOWHERE, Method, Rule, Site, Verb
from fsmooth.errors import ArgumentError
from fsmooth.frontend.python.source import not_python, source_of
from fsmooth.frontend.python.stand_ins import stand_in

METHODS = "'auto', 'forward', 'reverse', 'tape' or 'continuations'"
"""The names of the methods, as a hint."""

ONLY: dict[Verb | None, tuple[Method, ...]] = {
    Verb.JVP: (Method.FORWARD,),
    Verb.VJP: (Method.REVERSE, Method.TAPE),
}
"""The verbs that have one mode: one tangent is forward mode, one cotangent reverse mode, by a tape if that is asked for."""

OTHER = {Method.FORWARD: "vjp", Method.REVERSE: "jvp"}
"""What the verb of the other mode is called."""


INSTEAD_OF_DISPATCH = "make it a method of the classes, or ask for the class with match or isinstance"
"""What to do instead of a functools.singledispatch."""


def is_dispatched(function: object) -> bool:
    """Is it a functools.singledispatch, which has a function for each class?"""
    return isinstance(function, FunctionType) and hasattr(function, "registry") and hasattr(function, "dispatch")


@dataclass(frozen=True, eq=False)
class SourceProgram:
    """A plain Python function; a lambda stands in for what has no source, and was `given`."""

    function: Callable[..., object]
    given: Callable[..., object] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"{self.function!r} is not a function\n  hint: give a Python function or a lambda")
        if is_dispatched(self.function):
            raise ArgumentError(f"{self.name} is a functools.singledispatch\n  hint: {INSTEAD_OF_DISPATCH}")
        object.__setattr__(self, "given", self.function)
        object.__setattr__(self, "function", stand_in(self.function))

    @property
    def name(self) -> str:
        """The function's own name; the class's, of an object that can be called."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return "anonymous" if name == "<lambda>" else name

    @property
    def signature(self) -> inspect.Signature:
        """The function's parameters."""
        try:
            return inspect.signature(self.function, follow_wrapped=not isinstance(self.function, FunctionType))
        except (TypeError, ValueError):
            raise not_python(self.function) from None

    def __reduce__(self) -> tuple[Callable[..., SourceProgram], tuple[object, ...]]:
        """Pickled by the name of its function, which a decorator may have given to a compiled one."""
        if self.given is not self.function:
            return SourceProgram, (self.given,)
        public: object = sys.modules.get(self.function.__module__)
        for name in self.function.__qualname__.split("."):
            public = getattr(public, name, None)
        if getattr(public, "__wrapped__", None) is self.function:
            return _of_wrapped, (public,)
        return SourceProgram, (self.function,)


def _of_wrapped(public: object) -> SourceProgram:
    return SourceProgram(public.__wrapped__)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class CustomProgram(SourceProgram):
    """A plain Python function with a derivative of its own: a jvp, a vjp, or both."""

    jvp: Callable[..., object] | None = None
    vjp: Callable[..., object] | None = None
    check: bool = True

    @functools.cached_property
    def rule(self) -> Rule:
        """What terms know of it."""
        return Rule(self.name, _place(self.jvp), _place(self.vjp), self.check)

    def __reduce__(self) -> tuple[Callable[..., SourceProgram], tuple[object, ...]]:
        """Pickled by the name of the function that it is the program of, else by its parts."""
        make, given = super().__reduce__()
        if make is _of_wrapped:
            return _of_public, given
        return CustomProgram, (self.function, self.jvp, self.vjp, self.check)


def _place(rule: Callable[..., object] | None) -> Site:
    if rule is None:
        return NOWHERE
    source = source_of(rule)
    return source.site(source.node)


def _of_public(public: object) -> SourceProgram:
    return public.program  # type: ignore[attr-defined, no-any-return]


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
    checkpoint: bool = False

    @property
    def name(self) -> str:
        """`grad_f`, `jacobian_f`, …"""
        return f"{self.verb.value}_{self.program.name}"

    @property
    def signature(self) -> inspect.Signature:
        """That of the program; a jvp and an hvp also take `tangent` by keyword (by position, too: `tangent_place`)."""
        signature = self.program.signature
        if self.verb not in (Verb.JVP, Verb.HVP):
            return signature
        extra = inspect.Parameter("tangent", inspect.Parameter.KEYWORD_ONLY)
        given = list(signature.parameters.values())
        end = len(given) - (bool(given) and given[-1].kind is inspect.Parameter.VAR_KEYWORD)
        return signature.replace(parameters=[*given[:end], extra, *given[end:]])

    @property
    def tangent_place(self) -> int | None:
        """Where the tangent is among the arguments by position; None if there is none, or it has no place."""
        signature = self.program.signature
        names = list(signature.parameters)
        takes_one = self.verb in (Verb.JVP, Verb.HVP)
        return tangent_place(signature, [names.index(n) for n in self.wrt]) if takes_one else None


def tangent_place(signature: inspect.Signature, wrt: Sequence[int]) -> int | None:
    """Where a tangent is among the arguments by position, if it is not named: behind those that it is the tangent of.

    This is the order in which SciPy gives them to a `hessp=`.  None: one of these has no position.
    """
    kinds = [q.kind for q in signature.parameters.values()]
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return max(wrt) + 1 if all([kinds[k] in by_position for k in wrt]) else None


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
        if isinstance(one, int) and not isinstance(one, bool) and -len(names) <= one < len(names):
            chosen.append(names[one])
        elif isinstance(one, str) and one in names:
            chosen.append(one)
        else:
            raise ArgumentError(
                f"wrt={one!r}: {program.name} has no such parameter\n  hint: its parameters are {', '.join(names)}"
            )
    if len(set(chosen)) < len(chosen):
        twice = next(n for n in names if chosen.count(n) > 1)
        raise ArgumentError(f"wrt={wrt!r}: {twice} is named twice\n  hint: name each parameter once")
    if not chosen:
        raise ArgumentError(f"wrt=(): name at least one of the parameters {', '.join(names)}")
    return tuple(chosen), single
