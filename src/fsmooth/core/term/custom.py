"""Functions with a derivative of the user's own."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from fsmooth.core.term.base import NOWHERE, IllTyped, Site, Term
from fsmooth.core.term.fields import Data, Failing, Field, Part, Perhaps
from fsmooth.core.types import Function, Tuple, Type, has_float, has_function, tangent


class Rule(Struct, frozen=True, eq=False):
    """What the user said about a derivative: the function's name, where the rules are, are they to be checked."""

    name: str
    jvp: Site = NOWHERE
    vjp: Site = NOWHERE
    is_checked: bool = False


WRITTEN = Rule("a function")
"""The rule of a `custom` that is written out, in F̃ text."""


class Custom(Term):
    """`function`, differentiated by the rules that are given and not by its body.

    `jvp` takes the arguments, then one tangent for each argument that has real numbers; it gives the tangent of the value.
    `vjp` takes the arguments, then the cotangent of the value; it gives a tuple of cotangents, one for each of these
    arguments.  At least one of them is given; both are linear in the (co)tangents.
    """

    __slots__ = ("function", "jvp", "rule", "vjp")
    __match_args__ = ("function", "jvp", "vjp")
    fields: ClassVar[tuple[Field, ...]] = (Part("function"), Perhaps("jvp"), Perhaps("vjp"), Data("rule"))
    failing = Failing.NEVER

    def __init__(self, function: Term, jvp: Term | None, vjp: Term | None, rule: Rule = WRITTEN) -> None:
        f = function.type
        if not isinstance(f, Function):
            raise IllTyped(f"a derivative for a {f!r}")
        if has_function(f.result) or any(map(has_function, f.parameters)):
            raise IllTyped(f"a derivative for a function of or to functions: {f!r}")
        if jvp is None and vjp is None:
            raise IllTyped("a derivative is given by a jvp, a vjp, or both")
        if not has_float(f.result) or not any(map(has_float, f.parameters)):
            raise IllTyped(f"a derivative for a function from or to values without real numbers: {f!r}")
        for given, wanted in ((jvp, jvp_type(f)), (vjp, vjp_type(f))):
            if given is not None and given.type != wanted:
                raise IllTyped(f"a rule for {f!r} is a {wanted!r}, not a {given.type!r}")
        self.function = function
        self.jvp = jvp
        self.vjp = vjp
        self.rule = rule
        self._typed(f)


class Sealed(Custom):
    """The same where no pass looks into the rules: they are no children of the term, and are made ready where they are used.

    They mention nothing around them, and no derivative is in them.
    """

    __slots__ = ()
    fields = (Part("function"), Data("jvp"), Data("vjp"), Data("rule"))
    failing = Failing.NEVER


def differentiable(f: Function) -> tuple[int, ...]:
    """The positions of the parameters that have real numbers."""
    return tuple([k for k, type_ in enumerate(f.parameters) if has_float(type_)])


def tangents_of(f: Function) -> tuple[Type, ...]:
    """The types of the tangents of these parameters."""
    return tuple([tangent(f.parameters[k]) for k in differentiable(f)])


def jvp_type(f: Function) -> Function:
    """The type of a jvp rule for a function of type f."""
    return Function((*f.parameters, *tangents_of(f)), tangent(f.result))


def vjp_type(f: Function) -> Function:
    """The type of a vjp rule for a function of type f."""
    return Function((*f.parameters, tangent(f.result)), Tuple(tangents_of(f)))
