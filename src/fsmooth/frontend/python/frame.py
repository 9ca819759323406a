"""The state of an elaboration: names, scopes, requirements, captured values, and how to report a mistake."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.build import build, equals
from fsmooth.core.shape import size_of
from fsmooth.core.term import (
    Const,
    Failure,
    Get,
    Length,
    MakeTuple,
    Prim,
    Proj,
    Require,
    Term,
    Var,
    Zero,
    let,
    scalar_constant,
)
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Bool, Float, Int, Tuple, Type, array_of
from fsmooth.errors import ProgramError, SizeError, TypeMismatchError, UnsupportedError
from fsmooth.frontend.diagnose import render
from fsmooth.frontend.python.aliases import Views, forget_aliases
from fsmooth.frontend.python.source import Source
from fsmooth.frontend.python.values import Value
from fsmooth.rewrite.linear import polynomial


@dataclass
class Capture:
    """A captured run-time value: a hidden parameter, fetched anew at each call."""

    name: str
    var: Var
    fetch: Callable[[], object]


@dataclass
class Staged:
    """A captured value that was built into the program; a change makes a new program."""

    fetch: Callable[[], object]
    value: object


@dataclass
class Shared:
    """What all functions of one elaboration share."""

    captures: dict[tuple[int, str], Capture] = field(default_factory=dict)
    staged: list[Staged] = field(default_factory=list)
    helpers: list[object] = field(default_factory=list)
    stack: list[object] = field(default_factory=list)
    views: Views = field(default_factory=Views)
    returned: ast.AST | None = None


class Frame:
    """One function being elaborated.  Its bindings go to the scope that is open."""

    def __init__(self, source: Source, names: dict[str, Value], shared: Shared, outer: Frame | None = None) -> None:
        self.source = source
        self.names = names
        self.shared = shared
        self.outer = outer
        self.scope: list[tuple[Var, Term]] = outer.scope if outer is not None else []
        self.requirements: list[Require] = outer.requirements if outer is not None else []
        self.entry: frozenset[Var] = outer.entry if outer is not None else frozenset()
        self.conditional: int = outer.conditional if outer is not None else 0

    # -- mistakes ----------------------------------------------------------------------------------------------------

    def fail(self, error: type[ProgramError], node: ast.AST, message: str, hint: str = "") -> NoReturn:
        """Raise `error`, shown at `node`."""
        raise error(render(self.source.site(node), message, hint))

    def unsupported(self, node: ast.AST, what: str, hint: str) -> NoReturn:
        """Raise an `UnsupportedError`: `what` cannot be used, `hint` says what to write instead."""
        self.fail(UnsupportedError, node, f"{what} cannot be used in a compiled function", hint)

    # -- scopes ------------------------------------------------------------------------------------------------------

    def bind(self, value: Term, name: str = "t") -> Term:
        """A name for `value` in the open scope, unless it is a constant or a path."""
        if is_path(value):
            return value
        var = Var(name, value.type)
        self.scope.append((var, value))
        self.shared.views.remember(var, value)
        return var

    def changed(self, name: str, array: Term, node: ast.AST) -> None:
        """The array called `name` gets a new element: its other names, here and in the callers, lose their value."""
        line = self.source.site(node).line
        frame: Frame | None = self
        while frame is not None:
            forget_aliases(frame.names, self.shared.views, array, name, line, frame is self)
            frame = frame.outer

    def inside(self, make: Callable[[], Term], conditional: bool = False) -> Term:
        """What `make` gives, with the bindings that it needs around it."""
        outer, self.scope = self.scope, []
        self.conditional += conditional
        try:
            result = make()
            return let(self.scope, result)
        finally:
            self.scope = outer
            self.conditional -= conditional

    # -- types ---------------------------------------------------------------------------------------------------------

    def term(self, value: Value, node: ast.AST) -> Term:
        """A run-time value."""
        if isinstance(value, Term):
            return value
        return self.as_term(value, node)

    def as_term(self, value: Value, node: ast.AST) -> Term:
        """Compile-time values that are run-time values too: numbers, containers of numbers."""
        raise NotImplementedError

    def convert(self, term: Term, wanted: Type, node: ast.AST) -> Term:
        """`term` at type `wanted`: Int and Bool to Float, constants at once, arrays and tuples part by part."""
        have = term.type
        if have == wanted:
            return term
        if isinstance(wanted, Float) and isinstance(have, Float | Int | Bool):
            if isinstance(term, Const):
                return scalar_constant(float(term.value), wanted)
            if isinstance(term, Zero):
                return Zero((), wanted)
            return Prim(p.conversion_to(wanted), (term,))
        if isinstance(wanted, Int) and isinstance(have, Bool):
            return Prim(p.to_int, (term,))
        if isinstance(wanted, Array) and isinstance(have, Array):
            term = self.bind(term)
            return build(size_of(term), lambda i: self.convert(Get(term, i), wanted.element, node))
        if isinstance(wanted, Tuple) and isinstance(have, Tuple) and len(wanted.items) == len(have.items):
            term = self.bind(term)
            parts = [self.convert(project(term, k), t, node) for k, t in enumerate(wanted.items)]
            return MakeTuple(tuple(parts), wanted)
        self.fail(TypeMismatchError, node, f"expected {describe(wanted)}, found {describe(have)}")

    def join(self, a: Type, b: Type, node: ast.AST, what: str = "these values") -> Type:
        """The one type that both can have."""
        joined = join_types(a, b)
        if joined is None:
            self.fail(TypeMismatchError, node, f"{what} are {describe(a)} and {describe(b)}", "make them the same type")
        return joined

    # -- sizes ---------------------------------------------------------------------------------------------------------

    def same_size(self, a: Term, b: Term, node: ast.AST, what: str) -> Term:
        """A size that is both a and b: required at entry where possible, else where it is used."""
        difference = polynomial(a).plus(polynomial(b), -1)
        if difference.is_zero():
            return a
        if isinstance(a, Const) and isinstance(b, Const):
            self.fail(TypeMismatchSize, node, f"sizes {a.value} and {b.value} differ: {what}")
        site = self.source.site(node, self.source.segment(node))
        if isinstance(b, Const) and not isinstance(a, Const):
            a, b = b, a
        if not self.conditional and (a.free | b.free) <= self.entry:
            self.requirements.append(Require(equals(a, b), Const(0), Failure.SIZE, (a, b), site))
            return a
        return self.bind(Require(equals(a, b), a, Failure.SIZE, (a, b), site), "size")


class TypeMismatchSize(SizeError, ProgramError):
    """Two static sizes that differ, found while compiling."""


def is_path(term: Term) -> bool:
    """A variable or constant, or an element or component of one at a simple index."""
    while True:
        match term:
            case Var() | Const() | Zero():
                return True
            case Get(array, Var() | Const()):
                term = array
            case Proj(inner):
                term = inner
            case Length(inner):
                term = inner
            case _:
                return False


def project(term: Term, k: int) -> Term:
    """Component k of a tuple term."""
    return term.items[k] if isinstance(term, MakeTuple) else Proj(term, k)


def join_types(a: Type, b: Type) -> Type | None:
    """The smallest type to which both convert, if any."""
    if a == b:
        return a
    match a, b:
        case Float(), Float():
            return F64
        case Float(), Int():
            return a
        case Int(), Float():
            return b
        case Array(x), Array(y):
            inner = join_types(x, y)
            return None if inner is None else Array(inner)
        case Tuple(xs), Tuple(ys) if len(xs) == len(ys) and a.names == b.names:
            parts = [join_types(x, y) for x, y in zip(xs, ys, strict=True)]
            if all([q is not None for q in parts]):
                return Tuple(tuple([q for q in parts if q is not None]), a.names, a.record)
    return None


def describe(type_: Type) -> str:
    """A type as a user would say it."""
    match type_:
        case Float(64):
            return "a number"
        case Float():
            return "a float32 number"
        case Int():
            return "an integer"
        case Bool():
            return "a truth value"
        case Array():
            leaf: Type = type_
            while isinstance(leaf, Array):
                leaf = leaf.element
            kind = {F64: "numbers", F32: "float32 numbers", INT: "integers", BOOL: "truth values"}.get(leaf, "tuples")
            return f"a {type_.rank}-dimensional array of {kind}"
        case Tuple(items):
            return f"a tuple of {len(items)}"
        case _:
            return "a function"


def type_of_object(value: object) -> Type | None:
    """The type of a Python number or NumPy array; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return BOOL
    if isinstance(value, int | np.integer):
        return INT
    if isinstance(value, np.float32):
        return F32
    if isinstance(value, float | np.floating):
        return F64
    if isinstance(value, np.ndarray):
        leaf: Type | None = None
        if value.dtype == np.float32:
            leaf = F32
        elif value.dtype.kind == "f":
            leaf = F64
        elif value.dtype.kind in "iu":
            leaf = INT
        elif value.dtype.kind == "b":
            leaf = BOOL
        if leaf is not None:
            return array_of(leaf, value.ndim) if value.ndim else leaf
    return None
