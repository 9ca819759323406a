"""The state of an elaboration: names, scopes, requirements, captured values, and how to report a mistake.

What reads Python are functions over a `Frame`, a file for each idea; they import one another one way only.  Where
the language is recursive (an index is an expression again, a branch is a block again) they go through the abstract
methods of the frame, which `reader` gives.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType
from typing import TYPE_CHECKING, NoReturn, Self

from msgspec import Struct, field

from fsmooth.core.lists import ListOf, is_list, lists_in, no_list, of_type, with_lists
from fsmooth.core.term import NOWHERE, Const, Get, Header, Length, MakeTuple, Proj, Require, Site, Term, Var, Zero, let
from fsmooth.core.types import Array, Type
from fsmooth.errors import ProgramError, UnsupportedError
from fsmooth.frontend.diagnose import render
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.python.aliases import Views, forget_aliases
from fsmooth.frontend.python.source import Source
from fsmooth.frontend.python.values import Missing, Value
from fsmooth.frontend.readings import Readings

if TYPE_CHECKING:
    from fsmooth.frontend.python.recursion import Reading, Recursion


class Capture(Struct):
    """A captured run-time value: a hidden parameter, fetched anew at each call."""

    name: str
    var: Var
    fetch: Lookup


class Shared(Struct):
    """What all functions of one elaboration share."""

    readings: Readings
    program: ast.AST | None = None
    """The definition of the program, whose annotations are checked."""
    captures: dict[tuple[object, ...], Capture] = field(default_factory=dict)
    stack: list[Reading] = field(default_factory=list)
    """The functions whose bodies are being read, each inlined in the one before."""
    sources: dict[CodeType, Source] = field(default_factory=dict)
    """What was read, by its code: in one elaboration a function is always the same syntax."""
    recursions: dict[ast.AST, dict[Hashable, Recursion]] = field(default_factory=dict)
    """Those that call themselves, by their syntax and what their arguments are."""
    makers: dict[tuple[Type, Type], Header] = field(default_factory=dict)
    """What makes trees that are given anew, by the type that it gives and the one that it takes."""
    defining: list[Recursion] = field(default_factory=list)
    """Of those the ones whose bodies are being read, each inside the one before."""
    views: Views = field(default_factory=Views)
    static_sizes: dict[tuple[Var | int, ...], int] = field(default_factory=dict)
    """Sizes of arguments, and of their parts, that annotations give as numbers: a variable, positions, an axis."""
    definitions: dict[Var, Term] = field(default_factory=dict)
    models: dict[Var, Term] = field(default_factory=dict)
    """What has the sizes of a variable: the initial values of what a loop carries, the arguments of a derivative."""
    constant_sizes: dict[tuple[Var | int, ...], int | None] = field(default_factory=dict)
    """What is known of the lengths of variables and their parts (frontend/python/sizes.py)."""
    counters: set[Var] = field(default_factory=set)
    """Indices of loops, which are never negative."""
    singles: set[Var] = field(default_factory=set)
    """Sizes that are 0 or 1."""
    read_empty: set[Value] = field(default_factory=set)
    """Lists that were read while their first element was looked for."""
    ranges: dict[Var, Term] = field(default_factory=dict)
    """What indices of loops stay below: their numbers of steps, where these are known before the loop."""
    here: Site = NOWHERE
    """The statement that is being read: where what it gives names to comes from."""
    returned: ast.AST | None = None
    order: int = 0
    """How often what is being elaborated is differentiated."""
    ruled: dict[Hashable, Term] = field(default_factory=dict)
    """Functions with their rules, by what they were made from: what a rule calls, other rules call with the same types."""
    assumed: list[tuple[Term, bool]] = field(default_factory=list)
    """Conditions around what is being read that say of which classes nodes are, and whether they hold there."""
    rules: int = 0
    """How many users' rules are being elaborated, one inside the other: each may be that of the function it calls."""

    @contextmanager
    def assuming(self, condition: Term, holds: bool) -> Iterator[None]:
        """What is read inside is evaluated only where a condition holds, or where it does not."""
        self.assumed.append((condition, holds))
        try:
            yield
        finally:
            self.assumed.pop()


