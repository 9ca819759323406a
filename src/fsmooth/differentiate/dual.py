"""D⟦·⟧: forward-mode differentiation, source to source (paper 000, Fig. 7), clause by clause.

A real number becomes a pair (primal, tangent), an array an array of those, Int and Bool themselves
(`core.types.dual`).  E⟦e⟧, the tangent, comes from the rows of differentiate/derivatives.py; all that is no arithmetic is in
differentiate/paired.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from fsmooth.core import primitives as p
from fsmooth.core.build import number
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import (
    Custom,
    Header,
    IFold,
    Lam,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Zero,
)
from fsmooth.core.types import Float, dual
from fsmooth.differentiate.activity import Activity
from fsmooth.differentiate.custom import by_jvp
from fsmooth.differentiate.definitions import tangent_of
from fsmooth.differentiate.derivatives import RESULT_IS_REUSED, ROWS
from fsmooth.differentiate.encoding import TANGENTS, first, second, with_primal_data
from fsmooth.differentiate.paired import Paired
from fsmooth.differentiate.reverse.transpose import transpose
from fsmooth.differentiate.scopes import name_of
from fsmooth.differentiate.shared import is_atomic, shared_terms


def differentiate(function: Lam) -> Lam:
    """D⟦fun x -> e⟧ = fun x⃗ -> D⟦e⟧ (D-Abs): every parameter becomes dual."""
    function = cast(Lam, refresh(function))
    parameters = tuple([Var(q.name, dual(q.type), q.site) for q in function.parameters])
    active = {q: new for q, new in zip(function.parameters, parameters, strict=True) if q.type != new.type}
    same = {q: new for q, new in zip(function.parameters, parameters, strict=True) if q.type == new.type}
    return Lam(parameters, dual_of(substitute(function.body, same), active))


def dual_of(term: Term, active: Mapping[Var, Term]) -> Term:
    """D⟦term⟧, where each active variable stands for the given term of dual type.  Binders must be distinct."""
    made = _Dual(dict(active), shared_terms(term), Activity(term, active)).closed(term)
    return with_primal_data(made)


class _Dual(Paired):
    """A number is beside its tangent."""

    pairs = TANGENTS

    def header(self, header: Header, active: tuple[bool, ...]) -> Header:
        return tangent_of(header, active, TANGENTS, dual_of)

    def custom(self, custom: Custom, arguments: Sequence[Term]) -> Term:
        return by_jvp(self, custom, arguments, transpose)

    def plus(self, items: tuple[Term, ...]) -> Term:
        return Plus(tuple([self.of(x) for x in items]))

    def sum(self, term: Reduce, size: Term) -> Term:
        """A sum of duals."""
        return Reduce(Reduction.SUM, size, term.index, self.closed(term.body))

    def scalar(self, term: Prim) -> Term:
        """D-Scalar: (P⟦e⟧, E⟦e⟧), with E⟦e⟧ from the table."""
        name, self.name = self.name or name_of(term), None
        arguments: list[Term] = []
        tangents: list[Term] = []
        for argument in term.arguments:
            if isinstance(argument.type, Float) and self.is_active(argument):
                value = self.of(argument)
                if not isinstance(value, MakeTuple) and not is_atomic(value):
                    value = self.bound("d", value)
                arguments.append(self.bound(name_of(argument), first(value)))
                tangents.append(second(value))
            else:
                arguments.append(self.bound(name_of(argument), self.p(argument)))
                tangents.append(Zero((), argument.type) if isinstance(argument.type, Float) else MakeTuple(()))
        result: Term = Prim(term.primitive, tuple(arguments))
        if term.primitive in RESULT_IS_REUSED:
            result = self.bound(name, result)
        return MakeTuple((result, ROWS[term.primitive](tuple(arguments), result, tuple(tangents))))

    def product(self, term: Reduce, size: Term) -> Term:
        """(p, t) -> (p * f, t * f + p * f'): exact where factors are zero."""
        type_ = term.type
        one = MakeTuple((number(1, type_), Zero((), type_)))
        state = Var("p", one.type)

        def step() -> Term:
            factor = self.of(term.body)
            if not isinstance(factor, MakeTuple):
                factor = self.bound("f", factor)
            value, slope = self.bound("f", first(factor)), second(factor)
            so_far, tangent = Proj(state, 0), Proj(state, 1)
            new = Prim(p.add, (Prim(p.multiply, (tangent, value)), Prim(p.multiply, (so_far, slope))))
            return MakeTuple((Prim(p.multiply, (so_far, value)), new))

        self.name_shared(term.body)
        return IFold(size, one, state, term.index, self.scoped(step, term.body))
