"""∇̄⟦·⟧: the value and the derivative together, as a pair (paper 001, Fig. 7, Fig. 8).

    ∇̄⟦let x = a in b⟧ = let x̄ = ∇̄⟦a⟧ in ∇̄⟦b⟧        x is π₁(x̄), ∂x is π₂(x̄)

`Tupling` is Fig. 7: a call applies ∂̄f(x) = (f(x), ∂f(x)), and composes.  `PolymorphicTupling` is Fig. 8: ∂̄f takes the
derivative of its argument too, so that a call is a call.
"""

from __future__ import annotations

from typing import cast

from fsmooth.core.build import equals
from fsmooth.core.shape import size_of
from fsmooth.core.subst import Renaming, refresh
from fsmooth.core.term import (
    App,
    Build,
    Collect,
    Get,
    If,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
    let,
    scalar_constant,
)
from fsmooth.core.term.linear_maps import Compose, HCat, HCatArray, ScaleMap, UnitMap, VCat, VCatArray, ZeroMap
from fsmooth.core.types import INT, Linear, Tuple, Type, tangent
from fsmooth.differentiate.linear.clauses import ARGUMENT_OF, Clauses, fold_map
from fsmooth.differentiate.linear.jacobians import point_of, total


def pair(value: Term, derivative: Term) -> Term:
    """(e, ∇⟦e⟧)."""
    return MakeTuple((value, derivative))


def paired(type_: Type, source: Type) -> Tuple:
    """The type of x̄."""
    return Tuple((type_, Linear(source, tangent(type_))))


