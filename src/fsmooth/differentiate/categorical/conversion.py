"""C⟦e⟧Γ : T(Γ) ⇒ τ: from terms to CL, plain and pruned (paper 001, Fig. 10).

(Fig. 10 writes ℱ(f); C⟦e⟧Γ for a call; by its own semantics of `;` the argument comes first.)  Pruning,

    C⟦e⟧Γ = 𝒫[φ(v₁), …, φ(vₘ)/n] ; C⟦e⟧Γ′        {v₁, …, vₘ} = fv(e)

is applied at every subterm that does not mention all of its environment: the environment of a form is then exactly
what the form needs, which is what has to be kept if it is to be run again (§6.1).
"""

from __future__ import annotations

from fsmooth.core.term import (
    App,
    Build,
    Collect,
    Const,
    Deriv,
    If,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Require,
    Term,
    Var,
    While,
)
from fsmooth.core.traverse import children, rebuild
from fsmooth.core.types import Tuple
from fsmooth.differentiate.categorical.arrows import (
    Arrow,
    Bind,
    Call,
    Choose,
    Constant,
    Prune,
    Tabulate,
    Then,
    Together,
)
from fsmooth.differentiate.categorical.loops import Demand, Filter, Fold, Repeat, Total

Names = tuple[Var, ...]


class NotFirstOrder(ValueError):
    """A function is a value, or comes from outside: CL is first-order."""


def to_categorical(function: Lam) -> Arrow:
    """C⟦f(x₁, …, xₙ) = e⟧.

    Raises:
        NotFirstOrder: where a function is a value.

    """
    return Plain().of(function.body, function.parameters)


def to_pruned(function: Lam) -> Arrow:
    """The same with every environment pruned to what is needed.

    Raises:
        NotFirstOrder: where a function is a value.

    """
    return Pruned().of(function.body, function.parameters)


def _types(names: Names) -> Tuple:
    return Tuple(tuple([x.type for x in names]))


class Plain:
    """C⟦·⟧, clause by clause."""

    def of(self, term: Term, names: Names) -> Arrow:
        """C⟦term⟧Γ."""
        return self.clause(term, names)

    def clause(self, term: Term, names: Names) -> Arrow:
        """The clause for the construct."""
        match term:
            case Var():
                return _projection(names, term)
            case Const():
                return Then(Prune(_types(names), ()), Constant(term))
            case MakeTuple(items):
                return Together(_types(names), [self.of(x, names) for x in items], term.type)
            case Let(((var, value), *rest), body):
                inner = Let(tuple(rest), body) if rest else body
                return Bind(var.name, self.of(value, names), self.of(inner, (*names, var)))
            case Let(_, body):
                return self.of(body, names)
            case App(Lam(parameters, body), arguments):
                return self.call(parameters, body, arguments, names)
            case If(condition, then, otherwise):
                return Choose(self.of(condition, names), self.of(then, names), self.of(otherwise, names))
            case Build(size, index, body):
                return Tabulate(self.of(size, names), index.name, self.of(body, (*names, index)))
            case Reduce(reduction, size, index, body):
                return Total(reduction, self.of(size, names), index.name, self.of(body, (*names, index)))
            case IFold(size, init, state, index, body):
                step = self.of(body, (*names, state, index))
                return Fold(self.of(size, names), self.of(init, names), (state.name, index.name), step)
            case While(init, state, condition, body):
                inner_names = (*names, state)
                return Repeat(
                    self.of(init, names), state.name, self.of(condition, inner_names), self.of(body, inner_names)
                )
            case Collect():
                return self.filtered(term, names)
            case Require(condition, body):
                numbers = tuple([self.of(n, names) for n in term.numbers])
                return Demand(self.of(condition, names), self.of(body, names), numbers, term.failure, term.site)
            case Lam() | App() | Deriv():
                raise NotFirstOrder(f"{type(term).__name__} of a function that is a value")
            case _:
                return self.operation(term, names)

    def operation(self, term: Term, names: Names) -> Arrow:
        """C⟦f(e)⟧ = C⟦e⟧ ; ℱ(f)."""
        parts = children(term)
        parameters = tuple([Var(f"x{k}", part.type) for k, part in enumerate(parts)])
        function = Lam(parameters, rebuild(term, parameters) if parts else term)
        name = term.primitive.name if isinstance(term, Prim) else type(term).__name__.lower()
        return Then(Together(_types(names), [self.of(part, names) for part in parts]), Call(function, name))

    def call(self, parameters: Names, body: Term, arguments: tuple[Term, ...], names: Names) -> Arrow:
        """A function on the spot: its parameters are bound one after another; no argument sees them."""
        if not parameters:
            return self.of(body, names)
        items = [self.of(a, names) for a in arguments]
        packed = Var("arguments", Tuple(tuple([q.type for q in parameters])))
        bound = tuple([(q, Proj(packed, k)) for k, q in enumerate(parameters)])
        return Bind(packed.name, Together(_types(names), items), self.of(Let(bound, body), (*names, packed)))

    def filtered(self, term: Collect, names: Names) -> Arrow:
        """A filtered comprehension: later parts see the indices before them."""
        inner, sizes = names, list[Arrow]()
        for size, index in term.generators:
            sizes.append(self.of(size, inner))
            inner = (*inner, index)
        indices = tuple([index.name for _, index in term.generators])
        return Filter(
            self.of(term.count, names), tuple(sizes), indices, self.of(term.guard, inner), self.of(term.body, inner)
        )


class Pruned(Plain):
    """C⟦·⟧ after pruning."""

    def of(self, term: Term, names: Names) -> Arrow:
        seen = tuple([k for k, x in enumerate(names) if x in term.free and x not in names[k + 1 :]])
        if len(seen) == len(names):
            return self.clause(term, names)
        pruning = Prune(_types(names), seen)
        if isinstance(term, Const):
            return Then(pruning, Constant(term))
        return Then(pruning, self.clause(term, tuple([names[k] for k in seen])))


def _projection(names: Names, var: Var) -> Call:
    """ℱ(π(Γ, x)): of several of that name the last, which hides the others."""
    for k in reversed(range(len(names))):
        if names[k] is var:
            own = tuple([x.renamed() for x in names])
            return Call(Lam(own, own[k]), f"π {k}")
    raise NotFirstOrder(f"{var.name} is not in the environment")
