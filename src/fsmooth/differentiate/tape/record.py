"""D⟦·⟧ of paper 003, §8.3: a real number becomes a pair of it and the id of its entry on the tape.

D⟦op(ē)⟧ = let r = op(x̄) in (r, record (d₁, ∂₁op(x̄)) …); what depends on no input has the id 0, and no entry.  A sum of n
numbers is one entry, and an extremum is the number that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.build import get, named_part, nested_build, number
from fsmooth.core.shape import shape_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Collect,
    Const,
    Custom,
    Delta,
    Get,
    Header,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Record,
    RecordSum,
    Reduce,
    Reduction,
    Term,
    Var,
    While,
    scalar_constant,
)
from fsmooth.core.term.custom import differentiable
from fsmooth.core.types import INT, Array, Float, Function, Tuple, has_float, scalars_of
from fsmooth.differentiate.activity import Activity
from fsmooth.differentiate.custom import refuse_active, vjp_of
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.encoding import first, item, primal_part, second, with_primal_data
from fsmooth.differentiate.reverse.transpose import transpose
from fsmooth.differentiate.scopes import name_of
from fsmooth.differentiate.shared import shared_terms
from fsmooth.differentiate.tape.definitions import definition_recorded
from fsmooth.differentiate.tape.numbering import numbered
from fsmooth.differentiate.tape.origins import Given, Origins
from fsmooth.differentiate.tape.regions import Regions
from fsmooth.differentiate.tape.single import owned_names
from fsmooth.differentiate.tape.statement import Leaf, Operation, Part, is_one, operation, slopes_of
from fsmooth.differentiate.tape.sums import as_sum
from fsmooth.differentiate.tape.wholes import Whole, Wholes

Pair = tuple[Term, Term]
"""The id of an operand, and a slope."""


def recorded(
    term: Term, active: Mapping[Var, Term], primal: Mapping[Var, Term], regions: Regions, origins: Origins
) -> Term:
    """D⟦term⟧, where each active variable stands for the given term of numbers with ids, or by itself for a `primal` one.

    Binders must be distinct.
    """
    walk = _Recorded(dict(active), shared_terms(term), Activity(term, active), regions, origins)
    for var, value in primal.items():
        walk.primal.add(var, value)
    return with_primal_data(walk.closed(term))


def entry(pairs: Sequence[Pair]) -> Term:
    """The id of a number with these operands and slopes: that of its operand if it is the operand."""
    known = _varying(pairs)
    if not known:
        return Const(0)
    if len(known) == 1 and is_one(known[0][1]):
        return known[0][0]
    return Record(tuple([id_ for id_, _ in known]), tuple([slope for _, slope in known]))


def summed(value: Term, slopes: Term) -> list[Pair]:
    """The operands of a linear form: the numbers of a value with ids, each with the slope at its place."""
    match slopes.type:
        case Float():
            return [(second(value), slopes)]
        case Array():
            index = Var("i", INT)
            pairs = summed(Get(value, index), Get(slopes, index))
            zero = scalar_constant(0.0, _float_in(slopes))
            body = MakeTuple((zero, *[part for pair in pairs for part in pair]))
            return [(Proj(RecordSum(shape_of(value)[0], index, body), 1), scalar_constant(1.0, _float_in(slopes)))]
        case Tuple(items):
            return [pair for k in range(len(items)) for pair in summed(item(value, k), item(slopes, k))]
        case _:
            return []


def _float_in(slopes: Term) -> Float:
    return next(s for s in scalars_of(slopes.type) if isinstance(s, Float))


def _varying(pairs: Sequence[Pair]) -> list[Pair]:
    return [pair for pair in pairs if not (isinstance(pair[0], Const) and pair[0].value == 0)]


class _Recorded(Wholes):
    """A number is beside its id."""

    def __init__(
        self, active: dict[Var, Term], shared: frozenset[Term], activity: Activity, regions: Regions, origins: Origins
    ) -> None:
        super().__init__(active, shared, activity, regions, origins)
        self.entered: set[Term] = set()
        self.owned: set[Var] = set()
        self.operations: dict[Var, Operation] = {}

    def definition(self, header: Header, known: tuple[Given, ...]) -> Header:
        return definition_recorded(header, known, self.regions, recorded)

    # -- names -----------------------------------------------------------------------------------------------------

    def enter(self, term: Let) -> None:
        """Find the names that have no entry, since one statement has them for itself."""
        if term in self.entered:
            return
        self.owned |= owned_names(term, self.shared)
        inner: Term = term
        while isinstance(inner, Let):
            self.entered.add(inner)
            inner = inner.body

    def scope_of(self, term: Let) -> tuple[Whole | None, Term]:
        """Enter a scope: what its rest gives as a region; if that is none, all names are defined, and the body is to follow."""
        self.enter(term)
        before, rest = self.rest(term.bindings, term.body)
        for var, value in before:
            self.define(var, value)
        whole = None if rest is None else self.region(rest)
        if whole is None:
            for var, value in term.bindings[len(before) :]:
                self.define(var, value)
        return whole, term.body

    def define(self, var: Var, value: Term) -> None:
        if var not in self.owned or not isinstance(value, Prim) or not self.is_active(value):
            moves = self.is_active(value)
            whole = self.region(value) if moves and isinstance(value, Build | Reduce) else None
            if whole is not None:
                self.name_whole(var, *whole)
            elif moves and isinstance(var.type, Array | Tuple) and named_part(value) is not None:
                self.name_path(var, value)
            else:
                super().define(var, value)
                self.origins.note(var, value)
            return
        own = self.operations[var] = self.part(value)
        self.scope.append((var, own.result))
        own.result = var

    def clause(self, term: Term) -> Term:
        own = self.operations.get(term) if isinstance(term, Var) else None
        if own is not None:
            assert isinstance(term.type, Float)
            return MakeTuple((term, entry(slopes_of(own, term.type, self.bound))))
        if not self.varies(term):
            return super().clause(term)
        match term:
            case Get() if isinstance(term.type, Float) and (first_id := self.first_at(term)) is not None:
                return MakeTuple((self.p(term), first_id))
            case Call():
                return self.call(term)
            case Let():
                whole, body = self.scope_of(term)
                return self.of(body) if whole is None else numbered(*whole)
            case IFold() if (total := as_sum(term)) is not None:
                return self.of(total)
            case Build() | Reduce():
                whole = self.region(term)
                if whole is not None:
                    return numbered(*whole)
                return self.deeper(lambda: super(_Recorded, self).clause(term))
            case IFold() | While():
                self.origins.note_state(term)
                return self.deeper(lambda: super(_Recorded, self).clause(term))
            case Collect() | Lam():
                return self.deeper(lambda: super(_Recorded, self).clause(term))
            case _:
                return super().clause(term)

    # -- arithmetic ------------------------------------------------------------------------------------------------

    def scalar(self, term: Prim) -> Term:
        """One entry for all the operations of an expression."""
        value, pairs = self.expression(term)
        return MakeTuple((value, entry(pairs)))

    def expression(self, term: Prim) -> tuple[Term, list[Pair]]:
        """The value of operations, and their operands with slopes."""
        assert isinstance(term.type, Float)
        whole = self.part(term)
        value = self.bound(name_of(term), whole.result)
        return value, slopes_of(whole, term.type, self.bound)

    def statement(self, term: Term) -> tuple[Term, list[Pair]]:
        """A number, and its operands with slopes."""
        assert isinstance(term.type, Float)
        match term:
            case Let():
                whole, body = self.scope_of(term)
                if whole is not None:
                    return whole[0], [(whole[1], scalar_constant(1.0, term.type))]
                return self.statement(body)
            case Prim() if self.is_active(term) and term not in self.shared:
                return self.expression(term)
            case _:
                value = self.of(term)
                if not isinstance(value, MakeTuple):
                    value = self.bound("d", value)
                return first(value), [(second(value), scalar_constant(1.0, term.type))]

    def part(self, term: Prim) -> Operation:
        """An active operation; arguments that are operations which nothing else reads are parts of the same statement."""
        arguments: list[Term] = []
        made_of: list[Part | None] = []
        for argument in term.arguments:
            name = name_of(argument)
            if not isinstance(argument.type, Float) or not self.is_active(argument):
                arguments.append(self.bound(name, self.p(argument)))
                made_of.append(None)
            elif isinstance(argument, Var) and argument in self.operations:
                arguments.append(argument)
                made_of.append(self.operations[argument])
            elif isinstance(argument, Prim) and argument not in self.shared:
                inner = self.part(argument)
                inner.result = self.bound(name, inner.result)
                arguments.append(inner.result)
                made_of.append(inner)
            else:
                value = self.of(argument)
                if not isinstance(value, MakeTuple):
                    value = self.bound("d", value)
                arguments.append(self.bound(name, first(value)))
                id_ = second(value)
                made_of.append(Leaf(id_ if isinstance(id_, Prim) else self.bound("id", id_)))
        return operation(term.primitive, tuple(arguments), tuple(made_of), name_of(term), self.bound)

    # -- loops -----------------------------------------------------------------------------------------------------

    def sum(self, term: Reduce, size: Term) -> Term:
        """One entry for the sum of numbers; of arrays and tuples, one for each number."""
        if isinstance(term.type, Float):
            return self.recorded_sum(term, size)
        whole = self.bound("summands", Build(size, term.index, self.closed(term.body)))
        return self.each(lambda i: Get(whole, i), term, size)

    def recorded_sum(self, term: Reduce, size: Term) -> Term:
        def summand() -> Term:
            value, pairs = self.statement(term.body)
            return MakeTuple((value, *[part for pair in _varying(pairs) for part in pair]))

        self.name_shared(term.body)
        result = self.bound("total", RecordSum(size, term.index, self.scoped(summand, term.body)))
        return MakeTuple((Proj(result, 0), Proj(result, 1)))

    def each(self, at: Callable[[Term], Term], like: Term, size: Term) -> Term:
        """The sum of `at` of 0 … size-1, of the type and the sizes of `like`."""
        match like.type:
            case Float() as type_:
                index = Var("i", INT)
                summand = at(index)
                body = MakeTuple((first(summand), second(summand), scalar_constant(1.0, type_)))
                return RecordSum(size, index, body)
            case Array():
                sizes = tuple([self.p(n) for n in shape_of(like)])
                return nested_build(sizes, lambda places: self.element(at, like, places, size), "k")
            case Tuple(items):
                parts = [self.each(lambda i, k=k: item(at(i), k), Proj(like, k), size) for k in range(len(items))]  # type: ignore[misc]
                return MakeTuple(tuple(parts), like.type)
            case _:
                index = Var("i", INT)
                return Reduce(Reduction.SUM, size, index, at(index))

    def element(self, at: Callable[[Term], Term], like: Term, places: tuple[Term, ...], size: Term) -> Term:
        """The sum of one element of arrays."""

        def inside(i: Term) -> Term:
            found = at(i)
            for k in places:
                found = Get(found, k)
            return found

        for k in places:
            like = Get(like, k)
        return self.each(inside, like, size)

    def product(self, term: Reduce, size: Term) -> Term:
        """p -> p * f, an entry for each factor: exact where factors are zero."""
        assert isinstance(term.type, Float)
        one = MakeTuple((number(1, term.type), Const(0)))
        state = Var("p", one.type)

        def step() -> Term:
            factor = self.of(term.body)
            if not isinstance(factor, MakeTuple):
                factor = self.bound("f", factor)
            value = self.bound("f", first(factor))
            so_far = Proj(state, 0)
            record = entry([(Proj(state, 1), value), (second(factor), so_far)])
            return MakeTuple((Prim(p.multiply, (so_far, value)), record))

        self.name_shared(term.body)
        return IFold(size, one, state, term.index, self.scoped(step, term.body))

    def plus(self, items: tuple[Term, ...]) -> Term:
        """Element by element."""
        return self.added([self.bound("a", self.of(x)) for x in items], items[0])

    def added(self, found: Sequence[Term], like: Term) -> Term:
        """The sum of values with ids, of the type and the sizes of `like`."""
        match like.type:
            case Float() as type_:
                one = scalar_constant(1.0, type_)
                return MakeTuple((_sum_of([first(x) for x in found]), entry([(second(x), one) for x in found])))
            case Array():
                sizes = tuple([self.p(n) for n in shape_of(like)])
                return nested_build(sizes, lambda at: self.added([get(x, *at) for x in found], get(like, *at)), "k")
            case Tuple(items):
                parts = [self.added([item(x, k) for x in found], item(like, k)) for k in range(len(items))]
                return MakeTuple(tuple(parts), like.type)
            case _:
                return _sum_of(found)

    # -- functions with a derivative of the user's own -------------------------------------------------------------

    def custom(self, custom: Custom, arguments: Sequence[Term]) -> Term:
        """An entry for each number of the value, with the cotangents of the arguments by the user's rule."""
        refuse_active(custom, [x for x in custom.free if self.is_active(x)])
        given: list[Term] = []
        primals: list[Term] = []
        for argument in arguments:
            moves = self.is_active(argument)
            value = self.bound("a", self.of(argument) if moves else self.p(argument))
            given.append(value)
            primals.append(self.bound("a", primal_part(value, argument.type)) if moves else value)
        value = self.bound("value", App(self.p(custom), tuple(primals)))
        rule = self.p(vjp_of(custom, transpose))
        type_ = custom.type
        assert isinstance(type_, Function)
        moving = differentiable(type_)

        def id_of(cotangent: Term) -> Term:
            own = refresh(rule)
            assert isinstance(own, Lam)
            parts = Var("cotangents", own.body.type)
            pairs = [
                pair
                for n, k in enumerate(moving)
                if self.is_active(arguments[k])
                for pair in summed(given[k], Proj(parts, n))
            ]
            return Let(((parts, App(own, (*primals, cotangent))),), entry(pairs))

        if not has_float(value.type) or isinstance(value.type, Tuple):
            raise NoDerivative(
                f"no tape through {custom.rule.name}, which has a derivative of its own and gives a tuple"
            )
        sizes = shape_of(value)

        def at(places: tuple[Term, ...]) -> Term:
            x: Term = value
            for k in places:
                x = Get(x, k)
            if not isinstance(x.type, Float):
                raise NoDerivative(
                    f"no tape through {custom.rule.name}, which has a derivative of its own and gives tuples"
                )
            hot: Term = scalar_constant(1.0, x.type)
            for size, k in zip(reversed(sizes), reversed(places), strict=True):
                hot = Delta(size, k, hot)
            return MakeTuple((x, id_of(hot)))

        return nested_build(sizes, at, "k")


def _sum_of(values: Sequence[Term]) -> Term:
    """The sum of numbers."""
    total = values[0]
    for x in values[1:]:
        total = Prim(p.add, (total, x))
    return total
