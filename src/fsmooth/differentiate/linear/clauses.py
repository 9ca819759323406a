"""∇⟦e⟧ of every construct, from the derivatives of its operands (paper 001, Fig. 6; folds: Fig. 13).

The operands have names (`names.named`).  What a variable's derivative is, and how a scope is differentiated, is for
the subclasses to say; `source` is a point of the space S in ∇_S⟦·⟧.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from fsmooth.core.build import bind, equals
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Collect,
    Delta,
    Field,
    Get,
    If,
    IFold,
    Inject,
    Lam,
    Let,
    MakeTuple,
    Null,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Tag,
    Taped,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
    let,
    scalar_constant,
)
from fsmooth.core.term.linear_maps import (
    AddMaps,
    Compose,
    FoldMap,
    HCat,
    HCatArray,
    ScaleMap,
    VCat,
    VCatArray,
    ZeroMap,
)
from fsmooth.core.types import INT, has_float, tangent
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.linear.jacobians import element, point_of, projection, selected, slope_along, total
from fsmooth.differentiate.reverse.whiles import as_fold, steps_of

ARGUMENT_OF = {Reduction.MAX: Reduction.ARGMAX, Reduction.MIN: Reduction.ARGMIN}


class Clauses(ABC):
    """∇_S⟦·⟧ with `maps[x]` for ∂x : S ⊸ X."""

    def __init__(self, source: Term, maps: dict[Var, Term]) -> None:
        self.source = source
        self.maps = maps

    @abstractmethod
    def scope(self, term: Term) -> Term:
        """∇⟦term⟧ of a scope: definitions and a body."""

    @abstractmethod
    def fold(self, term: IFold) -> Term:
        """∇⟦ifold⟧."""

    def is_active(self, term: Term) -> bool:
        """Does the value of `term` vary, as far as one can tell?  A structural zero mentions sizes only."""
        return not isinstance(term, Zero) and has_float(term.type) and not self.maps.keys().isdisjoint(term.free)

    def nothing(self, term: Term) -> Term:
        """∇⟦k⟧ = 0."""
        return ZeroMap(self.source, point_of(term))

    def operand(self, term: Term) -> Term:
        """∇⟦x⟧ = ∂x, and 0 for what does not vary."""
        if isinstance(term, Var) and term in self.maps:
            return self.maps[term]
        if self.is_active(term):
            return self.of(term)
        return self.nothing(term)

    def of(self, term: Term, name: Term | None = None) -> Term:
        """∇⟦term⟧; `name` is bound to the value of `term` already, if it is given."""
        if not self.is_active(term):
            return self.nothing(term)
        match term:
            case Var():
                return self.maps[term]
            case Prim():
                return self.primitive(term, name or term)
            case MakeTuple(items):
                return VCat(tuple([self.operand(x) for x in items]), tangent(term.type))
            case Proj(tuple_, position):
                return Compose(projection(tuple_, position), self.operand(tuple_))
            case Get(array, index):
                return bind(index, lambda i: Compose(element(array, i), self.operand(array)), "k")
            case Delta(size, index, value):
                point = point_of(value)
                spread = bind(index, lambda i: _each(size, lambda j: selected(equals(i, j), point)), "k")
                return Compose(spread, self.operand(value))
            case Update(array, index, value):
                new, old, size = self.operand(value), self.operand(array), size_of(array)
                return bind(
                    index,
                    lambda i: _each(size, lambda j: If(equals(i, j), new, Compose(element(array, j), old))),
                    "k",
                )
            case Vector(items):
                return VCatArray(Vector(tuple([self.operand(x) for x in items])))
            case Plus(items):
                return _sum([self.operand(x) for x in items])
            case Let():
                return self.scope(term)
            case App(Lam(parameters, body), arguments):
                return self.scope(let(tuple(zip(parameters, arguments, strict=True)), body))
            case If(condition, then, otherwise):
                return If(condition, self.scope(then), self.scope(otherwise))
            case Require(condition, body):
                return Require(condition, self.scope(body), term.failure, term.numbers, term.site)
            case Build(size, index, body):
                return VCatArray(Build(size, index, self.scope(body)))
            case Collect(count, generators, guard, body):
                return VCatArray(Collect(count, generators, guard, self.scope(body)))
            case Reduce():
                return self.reduction(term)
            case IFold():
                return self.fold(term)
            case While():
                return bind(steps_of(term), lambda n: self.fold(as_fold(term, n)), "n")
            case _:
                raise _without(term)

    def primitive(self, term: Prim, result: Term) -> Term:
        """∇⟦f(e)⟧ = ∂f(e) ∘ ∇⟦e⟧, along the arguments that vary."""
        varying = [k for k, x in enumerate(term.arguments) if self.is_active(x)]
        if not varying:
            return self.nothing(term)
        slopes = [slope_along(term, k, result) for k in varying]
        maps = [self.operand(term.arguments[k]) for k in varying]
        if len(varying) == 1:
            return Compose(slopes[0], maps[0])
        return Compose(HCat(tuple(slopes)), VCat(tuple(maps)))

    def reduction(self, term: Reduce) -> Term:
        """∂sum and ∂product after the derivatives of the elements; an extremum is its first element (design §4)."""
        size, index, body = term.size, term.index, term.body
        match term.reduction:
            case Reduction.SUM:
                return Compose(total(size, point_of(term)), VCatArray(Build(size, index, self.scope(body))))
            case Reduction.PRODUCT:
                return Compose(without_each(size, index, body), VCatArray(Build(size, index, self.scope(body))))
            case Reduction.MAX | Reduction.MIN:
                first = refresh(Reduce(ARGUMENT_OF[term.reduction], size, index, body))
                return Let(((index, first),), self.scope(body))
            case other:
                raise NoDerivative(f"no derivative of {other.value}")


def _without(term: Term) -> NoDerivative:
    """What to say of a construct that the notes have no clause for."""
    match term:
        case Call():
            what = "the derivative of a function that calls itself"
        case Taped():
            what = "a derivative by a tape"
        case Inject() | Field() | Tag() | Null():
            what = "the derivative of nodes that a program makes"
        case _:
            return NoDerivative(f"no derivative of {type(term).__name__}")
    hint = "explain() without linear_maps, and c_source(), show what was made"
    return NoDerivative(f"{what} is not shown as linear maps\n  hint: {hint}")


def without_each(size: Term, index: Var, factor: Term) -> Term:
    """∂product: ℋ(build n (λi. S(the product of the other factors))), exact where factors are zero."""
    position = Var("i", INT)
    one = scalar_constant(1.0, factor.type)
    others = Reduce(Reduction.PRODUCT, size, index, If(equals(index, position), one, factor))
    return HCatArray(Build(size, position, ScaleMap(refresh(others))))


def _each(size: Term, element_at: Callable[[Var], Term]) -> Term:
    """𝒱(build n (λj. …))."""
    j = Var("j", INT)
    return VCatArray(Build(size, j, element_at(j)))


def _sum(maps: list[Term]) -> Term:
    result = maps[0]
    for each in maps[1:]:
        result = AddMaps(result, each)
    return result


def fold_map(term: IFold, slope: Term, environment: Term, init: Term) -> Term:
    """lmFold … ∘ (env × ∇⟦init⟧) (Fig. 13)."""
    step = refresh(Lam((term.state, term.index), term.body))
    slopes = Lam((term.state, term.index), slope)
    return Compose(FoldMap(step, slopes, term.init, term.size), VCat((environment, init)))
