"""Cost polynomials: the weight of evaluating a term once, as a polynomial in the sizes (design §5).

Primitives have the weights of their table, a load, a store and a check 1.  A branch costs its condition and the dearer side by
`Polynomial.order`.  Loops are summed exactly, triangular ones too.  A trip count that is not a polynomial in sizes is
a size of its own.  Arithmetic inside an index or a size is free.  Arrays are written into destinations: a `delta` that
is added to one costs one addition, one that is stored costs a memset (design §6).  Where a polynomial trip count is
negative, the loop has no trips, but the polynomial counts it as negative.

>>> from fsmooth.core import build as b
>>> from fsmooth.core.types import Array, F64
>>> v = Var("v", Array(F64))
>>> cost(b.sum_(Length(v), lambda i: Get(v, i)))
2·n(v)
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from fsmooth.core.definitions import called
from fsmooth.core.polynomial import NOTHING, Polynomial
from fsmooth.core.primitives import ADD, CALL, CHECK, LOAD, STORE
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Carrying,
    Check,
    Collect,
    Const,
    Custom,
    Delta,
    Deriv,
    Field,
    Get,
    If,
    Inject,
    Lam,
    Length,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Record,
    RecordSum,
    Reduce,
    Reduction,
    Require,
    Tag,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.term.fields import Index, Runs
from fsmooth.core.traverse import children, is_loop, steps
from fsmooth.core.trips import Trips
from fsmooth.core.types import Array, Int, Tuple, has_float, leaf_of, rank_of


def of_calls(term: Term) -> str:
    """What to say beside the cost of a term that calls functions which call themselves: how often they do is not known.

    >>> of_calls(Const(1.0))
    ''
    """
    names = dict.fromkeys([header.name for header in called(term)])
    return f", counting {CALL} for each call of {' and '.join(names)}" if names else ""


def cost(term: Term) -> Polynomial:
    """The cost of evaluating `term` once (of a function: of calling it once)."""
    return Costs().of(term)


class Use(Enum):
    """What happens to a value."""

    VALUE = "kept in a register, or used where it is"
    INDEX = "an index or a size"
    STORE = "written to a destination"
    ADD = "added to a destination"


class Costs:
    """Costs memoised by node, in time linear in the number of different nodes and without recursion into operands.

    One object may be asked about many terms, which it keeps.  `static_sizes` gives lengths that are known numbers, by
    variable and axis.
    """

    def __init__(self, static_sizes: Mapping[tuple[Var, int], int] | None = None) -> None:
        self.trips = Trips(static_sizes)
        self._values: dict[Term, Polynomial] = {}
        self._others: dict[tuple[Term, str], Polynomial] = {}

    def of(self, term: Term) -> Polynomial:
        """The cost of evaluating `term` once."""
        values = self._values
        if term not in values:
            for node in self._new_nodes(term):
                values[node] = self._value(node)
        return values[term]

    def _new_nodes(self, term: Term) -> list[Term]:
        """The nodes of `term` that are not known yet, each after its parts.  All binders are learnt before any is used."""
        order: list[Term] = []
        seen: set[Term] = set()
        stack: list[tuple[Term, bool]] = [(term, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in seen and node not in self._values:
                seen.add(node)
                parts = children(node)
                if not parts:
                    order.append(node)
                    continue
                self.trips.enter(node)
                stack.append((node, True))
                stack.extend([(part, False) for part in reversed(parts)])
        return order

    def elements(self, term: Term) -> Polynomial:
        """The number of scalars in the value of `term`."""
        if isinstance(term.type, Tuple):
            return Polynomial.total([self.elements(Proj(term, k)) for k in range(len(term.type.items))])
        leaf = leaf_of(term.type)
        return self.entries(term) * Polynomial.constant(len(leaf.items) if isinstance(leaf, Tuple) else 1)

    def entries(self, term: Term) -> Polynomial:
        """The number of scalars, or of tuples, in an array."""
        total = Polynomial.constant(1)
        try:
            sizes = shape_of(term)
        except Ragged:
            sizes = tuple([Length(term, axis) for axis in range(rank_of(term.type))])
        for size in sizes:
            total = total * self.trips.of(size)
        return total

    def alone(self, term: Term) -> Polynomial:
        """The cost of evaluating every scalar, or tuple, of an array by itself: what its scope or loop does is done for each."""
        if not isinstance(term.type, Array):
            return self.of(term)
        match term:
            case Build(size, index, body) | Reduce(Reduction.SUM, size, index, body):
                return self._loop(size, index, self.alone(body))
            case Delta(_, index, value):
                return self._of(index, Use.INDEX) + self.alone(value)
            case Vector(items) | Plus(items):
                return Polynomial.total([self.alone(item) for item in items])
            case Let(bindings, body):
                shared = Polynomial.total(
                    [self.of(v) for _, v in bindings if has_float(v.type) and not isinstance(v, Lam)]
                )
                return shared * self.entries(term) + self.alone(body)
            case If(condition, then, otherwise):
                each = self.of(condition) * self.entries(term)
                return each + self.alone(then).dearer(self.alone(otherwise))
            case Require(condition, body):
                return self.of(condition) + self.alone(body)
            case Carrying() | Call() | App() | Proj():
                return self.of(term) * self.entries(term)
            case _:
                return self.of(term)

    def _of(self, term: Term, use: Use) -> Polynomial:
        if use is Use.VALUE:
            found = self._values.get(term)
            return self.of(term) if found is None else found
        key = (term, use.value)
        found = self._others.get(key)
        if found is None:
            found = self._index(term) if use is Use.INDEX else self._destination(term, use)
            self._others[key] = found
        return found

    def _all(self, terms: tuple[Term, ...], use: Use = Use.VALUE) -> Polynomial:
        return Polynomial.total([self._of(t, use) for t in terms])

    # -- values ----------------------------------------------------------------------------------------------------

    def _value(self, term: Term) -> Polynomial:
        match term:
            case Const() | Var() | Length():
                return NOTHING
            case Prim(primitive, arguments):
                return self._all(arguments) + primitive.weight
            case Get(Build(), _):
                return self._element(term, Use.VALUE)
            case Get(array, index):
                load = 0 if isinstance(term.type, Array) else LOAD
                return Polynomial.total((self._of(array, Use.VALUE), self._of(index, Use.INDEX))) + load
            case Let() | If() | Require() | MakeTuple():
                return self._scope(term, Use.VALUE)
            case Lam(_, body) | Deriv(Lam(_, body)) | Custom(Lam(_, body)):
                return self._of(body, Use.VALUE)
            case App(function, arguments):
                called = self.trips.definition(function)
                own = called if isinstance(called, Lam | Custom) else function
                return self._all((own, *arguments))
            case Call(_, arguments):
                return self._all(arguments) + CALL
            case Inject(_, _, items):
                return self._all(items, Use.STORE)
            case Tag(operand) | Field(operand):
                return self._of(operand, Use.VALUE) + (0 if isinstance(term.type, Array) else LOAD)
            case Record(ids, slopes):
                return self._all((*ids, *slopes)) + CALL
            case RecordSum(size, index, body):
                return self._loop(size, index, self._of(body, Use.STORE)) + CALL
            case Reduce(reduction, size, index, body):
                if isinstance(body.type, Array | Tuple):
                    return self._destination(term, Use.STORE)
                use = Use.ADD if reduction is Reduction.SUM else Use.VALUE
                step = self._of(body, use) + (0 if reduction is Reduction.SUM else ADD)
                return self._loop(size, index, step)
            case Build() | Vector() | Delta() | Plus():
                return self._destination(term, Use.STORE)
            case Zero(sizes):
                return self._destination(term, Use.STORE) if sizes else NOTHING
            case Collect(count, generators, guard, body):
                step = self._of(guard, Use.VALUE) + self._of(body, Use.STORE)
                for size, index in reversed(generators):
                    step = self._loop(size, index, step)
                return self._of(count, Use.INDEX) + step
            case Update(array, index, value):
                parts = (self._of(array, Use.VALUE), self._of(index, Use.INDEX), self._of(value, Use.STORE))
                return Polynomial.total(parts)
            case Check(index, size):
                return self._all((index, size), Use.INDEX) + CHECK
            case _ if is_loop(term):
                return self._declared(term)
            case _:
                return self._all(children(term))

    def _declared(self, term: Term) -> Polynomial:
        """A loop, by what runs how often; of one without an index the number of steps is a size of its own."""
        found = steps(term)
        indices = [step for step in found if isinstance(step.field, Index)]
        sizes = [step.given for step in indices]
        total = []
        for step in found:
            if step.var is not None:
                continue
            cost = self._of(step.term, Use.INDEX if step.term in sizes else Use.VALUE)
            if step.runs is not Runs.ONCE:
                for loop in reversed(indices):
                    assert loop.var is not None
                    assert loop.given is not None
                    cost = cost.summed(loop.var, self.trips.of(loop.given))
                cost = cost if indices else cost * Polynomial.of(term)
            total.append(cost)
        return Polynomial.total(total)

    def _loop(self, size: Term, index: Var, step: Polynomial) -> Polynomial:
        return step.summed(index, self.trips.of(size)) + self._of(size, Use.INDEX)

    def _index(self, term: Term) -> Polynomial:
        match term:
            case Prim(_, arguments) if isinstance(term.type, Int):
                return self._all(arguments, Use.INDEX)
            case _:
                return self._of(term, Use.VALUE)

    def _element(self, term: Get, use: Use) -> Polynomial:
        """An element of an array that is not stored is evaluated alone."""
        assert isinstance(term.array, Build)
        element = self._of(term.array.body, use).where(term.array.index, self.trips.of(term.index))
        return self._of(term.index, Use.INDEX) + element

    # -- destinations ----------------------------------------------------------------------------------------------

    def _scope(self, term: Term, use: Use) -> Polynomial:
        """What passes its use on to its parts."""
        match term:
            case Let(bindings, body):
                values = [v for _, v in bindings if not isinstance(v, Lam)]
                return Polynomial.total([*[self._of(v, Use.VALUE) for v in values], self._of(body, use)])
            case If(condition, then, otherwise):
                return self._of(condition, Use.VALUE) + self._of(then, use).dearer(self._of(otherwise, use))
            case Require(condition, body):
                return self._of(condition, Use.VALUE) + self._of(body, use)
            case MakeTuple(items):
                return self._all(items, use)
            case _:
                raise TypeError(f"{type(term).__name__} is no scope")

    def _destination(self, term: Term, use: Use) -> Polynomial:
        one = STORE if use is Use.STORE else ADD
        match term:
            case Let() | If() | Require() | MakeTuple():
                return self._scope(term, use)
            case Build(size, index, body):
                return self._loop(size, index, self._of(body, use))
            case Vector(items):
                return self._all(items, use)
            case Plus(items):
                return self._of(items[0], use) + self._all(items[1:], Use.ADD)
            case Zero():
                return self.elements(term) * STORE if use is Use.STORE else NOTHING
            case Delta(_, index, value):
                hot = self._of(index, Use.INDEX) + self._of(value, use)
                return hot + (self.elements(term) * STORE if use is Use.STORE else NOTHING)
            case Reduce(_, size, index, body) if isinstance(body.type, Array | Tuple):
                total = self._loop(size, index, self._of(body, Use.ADD))
                return total + (self.elements(term) * STORE if use is Use.STORE else NOTHING)
            case Get(Build(), _):
                return self._element(term, use)
            case Var() | Get() | Proj() if isinstance(term.type, Array | Tuple):
                return self._of(term, Use.VALUE) + self.elements(term) * (LOAD + one)
            case _ if isinstance(term.type, Array | Tuple):
                added = self.elements(term) * (LOAD + ADD) if use is Use.ADD else NOTHING
                return self._of(term, Use.VALUE) + added
            case _:
                return self._of(term, Use.VALUE) + one