class Frame(ABC):
    """One function being elaborated.  Its bindings go to the scope that is open."""

    def __init__(
        self,
        source: Source,
        names: dict[str, Value],
        shared: Shared,
        outer: Frame | None = None,
        call: ast.AST | None = None,
    ) -> None:
        self.source = source
        self.call = call
        self.names = names
        self.shared = shared
        self.outer = outer
        self.scope: list[tuple[Var, Term]] = outer.scope if outer is not None else []
        self.requirements: list[Require] = outer.requirements if outer is not None else []
        self.entry: frozenset[Var] = outer.entry if outer is not None else frozenset()
        self.assigned_inside: list[str] = []
        self.settling: dict[str, ast.AST | None] = {}
        """Names that a loop assigns of which a step is being read, and where one without a value was read in it."""
        self.conditional: int = outer.conditional if outer is not None else 0
        self.depth: int = outer.depth if outer is not None else 0
        """In how many scopes what is being read is; if in one, it is evaluated whenever the program is."""
        self.borders: int | None = None
        self.returns = False
        """Is its result being put together, so that its names do not change any more?"""

    def child(self, source: Source, names: dict[str, Value], call: ast.AST) -> Self:
        """The frame of a function that is inlined where it is called."""
        return type(self)(source, names, self.shared, self, call)

    @property
    def is_certain(self) -> bool:
        """Is what is being read evaluated whenever the program is: in no loop, branch or function that is called elsewhere?"""
        return self.depth == 1 and not self.conditional

    # -- reading -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def expression(self, node: ast.expr) -> Value:
        """The value of an expression."""

    @abstractmethod
    def as_term(self, value: Value, node: ast.AST) -> Term:
        """Compile-time values that are run-time values too: numbers, containers of numbers."""

    @abstractmethod
    def as_part(self, value: Value, node: ast.AST) -> Term:
        """Likewise, and what can be a part of a structure or what a name stands for: texts, None, functions."""

    @abstractmethod
    def statement(self, node: ast.stmt) -> None:
        """Run a statement that does not return."""

    @abstractmethod
    def block(self, body: list[ast.stmt]) -> Value | None:
        """Run statements; the value returned, or None if the end is reached."""

    def term(self, value: Value, node: ast.AST) -> Term:
        """A run-time value."""
        return value if isinstance(value, Term) else self.as_term(value, node)

    def value(self, node: ast.expr) -> Term:
        """The run-time value of an expression."""
        return self.term(self.expression(node), node)

    # -- mistakes ----------------------------------------------------------------------------------------------------

    def fail(self, error: type[ProgramError], node: ast.AST, message: str, hint: str) -> NoReturn:
        """Raise `error`, shown at `node`; `hint` says what to do."""
        raise error(render(self.site(node), message, hint))

    def site(self, node: ast.AST, what: str = "") -> Site:
        """Where `node` is; what is inside fsmooth's own functions is where the user called them."""
        if self.source.is_own and self.outer is not None and self.call is not None:
            return self.outer.site(self.call, what)
        return self.source.site(node, what)

    def unsupported(self, node: ast.AST, what: str, hint: str) -> NoReturn:
        """Raise an `UnsupportedError`: `what` cannot be used, `hint` says what to write instead."""
        self.fail(UnsupportedError, node, f"{what} cannot be used in a compiled function", hint)

    # -- scopes ------------------------------------------------------------------------------------------------------

    def bind(self, value: Term, name: str = "t", type_: Type | None = None) -> Term:
        """A name for `value` in the open scope, unless it is a constant or a path; at its type or an equal one."""
        if is_path(value):
            return value
        var = Var(name, value.type if type_ is None else type_, self.shared.here)
        self.scope.append((var, value))
        self.shared.definitions[var] = value
        self.shared.views.remember(var, value)
        return var

    def as_list(self, array: Term) -> Term:
        """An array that is a list of the program's."""
        if not isinstance(array.type, Array) or is_list(array.type):
            return array
        made = self.with_lists(array, ListOf(array.type.element))
        if isinstance(made, Var):
            self.shared.views.remember(made, array)
        return made

    def as_array(self, value: Term) -> Term:
        """A list of the program's as an array, which does not grow, and which + adds to element by element."""
        return self.with_lists(value, no_list(value.type))

    def with_lists(self, value: Term, type_: Type) -> Term:
        """The value with lists where a type of the same structure has them."""
        type_ = with_lists(value.type, type_)
        if lists_in(value.type) == lists_in(type_):
            return value
        if not is_path(value):
            made = of_type(value, type_)
            self.shared.views.same(made, value)
            return made
        var = Var(value.name if isinstance(value, Var) else "array", type_)
        self.scope.append((var, value))
        self.shared.definitions[var] = value
        return var

    def changed(self, name: str, array: Term, node: ast.AST) -> None:
        """The array called `name` gets a new element: its other names, here and in the callers, lose their value."""
        line = self.site(node).line
        frame: Frame | None = self
        while frame is not None:
            forget_aliases(frame.names, self.shared.views, array, name, line, frame is self)
            if frame.borders is not None and self._is_from_outside(array, frame.borders):
                what = "assigning to elements of an array of the caller's in a function that calls itself"
                self.unsupported(node, what, f"assign to a copy: {name} = {name}.copy()")
            frame = frame.outer

    def _is_from_outside(self, array: Term, border: int) -> bool:
        """May the array share memory with one that was there before the function with this border was read?"""
        roots = [place[0] for place in self.shared.views.within(array)]
        return any([isinstance(root, Var) and root.id < border for root in roots])

    def inside(self, make: Callable[[], Term], conditional: bool = False) -> Term:
        """What `make` gives, with the bindings that it needs around it."""
        outer, self.scope = self.scope, []
        self.conditional += conditional
        self.depth += 1
        before = len(self.assigned_inside)
        try:
            result = make()
            return let(self.scope, result)
        finally:
            self.scope = outer
            self.depth -= 1
            self.conditional -= conditional
            self.forget_assigned(before)

    @contextmanager
    def naming(self, values: Mapping[str, Value]) -> Iterator[None]:
        """Names for values, as long as what is written with them is read."""
        before = {name: self.names[name] for name in values if name in self.names}
        self.names.update(values)
        try:
            yield
        finally:
            for name in values:
                del self.names[name]
            self.names.update(before)

    def forget_assigned(self, before: int) -> None:
        """The names that := assigned since in a part of an expression that is not always evaluated, or often."""
        for name in self.assigned_inside[before:]:
            why = f"{name} is assigned with := in a part of an expression that is not evaluated once"
            self.names[name] = Missing(why, f"assign {name} on a line of its own")


def is_path(term: Term) -> bool:
    """A variable or constant, or an element or component of one at a simple index."""
    while True:
        match term:
            case Var() | Const() | Zero(()):
                return True
            case Get(array, Var() | Const()):
                term = array
            case Proj(inner):
                term = inner
            case Length(inner):
                term = inner
            case _:
                return False


def is_constant(value: Term) -> bool:
    """Is it a number known while compiling, or a tuple of such, which is compared while compiling?"""
    return all([isinstance(x, Const) for x in (value.items if isinstance(value, MakeTuple) else (value,))])
