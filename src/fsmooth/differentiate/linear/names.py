"""Names for operands: administrative normal form (paper 001, §5.1), so that no derivative duplicates a computation.

Afterwards every operand that has a derivative is a variable or a constant, in the operations, displays, tuples, calls
and initial states of each scope.  Indices, sizes and conditions stay as they are.  A subterm that occurs in several
places as one object is named where it is met first.
"""

from __future__ import annotations

from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    App,
    Const,
    Get,
    Lam,
    Length,
    Let,
    Prim,
    Proj,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.traverse import children, opens_region, rebuild
from fsmooth.core.types import Function, has_float, has_function


def named(term: Term) -> Term:
    """`term` with a name for every operand that has a derivative; binders are distinct."""
    return _Scope({}).closed(refresh(term))


def is_atom(term: Term) -> bool:
    """Does the term need no name?"""
    return isinstance(term, Var | Const | Zero)


class _Scope:
    """The bindings of one scope.  `known` are names of subterms that are bound here or further out."""

    def __init__(self, known: dict[Term, Term]) -> None:
        self.known = dict(known)
        self.bindings: list[tuple[Var, Term]] = []

    def closed(self, term: Term) -> Term:
        """`term` as a scope of its own."""
        inner = _Scope(self.known)
        body = inner.of(term)
        return let(inner.bindings, body)

    def atom(self, term: Term) -> Term:
        """A name for `term`, if it has a derivative and is not one already."""
        if is_atom(term) or has_function(term.type) or not has_float(term.type):
            return term
        found = self.known.get(term)
        if found is not None:
            return found
        value = self.of(term)
        if not is_atom(value):
            var = Var(_name_of(value), value.type)
            self.bindings.append((var, value))
            value = var
        self.known[term] = value
        return value

    def of(self, term: Term) -> Term:
        """`term` with names for its operands."""
        if isinstance(term.type, Function) or not has_float(term.type):
            return term
        found = self.known.get(term)
        if found is not None:
            return found
        match term:
            case Let(bindings, body):
                for var, value in bindings:
                    self.bindings.append((var, self.of(value)))
                return self.of(body)
            case App(Lam(parameters, body), arguments):
                return App(Lam(parameters, self.closed(body)), tuple([self.atom(a) for a in arguments]))
            case _:
                parts = enumerate(children(term))
                return rebuild(term, [self.closed(x) if opens_region(term, k) else self.atom(x) for k, x in parts])


def _name_of(term: Term) -> str:
    match term:
        case Prim(primitive):
            return {"+": "total", "-": "difference", "*": "product", "/": "quotient"}.get(
                primitive.symbol or "", f"{primitive.name}_of"
            )
        case Get() | Proj() | Length():
            return "x"
        case _:
            return "t"
