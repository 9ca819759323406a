"""Which numbers may be infinite, or not a number, though all numbers given are finite and of a usual size.

What is chosen by a condition is taken to be finite if one of the two is: the condition is there for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from fsmooth.core import primitives as p
from fsmooth.core.term import Get, If, Lam, Length, Prim, Term, Var
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


def may_be_infinite(order: list[Term], definitions: Mapping[Var, Term]) -> Callable[[Term], bool]:
    """May a term be?  `order` has every node after its parts and after the definitions of the names in it.

    What a loop carries may be if what it makes may be, of what it begins with; what functions inside the program are given,
    if anything may be.
    """
    at_first = _found(order, definitions, frozenset())
    given: set[Var] = set()
    *inside, outermost = order
    for node in inside if isinstance(outermost, Lam) else order:
        if at_first if isinstance(node, Lam) else node in at_first:
            given |= {var for k in range(len(children(node))) for var in bound_in(node, k)}
    found = _found(order, definitions, given)
    return lambda term: _is_in(term, found, definitions, given)


def _found(order: list[Term], definitions: Mapping[Var, Term], given: Set[Var]) -> set[Term]:
    found: set[Term] = set()

    def of(term: Term) -> bool:
        return _is_in(term, found, definitions, given)

    for node in order:
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
                may_be = any(map(of, children(node)))
        if may_be:
            found.add(node)
    return found


def _is_in(term: Term, found: Set[Term], definitions: Mapping[Var, Term], given: Set[Var]) -> bool:
    while isinstance(term, Var):
        if term not in definitions:
            return term in given
        term = definitions[term]
    return term in found
