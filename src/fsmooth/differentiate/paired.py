"""The clauses of D⟦·⟧ that are the same whatever a real number is paired with (paper 000, Fig. 7; paper 003, §3.2 and §9).

A real number becomes a pair, an array an array of those, Int and Bool themselves.  What the second component is
(a tangent in differentiate/dual.py, an id on a tape in differentiate/tape/record.py) only matters where numbers are computed
with; outside of that the transformation acts homomorphically.  P⟦e⟧ is the primal part of D⟦e⟧ and is written as e
itself with names replaced.  What does not depend on an active variable is lifted without being looked into.  Operands that a
rule uses twice are bound, in one scope for each scope of the program, so the size of D⟦e⟧ is linear in that of e.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import cast

from fsmooth import thresholds
from fsmooth.core.subst import Renaming, refresh
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Collect,
    Custom,
    Delta,
    Field,
    Get,
    Header,
    If,
    IFold,
    Inject,
    Lam,
    Length,
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
from fsmooth.differentiate.activity import Activities, Activity, has_tangent
from fsmooth.differentiate.derivatives import NoDerivative, underived
from fsmooth.differentiate.encoding import Pairs, first, item, primal_fields, primal_part, reads_primal_data, second
from fsmooth.differentiate.layout import Layout, any_of, leaves_of
from fsmooth.differentiate.scopes import Scopes


class Paired(Scopes):
    """One application of D.  `active` maps variables to their pairs; `scope` collects bindings."""

    pairs: Pairs

    def __init__(self, active: dict[Var, Term], shared: frozenset[Term], activity: Activity) -> None:
        super().__init__(shared)
        self.active = active
        self.is_active = activity.is_active
        self.active_components = activity.of_state
        self.primal = Renaming({x: primal_part(v, x.type) for x, v in active.items()})
        self.name: str | None = None

    @abstractmethod
    def scalar(self, term: Prim) -> Term:
        """D-Scalar."""

    @abstractmethod
    def sum(self, term: Reduce, size: Term) -> Term:
        """Of a sum."""

    @abstractmethod
    def product(self, term: Reduce, size: Term) -> Term:
        """Of a product."""

    @abstractmethod
    def plus(self, items: tuple[Term, ...]) -> Term:
        """Of a sum of arrays."""

    @abstractmethod
    def custom(self, custom: Custom, arguments: Sequence[Term]) -> Term:
        """Of a function with a derivative of the user's own."""

    @abstractmethod
    def header(self, header: Header, active: tuple[bool, ...]) -> Header:
        """D of a definition, for the arguments that are active."""

    def closed(self, term: Term) -> Term:
        """D⟦term⟧ with its own bindings around it."""
        self.name_shared(term)
        return self.scoped(lambda: self.of(term), term)

    def activate(self, var: Var, value: Term) -> None:
        """From here on `var` stands for the dual `value`."""
        self.active[var] = value
        self.primal.add(var, primal_part(value, var.type))

    def p(self, term: Term) -> Term:
        """P⟦term⟧: the original computation.

        What counts nodes, or asks for their kinds, does so in the data that vary: to make their primal part for each
        question would be quadratic.
        """
        made = primal_fields(self.primal(term))
        if self._asks_data(term, made):
            return primal_part(self.of(term), term.type)
        return made

    def varies(self, term: Term) -> bool:
        """Has it a tangent, or is it known from data whose numbers have some?"""
        return self.is_active(term) or self._asks_data(term, primal_fields(self.primal(term)))

    def _asks_data(self, term: Term, made: Term) -> bool:
        """Is it known from data that vary, and has no tangent?  `made` is its primal part."""
        if not reads_primal_data(made):
            return False
        return not has_tangent(term.type) or (isinstance(term.type, Float) and not self.is_active(term))

    # -- the clauses -------------------------------------------------------------------------------------------------

    def clause(self, term: Term) -> Term:
        """The clause of Fig. 7 for `term`."""
        if not self.varies(term) and not isinstance(term, Lam):
            if (
                isinstance(term.type, Array | Tuple)
                and dual(term.type) != term.type
                and not isinstance(term, MakeTuple)
            ):
                return self.pairs.lifted(self.bound("a", self.p(term)))
            return self.pairs.lifted(self.p(term))
        match term:
            case Var():  # D-Var
                return self.active[term]
            case Let(bindings, body):  # D-Let
                self.enter(term)
                for var, value in bindings:
                    self.define(var, value)
                return self.of(body)
            case App(Lam(parameters, body), arguments):  # D-App, D-Abs
                for parameter, argument in zip(parameters, arguments, strict=True):
                    self.define(parameter, argument)
                return self.of(body)
            case App(Custom() as custom, arguments):
                return self.custom(custom, arguments)
            case App(function, arguments):  # D-App
                return App(self.of(function), tuple([self.of(a) for a in arguments]))
            case Call(header, arguments):
                active = tuple([self.is_active(a) for a in arguments])
                given = [self.of(a) if moves else self.p(a) for a, moves in zip(arguments, active, strict=True)]
                return Call(self.header(header, active), tuple(given))
            case Lam():  # D-Abs
                return self.function(term)
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
            case Reduce(reduction, size, index, body) if not self.is_active(term):
                each = self.scoped(lambda: self.p(body), body)
                return self.pairs.lifted(Reduce(reduction, self.p(size), index, each))
            case Reduce():
                return self.reduction(term)
            case Length(array, axis):
                return Length(self.of(array), axis)
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
                return self.pairs.lifted(self.p(term))
            case Inject(data, constructor, items):
                return Inject(cast(Data, self.pairs.type(data)), constructor, tuple([self.of(x) for x in items]))
            case Field(operand, constructor, position):
                return Field(self.of(operand), constructor, position)
            case Tag(operand):
                return Tag(self.of(operand))
            case Delta(size, index, value):
                return Delta(self.p(size), self.p(index), self.of(value))
            case Update(array, index, value):
                return Update(self.of(array), self.p(index), self.of(value))
            case Plus(items):
                return self.plus(items)
            case Require(condition, body):
                numbers = tuple([self.p(n) for n in term.numbers])
                return Require(self.p(condition), self.closed(body), term.failure, numbers, term.site)
            case Prim() if not self.is_active(term):
                return self.pairs.lifted(Prim(term.primitive, tuple([self.p(x) for x in term.arguments])))
            case Prim():  # D-Scalar
                return self.scalar(term)
            case _ if not self.is_active(term):
                return self.pairs.lifted(primal_fields(self.primal(term)))
            case _:
                raise underived(term)

    def enter(self, term: Let) -> None:
        """Look at the names of a scope before they are defined."""
        return

    def define(self, var: Var, value: Term) -> None:
        """D-Let for one binding: the primal keeps its name."""
        if not self.varies(value):
            if isinstance(value, Lam):
                raise NoDerivative("a function bound to a name must be inlined before differentiation")
            self.scope.append((var, self.p(value)))
            return
        self.name = var.name if isinstance(value, Prim) else None
        new = self.of(value)
        if isinstance(var.type, Float):
            if choices(value) > thresholds.COPIED_CHOICES:
                new = self.bound(f"{var.name}_pair", new)
            self.scope.append((var, first(new)))
            self.active[var] = MakeTuple((var, self.bound(f"{var.name}_{self.pairs.suffix}", second(new))))
            return
        named = Var(var.name, new.type, var.site)
        self.scope.append((named, new))
        self.activate(var, named)

    def fold(self, term: IFold) -> Term:
        """D-IFold with a flat state, in which only the active components are dual."""
        activities = self.active_components(term.state)
        layout = Layout(term.type, activities, self.pairs)
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
        layout = Layout(term.type, activities, self.pairs)
        start = layout.packed(self.parts(term.init, activities))
        state = Var(term.state.name, start.type, term.state.site)
        self.active[term.state] = layout.dual(state)
        self.primal.add(term.state, layout.primal(state))
        condition = self.scoped(lambda: self.p(term.condition), term.condition)
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
                self.enter(term)
                for var, value in bindings:
                    self.define(var, value)
                return self.parts(body, active)
            case If(condition, then, otherwise) if isinstance(active, tuple):
                layout = Layout(term.type, active, self.pairs)
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
        return Layout(term.type, active, self.pairs).of_dual(value)

    def reduction(self, term: Reduce) -> Term:
        """Sums and products; extrema through the index of the first extremum (design §4)."""
        size = self.p(term.size)
        match term.reduction:
            case Reduction.SUM:
                return self.sum(term, size)
            case Reduction.PRODUCT:
                return self.product(term, size)
            case Reduction.MAX | Reduction.MIN:
                arg = Reduction.ARGMAX if term.reduction is Reduction.MAX else Reduction.ARGMIN
                own = cast(Reduce, refresh(Reduce(arg, size, term.index, self.p(term.body))))
                self.scope.append((term.index, own))
                return self.of(term.body)
            case _:
                raise NoDerivative(f"no derivative of {term.reduction.value}")

    def function(self, function: Lam) -> Lam:
        """D-Abs for a function inside a program: parameters become pairs, the active variables around stay active."""
        parameters = tuple([Var(q.name, self.pairs.type(q.type), q.site) for q in function.parameters])
        for old, new in zip(function.parameters, parameters, strict=True):
            if old.type == new.type:
                self.primal.add(old, new)
                self.active[old] = new
            else:
                self.activate(old, new)
        return Lam(parameters, self.closed(function.body))


def choices(term: Term) -> int:
    """How many conditions there may be, one after the other, before a value is chosen."""
    longest, found = 0, [(term, 0)]
    while found:
        part, count = found.pop()
        match part:
            case Let(bindings, body):
                found += [(body, count), *[(own, count) for _, own in bindings]]
            case If(_, then, otherwise) if count <= thresholds.COPIED_CHOICES:
                found += [(then, count + 1), (otherwise, count + 1)]
            case _:
                longest = max(longest, count)
    return longest
