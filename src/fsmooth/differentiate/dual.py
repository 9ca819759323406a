"""D⟦·⟧: forward-mode differentiation, source to source (paper 000, Fig. 7), clause by clause.

A real number becomes a pair (primal, tangent), an array an array of those, Int and Bool themselves
(`core.types.dual`).  P⟦e⟧ is the primal part of D⟦e⟧ and is written as e itself with names replaced; E⟦e⟧, the
tangent, comes from the rows of differentiate/derivatives.py.  What does not depend on an active variable is
lifted to (e, zero) without being looked into.  Operands that a rule uses twice are bound, in one scope for
each scope of the program, so the size of D⟦e⟧ is linear in that of e.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from fsmooth.core import primitives as p
from fsmooth.core.build import number
from fsmooth.core.subst import Renaming, refresh, substitute
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Collect,
    Custom,
    Delta,
    Field,
    Get,
    If,
    IFold,
    Inject,
    Lam,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Tag,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.types import Array, Data, Float, Tuple, dual
from fsmooth.differentiate.activity import Activities, Activity
from fsmooth.differentiate.custom import by_jvp
from fsmooth.differentiate.definitions import tangent_of
from fsmooth.differentiate.derivatives import RESULT_IS_REUSED, ROWS, NoDerivative
from fsmooth.differentiate.encoding import first, item, lifted, primal_fields, primal_part, second, wants_nothing_unmade
from fsmooth.differentiate.layout import Layout, any_of, leaves_of
from fsmooth.differentiate.reverse.transpose import transpose
from fsmooth.differentiate.scopes import Scopes, name_of
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
    wants_nothing_unmade(made)
    return made


class _Dual(Scopes):
    """One application of D.  `active` maps variables to their dual; `scope` collects bindings."""

    def __init__(self, active: dict[Var, Term], shared: frozenset[Term], activity: Activity) -> None:
        super().__init__(shared)
        self.active = active
        self.is_active = activity.is_active
        self.active_components = activity.of_state
        self.primal = Renaming({x: primal_part(v, x.type) for x, v in active.items()})
        self.name: str | None = None

    def closed(self, term: Term) -> Term:
        """D⟦term⟧ with its own bindings around it."""
        self.name_shared(term)
        return self.scoped(lambda: self.of(term), term)

    def activate(self, var: Var, value: Term) -> None:
        """From here on `var` stands for the dual `value`."""
        self.active[var] = value
        self.primal.add(var, primal_part(value, var.type))

    def p(self, term: Term) -> Term:
        """P⟦term⟧: the original computation."""
        return primal_fields(self.primal(term))

    # -- the clauses -------------------------------------------------------------------------------------------------

    def clause(self, term: Term) -> Term:
        """The clause of Fig. 7 for `term`."""
        if not self.is_active(term) and not isinstance(term, Lam):
            if (
                isinstance(term.type, Array | Tuple)
                and dual(term.type) != term.type
                and not isinstance(term, MakeTuple)
            ):
                return lifted(self.bound("a", self.p(term)))
            return lifted(self.p(term))
        match term:
            case Var():  # D-Var
                return self.active[term]
            case Let(bindings, body):  # D-Let
                for var, value in bindings:
                    self.define(var, value)
                return self.of(body)
            case App(Lam(parameters, body), arguments):  # D-App, D-Abs
                for parameter, argument in zip(parameters, arguments, strict=True):
                    self.define(parameter, argument)
                return self.of(body)
            case App(Custom() as custom, arguments):
                return by_jvp(self, custom, arguments, transpose)
            case App(function, arguments):  # D-App
                return App(self.of(function), tuple([self.of(a) for a in arguments]))
            case Call(header, arguments):
                active = tuple([self.is_active(a) for a in arguments])
                given = [self.of(a) if moves else self.p(a) for a, moves in zip(arguments, active, strict=True)]
                return Call(tangent_of(header, active, dual_of), tuple(given))
            case Lam():  # D-Abs
                return differentiate_inner(self, term)
            case If(condition, then, otherwise):  # D-If
                return If(self.p(condition), self.closed(then), self.closed(otherwise))
            case Build(size, index, body):  # D-Build
                return Build(self.p(size), index, self.closed(body))
            case Vector(items):
                return Vector(tuple([self.of(x) for x in items]))
            case IFold():  # D-IFold
                return self.fold(term)
            case While():
                return self.steps_while(term)
            case Reduce():
                return self.reduction(term)
            case Collect(count, generators, guard, body):
                sizes = tuple([(self.p(size), index) for size, index in generators])
                return Collect(self.p(count), sizes, self.p(guard), self.closed(body))
            case Get(array, index):  # D-Get
                return Get(self.of(array), self.p(index))
            case MakeTuple(items):  # D-Pair
                return MakeTuple(tuple([self.of(x) for x in items]), term.type)
            case Proj(tuple_, position):  # D-Fst, D-Snd
                return item(self.of(tuple_), position)
            case Zero():
                return lifted(self.p(term))
            case Inject(data, constructor, items):
                return Inject(cast(Data, dual(data)), constructor, tuple([self.of(x) for x in items]))
            case Field(operand, constructor, position):
                return Field(self.of(operand), constructor, position)
            case Tag(operand):
                return Tag(self.of(operand))
            case Delta(size, index, value):
                return Delta(self.p(size), self.p(index), self.of(value))
            case Update(array, index, value):
                return Update(self.of(array), self.p(index), self.of(value))
            case Plus(items):
                return Plus(tuple([self.of(x) for x in items]))
            case Require(condition, body):
                numbers = tuple([self.p(n) for n in term.numbers])
                return Require(self.p(condition), self.closed(body), term.failure, numbers, term.site)
            case Prim():  # D-Scalar
                return self.scalar(term)
            case _:
                raise NoDerivative(f"no derivative of {type(term).__name__}")

    def define(self, var: Var, value: Term) -> None:
        """D-Let for one binding: the primal keeps its name."""
        if not self.is_active(value):
            if isinstance(value, Lam):
                raise NoDerivative("a function bound to a name must be inlined before differentiation")
            self.scope.append((var, self.p(value)))
            return
        self.name = var.name if isinstance(value, Prim) else None
        new = self.of(value)
        if isinstance(var.type, Float):
            self.scope.append((var, first(new)))
            self.active[var] = MakeTuple((var, self.bound(var.name + "_t", second(new))))
            return
        named = Var(var.name, new.type, var.site)
        self.scope.append((named, new))
        self.activate(var, named)

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

    def fold(self, term: IFold) -> Term:
        """D-IFold with a flat state, in which only the active components are dual."""
        activities = self.active_components(term.state)
        layout = Layout(term.type, activities)
        start = layout.packed(self.parts(term.init, activities))
        state = Var(term.state.name, start.type, term.state.site)
        self.active[term.state] = layout.dual(state)
        self.primal.add(term.state, layout.primal(state))
        self.name_shared(term.body)
        body = self.scoped(lambda: layout.packed(self.parts(term.body, activities)), term.body)
        loop = IFold(self.p(term.size), start, state, term.index, body)
        return layout.dual(self.bound(term.state.name, loop) if layout.count > 1 else loop)

    def steps_while(self, term: While) -> Term:
        """Likewise; the condition is about the primal part, so the dual loop makes the same steps."""
        activities = self.active_components(term.state)
        layout = Layout(term.type, activities)
        start = layout.packed(self.parts(term.init, activities))
        state = Var(term.state.name, start.type, term.state.site)
        self.active[term.state] = layout.dual(state)
        self.primal.add(term.state, layout.primal(state))
        condition = self.p(term.condition)
        self.name_shared(term.body)
        body = self.scoped(lambda: layout.packed(self.parts(term.body, activities)), term.body)
        loop = While(start, state, condition, body)
        return layout.dual(self.bound(term.state.name, loop) if layout.count > 1 else loop)

    def parts(self, term: Term, active: Activities) -> list[Term]:
        """The components of a state: D⟦·⟧ of those that are active, value and tangent in turn; P⟦·⟧ of the others."""
        match term:
            case MakeTuple(items) if isinstance(active, tuple):
                return [part for x, a in zip(items, active, strict=True) for part in self.parts(x, a)]
            case Let(bindings, body):
                for var, value in bindings:
                    self.define(var, value)
                return self.parts(body, active)
            case If(condition, then, otherwise) if isinstance(active, tuple):
                layout = Layout(term.type, active)
                branches: list[Term] = []
                for branch in (then, otherwise):
                    self.name_shared(branch)
                    branches.append(self.scoped(lambda b=branch: layout.packed(self.parts(b, active)), branch))  # type: ignore[misc]
                chosen = If(self.p(condition), *branches)
                return layout.unpacked(self.bound("chosen", chosen))
        if not any_of(active):
            value = self.p(term)
            return [value] if active is False else leaves_of(self.bound("s", value))
        value = self.of(term)
        if isinstance(value.type, Array):
            return [value]
        if not isinstance(value, MakeTuple):
            value = self.bound("s", value)
        return Layout(term.type, active).of_dual(value)

    def reduction(self, term: Reduce) -> Term:
        """Sums of duals; products as a loop; extrema through the index of the first extremum (design §4)."""
        size = self.p(term.size)
        match term.reduction:
            case Reduction.SUM:
                return Reduce(Reduction.SUM, size, term.index, self.closed(term.body))
            case Reduction.PRODUCT:
                return self.product(term, size)
            case Reduction.MAX | Reduction.MIN:
                arg = Reduction.ARGMAX if term.reduction is Reduction.MAX else Reduction.ARGMIN
                own = cast(Reduce, refresh(Reduce(arg, size, term.index, self.p(term.body))))
                self.scope.append((term.index, own))
                return self.of(term.body)
            case _:
                raise NoDerivative(f"no derivative of {term.reduction.value}")

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


def differentiate_inner(outer: _Dual, function: Lam) -> Lam:
    """D-Abs for a function inside a program: parameters become dual, the active variables around stay active."""
    parameters = tuple([Var(q.name, dual(q.type), q.site) for q in function.parameters])
    for old, new in zip(function.parameters, parameters, strict=True):
        if old.type == new.type:
            outer.primal.add(old, new)
            outer.active[old] = new
        else:
            outer.activate(old, new)
    return Lam(parameters, outer.closed(function.body))
