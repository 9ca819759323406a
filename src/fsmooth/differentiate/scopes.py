"""The scopes of D⟦·⟧: what is bound while a region of the program is differentiated, and what the bindings are called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.term import MakeTuple, Prim, Term, Var, let
from fsmooth.core.traverse import subterms
from fsmooth.differentiate.shared import crossing_terms, is_atomic

_NAMES = {p.add: "total", p.subtract: "difference", p.multiply: "product", p.divide: "quotient", p.power: "power"}


def name_of(term: Term) -> str:
    """A name for the value of a term that has none."""
    if not isinstance(term, Prim):
        return "x"
    return _NAMES.get(term.primitive, f"{term.primitive.name}_of")


class Scopes(ABC):
    """Collects the bindings of the current scope in `scope`.

    `shared` are the subterms that occur more than once as one object, `crossing` those of them that the current scope
    evaluates itself and that a scope inside mentions too, `known` their values as long as they may be used.
    """

    def __init__(self, shared: frozenset[Term]) -> None:
        self.scope: list[tuple[Var, Term]] = []
        self.shared = shared
        self.crossing: tuple[Term, ...] = ()
        self.known: dict[Term, Term] = {}

    def of(self, term: Term) -> Term:
        """What `term` becomes; a subterm that occurs in several places as one object is bound where it is met first."""
        if term not in self.shared:
            return self.clause(term)
        found = self.known.get(term)
        if found is None:
            found = self.clause(term)
            if isinstance(found, MakeTuple):
                found = MakeTuple(tuple([self.bound("s", part) for part in found.items]), found.type)
            else:
                found = self.bound("s", found)
            self.known[term] = found
        return found

    @abstractmethod
    def clause(self, term: Term) -> Term:
        """What `term` becomes, where it is met."""

    def scoped(self, make: Callable[[], Term], term: Term) -> Term:
        """What `make` makes of `term`, with the bindings around it that were made meanwhile; their names end with it."""
        outer, self.scope = self.scope, []
        crossing, self.crossing = self.crossing, crossing_terms(term, self.shared)
        before = len(self.known)
        result = make()
        while len(self.known) > before:
            self.known.popitem()
        bindings, self.scope = self.scope, outer
        self.crossing = crossing
        return let(bindings, result)

    def name_shared(self, inner: Term) -> None:
        """Bind what this scope evaluates anyway and the scope `inner` mentions too, so that it is differentiated once."""
        if not self.crossing:
            return
        mentioned = set(subterms(inner))
        for term in self.crossing:
            if term in mentioned:
                self.of(term)

    def bound(self, name: str, value: Term) -> Term:
        """A name for `value` in the current scope, unless it is one already."""
        if is_atomic(value):
            return value
        var = Var(name, value.type)
        self.scope.append((var, value))
        return var
