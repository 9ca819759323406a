"""Sizes in F̃ text: what is known of them at a place, and how a mistake is shown there.

Known are the definitions of the names that a `let` binds, and the equalities that a `require` around the place states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.core import primitives as p
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import Const, If, Length, Prim, Site, Term, Var
from fsmooth.core.traverse import size_of_tree, transform
from fsmooth.core.types import Int
from fsmooth.frontend import agreement
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.rewrite.linear import polynomial

if TYPE_CHECKING:
    from fsmooth.frontend.text.elaborate import Elaborator

_LARGEST, _DEEPEST = 200, 20
"""Definitions are put into sizes, and into these definitions, only while the sizes stay this small."""


class TextSizes(agreement.Sizes):
    """Sizes at a place of a text."""

    def __init__(self, elaborator: Elaborator, node: tree.Node) -> None:
        self.elaborator = elaborator
        self.node = node

    @property
    def site(self) -> Site:
        """Where the text is used."""
        return self.elaborator.site

    def length(self, array: Term, axis: int) -> Term:
        """The length of an array along an axis."""
        try:
            return size_of(array, axis)
        except Ragged:
            message = "the rows of this array have different lengths; arrays are rectangular"
            raise self.elaborator.fail(message, self.node) from None

    def differ(self, left: int, right: int, what: str) -> TextError:
        """The error that two sizes are never equal."""
        return self.elaborator.fail(f"sizes {left} and {right} differ: {what}", self.node)

    def known(self, size: Term) -> Term:
        """The size with the definitions of variables for the variables."""
        return self._defined(size, _DEEPEST)

    def _defined(self, size: Term, depth: int) -> Term:
        definitions = self.elaborator.definitions

        def change(term: Term) -> Term:
            match term:
                case Var() if isinstance(term.type, Int) and term in definitions:
                    return self._defined(definitions[term], depth - 1)
                case Length(Var() as array, axis) if array in definitions:
                    return self._defined(self.length(definitions[array], axis), depth - 1)
                case _:
                    return term

        if depth == 0 or size.free.isdisjoint(definitions):
            return size
        found = transform(size, change)
        return found if size_of_tree(found) <= _LARGEST else size

    def equal(self, left: Term, right: Term, what: str) -> bool:
        """Are two sizes provably equal, or required to be?"""
        if super().equal(left, right, what):
            return True
        difference = polynomial(self.known(left)).plus(polynomial(self.known(right)), -1)
        for condition in self.elaborator.required:
            for a, b in _equalities(condition):
                stated = polynomial(self.known(a)).plus(polynomial(self.known(b)), -1)
                if stated.plus(difference, -1).is_zero() or stated.plus(difference).is_zero():
                    return True
        return False


def _equalities(condition: Term) -> list[tuple[Term, Term]]:
    """The integers that a condition says are equal."""
    match condition:
        case Prim(primitive, (left, right)) if primitive is p.equal and isinstance(left.type, Int):
            return [(left, right)]
        case If(first, second, Const(False)):
            return _equalities(first) + _equalities(second)
        case _:
            return []
