"""The lambda calculus: constants, variables, scopes, functions, branches, primitives (paper 000, Fig. 3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from fsmooth.core.primitives import Primitive
from fsmooth.core.term.base import NOWHERE, IllTyped, Site, Term
from fsmooth.core.term.fields import Data, Definitions, Failing, Label, Parameters, Part, Parts, Runs
from fsmooth.core.types import BOOL, F64, INT, Bool, Float, Function, Int, Type, is_scalar

_fresh = itertools.count(1)


class Const(Term):
    """A number or truth value.  Its type follows the Python value unless a float type is given."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    fields = (Data("value", exactly=repr), Data("type"))
    failing = Failing.NEVER

    def __init__(self, value: float | int | bool, type_: Type | None = None) -> None:
        if type_ is None:
            type_ = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else F64
        ok = (
            isinstance(value, bool)
            if isinstance(type_, Bool)
            else isinstance(value, int) and not isinstance(value, bool)
            if isinstance(type_, Int)
            else isinstance(value, float) and isinstance(type_, Float)
        )
        if not ok:
            raise IllTyped(f"{value!r} is no {type_!r}")
        self.value = value
        self._typed(type_)


class Var(Term):
    """A variable.  Two variables are the same only if they are the same object."""

    __slots__ = ("id", "name", "site")
    __match_args__ = ("name",)
    fields = (Data("id"), Label("name"), Label("type"), Label("site"))
    failing = Failing.NEVER

    def __init__(self, name: str, type_: Type, site: Site = NOWHERE) -> None:
        self.name = name
        self.id = next(_fresh)
        self.site = site
        self._typed(type_)
        self._free = frozenset((self,))

    def renamed(self) -> Var:
        """A fresh variable of the same name, type and site."""
        return Var(self.name, self.type, self.site)


class Let(Term):
    """A scope: bindings in order, each seeing those before it, then a body (paper 000, T-Let)."""

    __slots__ = ("bindings", "body")
    __match_args__ = ("bindings", "body")
    fields = (Definitions("bindings"), Part("body"))
    failing = Failing.NEVER

    def __init__(self, bindings: tuple[tuple[Var, Term], ...], body: Term) -> None:
        for var, value in bindings:
            if var.type != value.type:
                raise IllTyped(f"{var.name} : {var.type!r} cannot be bound to a {value.type!r}")
        self.bindings = bindings
        self.body = body
        self._typed(body.type)


class Lam(Term):
    """A function of several parameters (paper 000, T-Abs)."""

    __slots__ = ("body", "parameters")
    __match_args__ = ("parameters", "body")
    fields = (Parameters("parameters"), Part("body", Runs.LATER))
    failing = Failing.NEVER

    def __init__(self, parameters: tuple[Var, ...], body: Term) -> None:
        self.parameters = parameters
        self.body = body
        self._typed(Function(tuple(p.type for p in parameters), body.type))


class App(Term):
    """Application to all arguments at once (paper 000, T-App)."""

    __slots__ = ("arguments", "function")
    __match_args__ = ("function", "arguments")
    fields = (Part("function"), Parts("arguments"))
    failing = Failing.CALLS

    def __init__(self, function: Term, arguments: tuple[Term, ...]) -> None:
        wanted = function.type
        if not isinstance(wanted, Function):
            raise IllTyped(f"a {wanted!r} cannot be applied")
        if wanted.parameters != tuple(a.type for a in arguments):
            raise IllTyped(f"{wanted!r} applied to ({', '.join(repr(a.type) for a in arguments)})")
        self.function = function
        self.arguments = arguments
        self._typed(wanted.result)


class If(Term):
    """`then` or `otherwise`; only the branch taken is evaluated (T-If).  `&&` and `||` are Ifs."""

    __slots__ = ("condition", "otherwise", "then")
    __match_args__ = ("condition", "then", "otherwise")
    fields = (
        Part("condition"),
        Part("then", Runs.PERHAPS, where="condition"),
        Part("otherwise", Runs.PERHAPS, unless="condition"),
    )
    failing = Failing.NEVER

    def __init__(self, condition: Term, then: Term, otherwise: Term) -> None:
        if not isinstance(condition.type, Bool):
            raise IllTyped(f"a condition is a Bool, not a {condition.type!r}")
        if then.type != otherwise.type:
            raise IllTyped(f"branches of types {then.type!r} and {otherwise.type!r}")
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self._typed(then.type)


class Prim(Term):
    """A primitive operation on scalars.  All arguments are evaluated."""

    __slots__ = ("arguments", "primitive")
    __match_args__ = ("primitive", "arguments")
    fields = (Data("primitive"), Parts("arguments"), Data("type"))
    failing = Failing.NEVER

    def __init__(self, primitive: Primitive, arguments: tuple[Term, ...]) -> None:
        types = tuple([a.type for a in arguments])
        result = primitive.signature(types) if len(types) == primitive.arity else None
        if result is None:
            raise IllTyped(f"{primitive.name} wants {primitive.constraint}, not ({', '.join(map(repr, types))})")
        self.primitive = primitive
        self.arguments = arguments
        self._typed(result)


def scalar_constant(value: float, like: Type) -> Const:
    """The number `value` as a constant of the scalar type `like`.

    >>> scalar_constant(1, F64).value
    1.0
    """
    if not is_scalar(like):
        raise IllTyped(f"no constant of type {like!r}")
    if isinstance(like, Float):
        return Const(float(value), like)
    return Const(bool(value)) if isinstance(like, Bool) else Const(int(value))


def let(
    bindings: Iterator[tuple[Var, Term]] | tuple[tuple[Var, Term], ...] | list[tuple[Var, Term]], body: Term
) -> Term:
    """A `Let`, or just the body if there is nothing to bind; a `Let` directly inside is merged into the scope."""
    bound = tuple(bindings)
    if isinstance(body, Let):
        bound, body = bound + body.bindings, body.body
    return Let(bound, body) if bound else body
