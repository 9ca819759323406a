"""Programs of users in F̃ text: what could read outside an array, or divide by zero, is tested where it is written.

The text of M̃, and what the printer writes, is the core's: there an access is not checked.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.signs import at_least_zero
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Check,
    Collect,
    Const,
    Failure,
    If,
    Length,
    Prim,
    Reduce,
    Reduction,
    Require,
    Site,
    Term,
    Var,
    let,
)
from fsmooth.core.types import INT, Int, Type
from fsmooth.frontend.text import linear_maps, tree
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.parser import parse_tree
from fsmooth.frontend.text.types import type_of
from fsmooth.frontend.text.values import Closure, Operator, Scope, Value, is_path
from fsmooth.library.expand import ProgramElaborator, function_named, on_arrays
from fsmooth.library.inlining import resolved_size

_DIVISIONS = {"floor_divide": "//", "modulo": "%"}
_EXTREMA = (Reduction.MAX, Reduction.MIN, Reduction.ARGMAX, Reduction.ARGMIN)


class CheckedElaborator(ProgramElaborator):
    """Elaborates a text of a user's, of which each part has a place in `file`."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, lambda name: function_named(name, lambda: self.site), _site(text, file, 0, 0))
        self.file = file

    def value(self, node: tree.Node, scope: Scope, expected: Type | None = None) -> Value:
        """What an expression stands for; what fails in it fails at its place."""
        function = node.function if isinstance(node, tree.Apply) else None
        if isinstance(function, tree.Name) and function.name in linear_maps.FORMS and function.name not in scope:
            raise self.fail("linear maps are not for programs yet; write what they do, or `grad`, `jacob`", node)
        here = _site(self.text, self.file, node.start, node.end)
        if isinstance(node, tree.Index):  # what is out of bounds is called after the array
            here = replace(here, what=_said(self.text[node.array.start : node.array.end]))
        outside, self.site = self.site, here
        try:
            return super().value(node, scope, expected)
        finally:
            self.site = outside

    def lookup(self, name: str, scope: Scope) -> Value | None:
        """The value of a name; of a division, the one that is tested."""
        if name in scope:
            return scope[name]
        return Operator(_DIVISIONS[name]) if name in _DIVISIONS else super().lookup(name, scope)

    def on_arrays(self, name: str, arguments: list[Term]) -> Term | None:
        """Element by element, if there is an array among them."""
        return on_arrays(name, arguments, self.site)

    def size(self, node: tree.Node, scope: Scope) -> Term:
        """How many: none, if it is less."""
        return at_least_zero(super().size(node, scope))

    def within(self, index: Term, size: Term) -> Term:
        """An index that is tested, unless that is proved."""
        known = resolved_size(size.array, size.axis) if isinstance(size, Length) else size
        return Check(index, known, self.site)

    def operate(self, operator: str, operands: list[Term], node: tree.Node) -> Term:
        """As always; an integer is not divided by zero."""
        result = super().operate(operator, operands, node)
        if operator not in _DIVISIONS.values() or not isinstance(result.type, Int):
            return result
        divisor = operands[1]
        if isinstance(divisor, Const) and divisor.value != 0:
            return result
        bindings, divisor = _named(divisor, "divisor")
        made = super().operate(operator, [operands[0], divisor], node)
        condition = Prim(p.not_equal, (divisor, Const(0)))
        return let(bindings, Require(condition, made, Failure.DIVISION, (), self.site))

    def rectangular(self, array: Term, node: tree.Node) -> Term:
        """As always; there is no extremum of nothing, and a `collect` has as many elements as it says."""
        made = super().rectangular(array, node)
        if isinstance(made, Collect):
            return self._counted(made)
        if not isinstance(made, Reduce) or made.reduction not in _EXTREMA:
            return made
        bindings, size = _named(made.size, "n")
        some = Reduce(made.reduction, size, made.index, made.body)
        return let(bindings, Require(Prim(p.greater, (size, Const(0))), some, Failure.EMPTY, (), self.site))

    def _counted(self, array: Collect) -> Term:
        """The array with the number of its elements counted, which must be the one that is written."""
        found: Term = If(array.guard, Const(1), Const(0))
        for size, index in reversed(array.generators):
            found = Reduce(Reduction.SUM, size, index, found)
        bindings, count = _named(refresh(found), "count")
        made = Collect(count, array.generators, array.guard, array.body)
        condition = Prim(p.equal, (array.count, count))
        return let(bindings, Require(condition, made, Failure.SIZE, (array.count, count), self.site))


def _named(term: Term, name: str) -> tuple[list[tuple[Var, Term]], Term]:
    """A name for an integer that is mentioned twice, unless it is cheap."""
    if is_path(term):
        return [], term
    variable = Var(name, INT)
    return [(variable, term)], variable


def _site(text: str, file: str, start: int, end: int) -> Site:
    """A part of a text as a place in a file."""
    first, last = text.rfind("\n", 0, start) + 1, text.rfind("\n", 0, end) + 1
    line = text.count("\n", 0, start) + 1
    return Site(_said(text[start:end]), file, line, start - first, text.count("\n", 0, end) + 1, end - last)


def _said(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=64)
def definitions(text: str) -> dict[str, tree.Node]:
    """What a text defines, by name, in order.

    Raises:
        TextError: for a text that is no list of definitions, or defines a name twice.

    """
    if not text.strip():
        return {}
    node = parse_tree(text)
    if not isinstance(node, tree.Module):
        message = "a text of definitions is `let name = …`, one after the other, and nothing behind them"
        raise TextError(message, text, node.start, node.end)
    found: dict[str, tree.Node] = {}
    for name, value in node.definitions:
        if name in found:
            raise TextError(f"`{name}` is defined twice", text, value.start, value.end)
        found[name] = value
    return found


def parameter_types(text: str, name: str) -> dict[str, Type | None]:
    """The parameters of a function of the text, with the types that are written at them."""
    function = definitions(text)[name]
    assert isinstance(function, tree.Fun), name
    return {q.name: None if q.type is None else type_of(q.type, text) for q in function.parameters}


def called(text: str, file: str, name: str, arguments: list[Term]) -> Term:
    """The function `name` of the text on arguments that fit, with what is defined before it.

    Raises:
        TextError: for a mistake in the text.

    """
    elaborator = CheckedElaborator(text, file)
    scope: Scope = {}
    bound: list[tuple[Var, Term]] = []
    for known, node in definitions(text).items():
        if isinstance(node, tree.Fun):
            function = Closure(node, dict(scope), text, known)
            if known == name:
                return let(bound, elaborator.call(function, list(arguments), node))
            scope[known] = function
        else:
            value = elaborator.value(node, scope)
            scope[known] = elaborator.bound(known, value, bound) if isinstance(value, Term) else value
    raise AssertionError(name)
