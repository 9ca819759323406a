"""D⟦·⟧: forward-mode differentiation, source to source (paper 000, Fig. 7), clause by clause.

A real number becomes a pair (primal, tangent), an array an array of those, Int and Bool themselves
(`core.types.dual`).  P⟦e⟧ is the primal part of D⟦e⟧ and is written as e itself with names replaced; E⟦e⟧, the
tangent, comes from the rows of differentiate/derivatives.py.  What does not depend on an active variable is
lifted to (e, zero) without being looked into.  Operands that a rule uses twice are bound, in one scope for
each scope of the program, so the size of D⟦e⟧ is linear in that of e.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from fsmooth.core import primitives as p
from fsmooth.core.build import number
from fsmooth.core.shape import shape_of
from fsmooth.core.subst import Renaming, refresh, substitute
from fsmooth.core.term import (
    App,
    Build,
    Collect,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Update,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.traverse import children, opens_region, subterms
from fsmooth.core.types import Array, Bool, Float, Int, Tuple, Type, dual
from fsmooth.differentiate.derivatives import RESULT_IS_REUSED, ROWS, NoDerivative


def differentiate(function: Lam) -> Lam:
    """D⟦fun x -> e⟧ = fun x⃗ -> D⟦e⟧ (D-Abs): every parameter becomes dual."""
    function = cast(Lam, refresh(function))
    parameters = tuple([Var(q.name, dual(q.type), q.site) for q in function.parameters])
    active = {q: new for q, new in zip(function.parameters, parameters, strict=True) if q.type != new.type}
    same = {q: new for q, new in zip(function.parameters, parameters, strict=True) if q.type == new.type}
    return Lam(parameters, dual_of(substitute(function.body, same), active))


def dual_of(term: Term, active: Mapping[Var, Term]) -> Term:
    """D⟦term⟧, where each active variable stands for the given term of dual type.  Binders must be distinct."""
    return _Dual(dict(active), _shared(term)).closed(term)


def primal_part(value: Term, type_: Type) -> Term:
    """The primal part of a term of type D_T⟦type_⟧."""
    match type_:
        case Float():
            return first(value)
        case Array(element):
            if dual(element) == element:
                return value
            index = Var("i", Int())
            size = shape_of(value)[0]
            return Build(size, index, primal_part(Get(value, index), element))
        case Tuple(items):
            return MakeTuple(tuple([primal_part(item(value, k), t) for k, t in enumerate(items)]), type_)
        case _:
            return value


def tangent_part(value: Term, type_: Type) -> Term:
    """The tangent part of a term of type D_T⟦type_⟧; () for Int and Bool."""
    match type_:
        case Float():
            return second(value)
        case Array(element):
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, tangent_part(Get(value, index), element))
        case Tuple(items):
            return MakeTuple(tuple([tangent_part(item(value, k), t) for k, t in enumerate(items)]), type_)
        case _:
            return MakeTuple(())


def zipped(value: Term, tangent: Term) -> Term:
    """The dual number, array or tuple made of a value and its tangent (vectorZip of Fig. 5, for any type)."""
    match value.type:
        case Float():
            return MakeTuple((value, tangent))
        case Array():
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, zipped(Get(value, index), Get(tangent, index)))
        case Tuple(items):
            parts = [zipped(item(value, k), item(tangent, k)) for k in range(len(items))]
            return MakeTuple(tuple(parts), value.type)
        case _:
            return value


def lifted(value: Term) -> Term:
    """(e, zero): a value that does not depend on what is differentiated."""
    match value.type:
        case Float() as type_:
            return MakeTuple((value, Zero((), type_)))
        case Array(element):
            if dual(element) == element:
                return value
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, lifted(Get(value, index)))
        case Tuple(items):
            return MakeTuple(tuple([lifted(item(value, k)) for k in range(len(items))]), value.type)
        case _:
            return value


def first(pair: Term) -> Term:
    """fst, of a pair written out at once."""
    return item(pair, 0)


def second(pair: Term) -> Term:
    """snd, of a pair written out at once."""
    return item(pair, 1)


def item(value: Term, k: int) -> Term:
    """Component k."""
    return value.items[k] if isinstance(value, MakeTuple) else Proj(value, k)


def _atomic(term: Term) -> bool:
    while isinstance(term, Get | Proj):
        if isinstance(term, Get):
            if not isinstance(term.index, Var | Const):
                return False
            term = term.array
        else:
            term = term.tuple
    return isinstance(term, Var | Const | Zero)


def _shared(root: Term) -> frozenset[int]:
    """The subterms with a tangent that occur more than once as one object, and are worth a name."""
    seen: set[int] = set()
    found: set[int] = set()
    for term in subterms(root):
        for child in children(term):
            if (
                id(child) in seen
                and not _atomic(child)
                and not isinstance(child, Lam)
                and dual(child.type) != child.type
            ):
                found.add(id(child))
            seen.add(id(child))
    return frozenset(found)


def _crossing(root: Term, shared: frozenset[int]) -> tuple[Term, ...]:
    """The shared subterms, innermost first, that the scope `root` evaluates itself and that a scope inside mentions too."""
    if not shared:
        return ()
    direct: dict[int, Term] = {}
    seen: set[int] = set()
    inner: list[Term] = []
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if ready:
            direct[id(term)] = term
        elif id(term) not in seen:
            seen.add(id(term))
            if id(term) in shared:
                stack.append((term, True))
            for k, child in enumerate(children(term)):
                if opens_region(term, k):
                    inner.append(child)
                else:
                    stack.append((child, False))
    mentioned = {id(t) for term in inner for t in subterms(term)} if direct else set()
    return tuple([term for key, term in direct.items() if key in mentioned])


_NAMES = {p.add: "total", p.subtract: "difference", p.multiply: "product", p.divide: "quotient", p.power: "power"}


def _name_of(term: Term) -> str:
    """A name for the value of a term that has none."""
    if not isinstance(term, Prim):
        return "x"
    return _NAMES.get(term.primitive, f"{term.primitive.name}_of")


class _Dual:
    """One application of D.  `active` maps variables to their dual; `scope` collects bindings."""

    def __init__(self, active: dict[Var, Term], shared: frozenset[int]) -> None:
        self.active = active
        self.primal = Renaming({x: primal_part(v, x.type) for x, v in active.items()})
        self.scope: list[tuple[Var, Term]] = []
        self.shared = shared
        self.crossing: tuple[Term, ...] = ()
        self.known: dict[int, Term] = {}
        self.name: str | None = None

    # -- scopes ----------------------------------------------------------------------------------------------------

    def closed(self, term: Term) -> Term:
        """D⟦term⟧ with its own bindings around it."""
        self.name_shared(term)
        return self.scoped(lambda: self.of(term), term)

    def scoped(self, make: Callable[[], Term], term: Term) -> Term:
        """What `make` makes of `term`, with the bindings around it that were made meanwhile; their names end with it."""
        outer, self.scope = self.scope, []
        crossing, self.crossing = self.crossing, _crossing(term, self.shared)
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
        mentioned = {id(t) for t in subterms(inner)}
        for term in self.crossing:
            if id(term) in mentioned:
                self.of(term)

    def bound(self, name: str, value: Term) -> Term:
        """A name for `value` in the current scope, unless it is one already."""
        if _atomic(value):
            return value
        var = Var(name, value.type)
        self.scope.append((var, value))
        return var

    def activate(self, var: Var, value: Term) -> None:
        """From here on `var` stands for the dual `value`."""
        self.active[var] = value
        self.primal.add(var, primal_part(value, var.type))

    def is_active(self, term: Term) -> bool:
        """Does `term` mention an active variable?"""
        return not self.active.keys().isdisjoint(term.free)

    def p(self, term: Term) -> Term:
        """P⟦term⟧: the original computation."""
        return self.primal(term)

    # -- the clauses -------------------------------------------------------------------------------------------------

    def of(self, term: Term) -> Term:
        """D⟦term⟧; a subterm that occurs in several places as one object is bound where it is met first."""
        if id(term) not in self.shared:
            return self.clause(term)
        found = self.known.get(id(term))
        if found is None:
            found = self.clause(term)
            if isinstance(found, MakeTuple):
                found = MakeTuple(tuple([self.bound("s", part) for part in found.items]), found.type)
            else:
                found = self.bound("s", found)
            self.known[id(term)] = found
        return found

    def clause(self, term: Term) -> Term:
        """The clause of Fig. 7 for `term`."""
        if not self.is_active(term) and not isinstance(term, Lam):
            if (
                isinstance(term.type, Array | Tuple)
                and dual(term.type) != term.type
                and not isinstance(term, MakeTuple)
            ):
                term = self.bound("a", term)
            return lifted(term)
        if isinstance(term.type, Int | Bool) and not isinstance(term, Let | App):
            return self.p(term)
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
            case App(function, arguments):  # D-App
                return App(self.of(function), tuple([self.of(a) for a in arguments]))
            case Lam():  # D-Abs
                return differentiate_inner(self, term)
            case If(condition, then, otherwise):  # D-If
                return If(self.p(condition), self.closed(then), self.closed(otherwise))
            case Build(size, index, body):  # D-Build
                return Build(self.p(size), index, self.closed(body))
            case Vector(items):
                return Vector(tuple([self.of(x) for x in items]))
            case IFold(size, init, state, index, body):  # D-IFold
                start = self.of(init)
                new = Var(state.name, start.type, state.site)
                self.activate(state, new)
                return IFold(self.p(size), start, new, index, self.closed(body))
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
            case Delta(size, index, value):
                return Delta(self.p(size), self.p(index), self.of(value))
            case Update(array, index, value):
                return Update(self.of(array), self.p(index), self.of(value))
            case Require(condition, body):
                numbers = tuple([self.p(n) for n in term.numbers])
                return Require(self.p(condition), self.closed(body), term.failure, numbers, term.site)
            case Prim():  # D-Scalar
                return self.scalar(term)
            case _:
                raise NoDerivative(f"no derivative of {type(term).__name__}")

    def define(self, var: Var, value: Term) -> None:
        """D-Let for one binding: the primal keeps its name."""
        if not self.is_active(value) or isinstance(value.type, Int | Bool):
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
        name, self.name = self.name or _NAMES.get(term.primitive, f"{term.primitive.name}_of"), None
        arguments: list[Term] = []
        tangents: list[Term] = []
        for argument in term.arguments:
            if isinstance(argument.type, Float) and self.is_active(argument):
                value = self.of(argument)
                if not isinstance(value, MakeTuple) and not _atomic(value):
                    value = self.bound("d", value)
                arguments.append(self.bound(_name_of(argument), first(value)))
                tangents.append(second(value))
            else:
                arguments.append(self.bound(_name_of(argument), self.p(argument)))
                tangents.append(Zero((), argument.type) if isinstance(argument.type, Float) else MakeTuple(()))
        result: Term = Prim(term.primitive, tuple(arguments))
        if term.primitive in RESULT_IS_REUSED:
            result = self.bound(name, result)
        return MakeTuple((result, ROWS[term.primitive](tuple(arguments), result, tuple(tangents))))

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
