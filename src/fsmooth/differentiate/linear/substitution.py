"""∇⟦·⟧ with a name for the derivative of every definition (paper 001, Fig. 6, Fig. 13), as the notes write it.

    ∇⟦let x = a in b⟧ = let x = a in let ∂x = ∇⟦a⟧ in ∇⟦b⟧

Eliminating ∂x means to apply it once for every use of x: n definitions that each use the one before twice are 2ⁿ
applications.  `composition` does not do that.
"""

from __future__ import annotations

from fsmooth.core.term import IFold, Let, MakeTuple, Term, Var, let
from fsmooth.core.term.linear_maps import Compose, HCat, UnitMap, ZeroMap
from fsmooth.core.types import Linear, tangent
from fsmooth.differentiate.linear.clauses import Clauses, fold_map
from fsmooth.differentiate.linear.jacobians import point_of


class BySubstitution(Clauses):
    """∇_S⟦·⟧ for one S; `maps` grows while a scope is walked."""

    def scope(self, term: Term) -> Term:
        if not isinstance(term, Let):
            return self.of(term)
        inner = BySubstitution(self.source, dict(self.maps))
        bindings: list[tuple[Var, Term]] = []
        for var, value in term.bindings:
            bindings.append((var, value))
            if inner.is_active(value):
                slope = inner.of(value, var)
                derivative = Var(f"D{var.name}", Linear(tangent(self.source.type), tangent(var.type)))
                bindings.append((derivative, slope))
                inner.maps[var] = derivative
        return let(bindings, inner.of(term.body))

    def fold(self, term: IFold) -> Term:
        """The slopes are from (S, state): let ∂x = ∂x ∘ (1 ⋈ 0) for each x outside, let ∂state = 0 ⋈ 1."""
        state = point_of(term.init)
        both = MakeTuple((self.source, state))
        outside = HCat((UnitMap(self.source), ZeroMap(state, self.source)))
        inner = BySubstitution(both, {})
        bindings: list[tuple[Var, Term]] = []
        for var, derivative in self.maps.items():
            if var in term.body.free:
                here = Var(f"D{var.name}", Linear(tangent(both.type), tangent(var.type)))
                inner.maps[var] = here
                bindings.append((here, Compose(derivative, outside)))
        inner.maps[term.state] = HCat((ZeroMap(self.source, state), UnitMap(state)))
        slope = let(bindings, inner.scope(term.body))
        return fold_map(term, slope, UnitMap(self.source), self.operand(term.init))
