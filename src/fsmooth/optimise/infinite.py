"""Which numbers may be infinite, or not a number, though all numbers given are finite and of a usual size.

What is chosen by a condition is taken to be finite if one of the two is: the condition is there for the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import inf, isfinite

from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Const, Get, If, Lam, Length, Let, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.traverse import bound_in, children, subterms
from fsmooth.core.types import Float, Function, has_float

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
        self.written = self._from_written(order)
        """What comes from an infinity that the program writes: to choose it is not to avoid it."""
        self._asking = self._from_questions(order)
        self.asks = bool(self._asking)
        """Does the program ask whether numbers are finite?"""
        self._given: Set[Var] = frozenset()
        self._terms: Set[Term] = frozenset()
        self._given = self._bound_where_found(order, self._found(order))
        self._terms = self._found(order)

    def may_be(self, term: Term) -> bool:
        """May the term be infinite?"""
        term = self._defined(term)
        return self.comes_of_one(term) or term in (self._given if isinstance(term, Var) else self._terms)

    def comes_of_one(self, term: Term) -> bool:
        """Is an infinity that the program writes a part of it?"""
        term = self._defined(term)
        if isinstance(term, Const):
            return isinstance(term.value, float) and not isfinite(term.value)
        return term in self.written

    def is_asked(self, condition: Term) -> bool:
        """Is it, or does it depend on, whether a number is infinite or none: then those given need not be finite?"""
        return any([self._is_question(t) or self._defined(t) in self._asking for t in subterms(condition)])

    def is_of_offset(self, condition: Term) -> bool:
        """Is it whether an offset is infinite?  It is the result then, and nothing depends on the numbers below it."""
        match condition:
            case Prim(primitive, (a, _)) if primitive is p.equal:
                return self.is_of_offset(a)
            case Prim(primitive, (a,)) if primitive in (p.logical_not, p.absolute):
                return self.is_of_offset(a)
            case Prim(primitive):
                return primitive is p.as_offset
            case Var():
                return condition in self._definitions and self.is_of_offset(self._definitions[condition])
            case Get(array):
                return self.is_of_offset(array)
            case Build(_, _, body) | Let(_, body):
                return self.is_of_offset(body)
            case _:
                return False

    def _defined(self, term: Term) -> Term:
        while isinstance(term, Var) and term in self._definitions:
            term = self._definitions[term]
        return term

    def _from_written(self, order: list[Term]) -> set[Term]:
        self.written = found = set[Term]()
        for node in order:
            is_data = not isinstance(node, Length) and not (isinstance(node, Prim) and not isinstance(node.type, Float))
            if is_data and any([self.comes_of_one(c) for c in children(node)]):
                found.add(node)
        return found

    def _is_question(self, term: Term) -> bool:
        match term:
            case Prim(primitive, (Prim(whole, (a,)), Const(value))) if whole is p.absolute:
                return primitive is p.less and value == inf and not self.is_of_offset(a)
            case Prim(primitive, (a, *_)):
                return primitive is p.is_nan and not _is_derivatives(self._defined(a))
            case _:
                return False

    def _from_questions(self, order: list[Term]) -> set[Term]:
        """The truth values, and whole numbers, that depend on such questions."""
        self._asking = found = set[Term]()
        searched = {t for node in order if isinstance(node, Reduce) and _is_search(node) for t in subterms(node.body)}
        for node in order:
            is_data = not isinstance(node.type, Function) and not has_float(node.type)
            if (self._is_question(node) and node not in searched) or (
                is_data and any([self._defined(c) in found for c in children(node)])
            ):
                found.add(node)
        return found

    def _bound_where_found(self, order: list[Term], found: Set[Term]) -> set[Var]:
        """What loops carry that may be infinite, and what functions inside the program are given."""
        *inside, outermost = order
        nodes = inside if isinstance(outermost, Lam) else order
        having = [node for node in nodes if (found if isinstance(node, Lam) else node in found)]
        return {var for node in having for k in range(len(children(node))) for var in bound_in(node, k)}

    def _found(self, order: list[Term]) -> set[Term]:
        self._terms = found = set[Term]()
        for node in order:
            match node:
                case Prim(primitive, arguments):
                    may_be = isinstance(node.type, Float) and (
                        primitive not in FINITE or any(map(self.may_be, arguments))
                    )
                case Get(array):
                    may_be = self.may_be(array)
                case If(_, a, b):
                    may_be = self.may_be(a) and self.may_be(b)
                case Length():
                    may_be = False
                case _:
                    may_be = any(map(self.may_be, children(node)))
            if may_be or node in self.written:
                found.add(node)
        return found


def _is_search(reduction: Reduce) -> bool:
    """One that passes over what is no number, and gives a place (optimise/rules/extremal_folds.py)."""
    return reduction.reduction in (Reduction.ARGMIN, Reduction.ARGMAX)


def _is_derivatives(term: Term) -> bool:
    """Is it what derivatives ask about: a number less itself, or with the other sign (differentiate/derivatives.py)?"""
    match term:
        case Prim(primitive, (a, b)):
            return primitive is p.subtract and a is b
        case Prim(primitive):
            return primitive is p.negate
        case _:
            return False
