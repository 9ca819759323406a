"""Which numbers may be infinite, or not a number, though all numbers given are finite and of a usual size.

What is chosen by a condition is taken to be finite if one of the two is: the condition is there for the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import isfinite

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Get, If, Lam, Length, Prim, Term, Var
from fsmooth.core.traverse import bound_in, children
from fsmooth.core.types import Float

FINITE = frozenset(
    {
        p.add,
        p.subtract,
        p.multiply,
        p.negate,
        p.absolute,
        p.sign,
        p.minimum,
        p.maximum,
        p.sin,
        p.cos,
        p.tanh,
        p.atan,
        p.erf,
        p.erfc,
        p.sigmoid,
        p.floor,
        p.ceil,
        p.stop_gradient,
        p.as_offset,
        p.select,
        p.to_float,
        p.to_float32,
    }
)
"""Finite for finite numbers of a usual size."""


class Infinite:
    """Which terms may be, by where they are written: `order` has every node after its parts and after the definitions of the
    names in it.

    What a loop carries may be if what it makes may be, of what it begins with; what functions inside the program are given,
    if anything may be.
    """

    def __init__(self, order: list[Term], definitions: Mapping[Var, Term]) -> None:
        self._definitions = definitions
        self._given: set[Var] = set()
        at_first = self._found(order)
        given: set[Var] = set()
        *inside, outermost = order
        for node in inside if isinstance(outermost, Lam) else order:
            if at_first if isinstance(node, Lam) else node in at_first:
                given |= {var for k in range(len(children(node))) for var in bound_in(node, k)}
        self._given = given
        self.written: set[Term] = set()
        """What comes from an infinity that the program writes: to choose it is not to avoid it."""
        self._terms = self._found(order)

    def may_be(self, term: Term) -> bool:
        """May the term be infinite?"""
        return self._is_in(term, self._terms, self._given)

    def comes_of_one(self, term: Term) -> bool:
        """Is an infinity that the program writes a part of it?"""
        return self._is_in(term, self.written, frozenset())

    def _found(self, order: list[Term]) -> set[Term]:
        found: set[Term] = set()
        self.written = set()

        def of(term: Term) -> bool:
            return self._is_in(term, found, self._given) or self.comes_of_one(term)

        for node in order:
            parts = children(node)
            is_data = not isinstance(node, Length) and not (isinstance(node, Prim) and not isinstance(node.type, Float))
            if is_data and any([self.comes_of_one(c) for c in parts]):
                self.written.add(node)
            match node:
                case Prim(primitive, arguments):
                    may_be = isinstance(node.type, Float) and (primitive not in FINITE or any(map(of, arguments)))
                case Get(array):
                    may_be = of(array)
                case If(_, a, b):
                    may_be = of(a) and of(b)
                case Length():
                    may_be = False
                case _:
                    may_be = any(map(of, parts))
            if may_be or node in self.written:
                found.add(node)
        return found

    def _is_in(self, term: Term, found: Set[Term], given: Set[Var]) -> bool:
        while isinstance(term, Var):
            if term not in self._definitions:
                return term in given
            term = self._definitions[term]
        if isinstance(term, Const):
            return found is self.written and isinstance(term.value, float) and not isfinite(term.value)
        return term in found
