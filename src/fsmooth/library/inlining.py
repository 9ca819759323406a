"""Elaboration of library definitions: sizes are resolved, and what is known to agree is not required again."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal, alpha_key
from fsmooth.core.build import minus, plus, times
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import NOWHERE, Const, Failure, Length, Prim, Require, Site, Term, Var
from fsmooth.core.types import BOOL, Int, Type, rank_of
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.elaborate import Elaborator
from fsmooth.frontend.text.values import Scope, is_path
from fsmooth.library.definitions import definition


class WrongArguments(TypeMismatchError):  # noqa: N818  (it names what is wrong)
    """A library function was given what it is not made for; the message is for the user."""


class LibraryElaborator(Elaborator):
    """Elaborates one use of a library function, at `site`."""

    def __init__(self, site: Site = NOWHERE) -> None:
        super().__init__("", definition, site)
        self.known: set[tuple[object, object]] = set()

    def operate(self, operator: str, operands: list[Term], node: tree.Node) -> Term:
        """As always, and arithmetic on integer constants is done now (sizes)."""
        if operator in _FOLDED and len(operands) == 2 and all([isinstance(o.type, Int) for o in operands]):
            return _FOLDED[operator](operands[0], operands[1])
        return super().operate(operator, operands, node)

    def length(self, array: Term, axis: int) -> Term:
        """The size as a term that does not mention what the array is made from, where there is one."""
        value = self.definitions.get(array) if isinstance(array, Var) else None
        if value is not None and is_cheap(size := resolved_size(value, axis)):
            return size
        return resolved_size(array, axis)

    def requirement(self, node: tree.Requirement, scope: Scope, expected: Type | None) -> Term:
        """A requirement that certainly holds is left out, one that certainly fails is reported now."""
        condition = self.term(node.condition, scope, BOOL)
        assert isinstance(condition, Prim), "library requirements are comparisons"
        left, right = condition.arguments
        return self.require(condition.primitive, left, right, lambda: self.term(node.body, scope, expected))

    def require(self, relation: p.Primitive, left: Term, right: Term, body: Callable[[], Term]) -> Term:
        """`require left relation right in body()`."""
        fact = (alpha_key(left), alpha_key(right))
        if relation is p.equal and (alpha_equal(left, right) or fact in self.known):
            return body()
        if isinstance(left, Const) and isinstance(right, Const):
            if relation.evaluate(left.value, right.value):
                return body()
            raise WrongArguments(_IMPOSSIBLE[relation].format(left.value, right.value))
        condition = Prim(relation, (left, right))
        self.known.add(fact)
        self.required.append(condition)
        inner = body()
        self.required.pop()
        self.known.discard(fact)
        numbers = (left, right) if relation is p.equal else ()
        return Require(condition, inner, _FAILURES[relation], numbers, self.site)


_FOLDED = {"+": plus, "-": minus, "*": times, "×": times}
_FAILURES = {p.equal: Failure.SIZE, p.greater: Failure.EMPTY, p.not_equal: Failure.STEP}
_IMPOSSIBLE = {
    p.equal: "sizes {} and {} do not agree",
    p.greater: "an empty array has no such element",
    p.not_equal: "a step of zero",
}


def is_cheap(size: Term) -> bool:
    """Is it arithmetic on variables, constants and lengths of paths?"""
    if isinstance(size, Prim):
        return all([is_cheap(a) for a in size.arguments])
    return is_path(size)


def resolved_size(array: Term, axis: int) -> Term:
    """`size_of`, or the plain `Length` where that is not possible."""
    if isinstance(array, Var) or not 0 <= axis < rank_of(array.type):
        return Length(array, axis)
    try:
        return size_of(array, axis)
    except Ragged:
        return Length(array, axis)