class Tupling(Clauses):
    """∇̄_S⟦·⟧; `values` gives the value π₁(x̄) for x."""

    def __init__(self, source: Term, space: Type, maps: dict[Var, Term], values: dict[Var, Term]) -> None:
        super().__init__(source, maps)
        self.space = space
        self.values = values

    def p(self, term: Term) -> Term:
        """The value of `term`."""
        return Renaming(self.values)(term)

    def inside(self) -> Tupling:
        """For the definitions of a scope within."""
        return type(self)(self.source, self.space, dict(self.maps), dict(self.values))

    def define(self, var: Var) -> Var:
        """From here on `var` is π₁ of the result, ∂var its π₂."""
        both = Var(var.name, paired(var.type, self.space))
        self.values[var], self.maps[var] = Proj(both, 0), Proj(both, 1)
        return both

    def scope(self, term: Term) -> Term:
        """∇⟦term⟧: π₂ of ∇̄."""
        both = self.both(term)
        return both.items[1] if isinstance(both, MakeTuple) else Proj(both, 1)

    def both(self, term: Term) -> Term:
        """∇̄⟦term⟧."""
        if not isinstance(term, Let):
            return self.value_and_map(term)
        inner, bindings = self.inside(), list[tuple[Var, Term]]()
        for var, value in term.bindings:
            if inner.is_active(value):
                both = inner.value_and_map(value)
                bindings.append((inner.define(var), both))
            else:
                bindings.append((var, inner.p(value)))
        return let(bindings, inner.value_and_map(term.body))

    def value_and_map(self, term: Term) -> Term:
        """∇̄⟦term⟧ of one construct."""
        if not self.is_active(term):
            return pair(self.p(term), self.with_values(self.nothing(term)))
        match term:
            case Let():
                return self.both(term)
            case App(Lam(), _):
                return self.call(term)
            case If(condition, then, otherwise):
                return If(self.p(condition), self.both(then), self.both(otherwise))
            case Require(condition, body):
                numbers = tuple([self.p(n) for n in term.numbers])
                return Require(self.p(condition), self.both(body), term.failure, numbers, term.site)
            case Build(size, index, body):
                return self.unzipped(Build(self.p(size), index, self.both(body)))
            case Collect(count, generators, guard, body):
                sizes = tuple([(self.p(size), index) for size, index in generators])
                maps = Collect(self.p(count), sizes, self.p(guard), self.scope(body))
                return pair(self.p(term), VCatArray(maps))
            case Reduce():
                return self.reduced(term)
            case _:
                return pair(self.p(term), self.of(term))

    def of(self, term: Term, name: Term | None = None) -> Term:
        """∇⟦term⟧ of an operation on variables, in terms of their values."""
        return self.with_values(super().of(term, name))

    def with_values(self, derivative: Term) -> Term:
        """Variables of the program stand for values here."""
        return Renaming(self.values)(derivative)

    def unzipped(self, elements: Term) -> Term:
        """Φ: (the array of the values, 𝒱 of the array of the derivatives)."""
        both, k = Var("p", elements.type), Var("k", INT)
        size = size_of(elements)
        values = Build(size, k, Proj(Get(both, k), 0))
        return Let(((both, elements),), pair(values, VCatArray(Build(size, k, Proj(Get(both, k), 1)))))

    def reduced(self, term: Reduce) -> Term:
        """Of the array of ∇̄⟦element⟧."""
        size, elements = self.p(term.size), Build(self.p(term.size), term.index, self.both(term.body))
        both, k, j = Var("p", elements.type), Var("k", INT), Var("j", INT)
        rows = VCatArray(Build(size, k, Proj(Get(both, k), 1)))
        match term.reduction:
            case Reduction.SUM:
                value: Term = Reduce(Reduction.SUM, size, k, Proj(Get(both, k), 0))
                result = pair(value, Compose(total(size, self.p(point_of(term))), rows))
            case Reduction.PRODUCT:
                value = Reduce(Reduction.PRODUCT, size, k, Proj(Get(both, k), 0))
                other = If(equals(k, j), scalar_constant(1.0, term.type), Proj(Get(both, k), 0))
                slopes = Build(size, j, ScaleMap(Reduce(Reduction.PRODUCT, size, k, other)))
                result = pair(value, Compose(HCatArray(slopes), rows))
            case Reduction.MAX | Reduction.MIN:
                result = Get(both, Reduce(ARGUMENT_OF[term.reduction], size, k, Proj(Get(both, k), 0)))
            case _:
                raise AssertionError(term.reduction)
        return Let(((both, elements),), result)

    def fold(self, term: IFold) -> Term:
        """The slopes are from (S, state); the value is that of the loop."""
        state = point_of(term.init)
        outside = HCat((UnitMap(self.source), ZeroMap(state, self.source)))
        maps: dict[Var, Term] = {x: Compose(m, outside) for x, m in self.maps.items() if x in term.body.free}
        maps[term.state] = HCat((ZeroMap(self.source, state), UnitMap(state)))
        space = Tuple((self.space, tangent(term.state.type)))
        inner = type(self)(MakeTuple((self.source, state)), space, dict(maps), dict(self.values))
        return fold_map(term, inner.scope(term.body), UnitMap(self.source), self.operand(term.init))

    def call(self, term: App) -> Term:
        """let a = ∇̄⟦e⟧ in let r = ∂̄f(π₁ a) in (π₁ r, π₂ r ∘ π₂ a); a function that mentions what varies is a let."""
        function = cast(Lam, term.function)
        if self.is_open(function):
            return self.both(let(tuple(zip(function.parameters, term.arguments, strict=True)), function.body))
        own = cast(Lam, refresh(function))
        points = MakeTuple(tuple([point_of(q) for q in own.parameters]))
        space = tangent(points.type)
        inner = type(self)(points, space, {}, {})
        bindings = []
        for k, q in enumerate(own.parameters):
            each = HCat(
                tuple([UnitMap(x) if j == k else ZeroMap(x, points.items[k]) for j, x in enumerate(points.items)])
            )
            bindings.append((inner.define(q), pair(q, each)))
        derived = Lam(own.parameters, let(bindings, inner.both(own.body)))
        arguments = tuple([self.p(a) for a in term.arguments])
        r = Var("r", derived.body.type)
        along = VCat(tuple([self.operand(a) for a in term.arguments]))
        return Let(((r, App(derived, arguments)),), pair(Proj(r, 0), Compose(Proj(r, 1), along)))

    def is_open(self, function: Lam) -> bool:
        """Does the function mention something that varies, or take nothing?"""
        return not function.parameters or not self.maps.keys().isdisjoint(function.free)


class PolymorphicTupling(Tupling):
    """∇̄_a⟦·⟧ for any a (Fig. 8)."""

    def call(self, term: App) -> Term:
        """∇̄⟦f(e)⟧ = ∂̄f(∇̄⟦e⟧)."""
        function = cast(Lam, refresh(term.function))
        inner = self.inside()
        parameters = tuple([inner.define(q) for q in function.parameters])
        arguments = tuple([self.value_and_map(a) for a in term.arguments])
        return App(Lam(parameters, inner.both(function.body)), arguments)
