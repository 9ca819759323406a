"""A scope as a list of steps whose operands have names: what a reversed scope walks backwards.

Before: any term.  After: steps `x = operation(atoms)` in evaluation order, and an atom for the value.  Atoms are
constants, zeros, paths with atomic indices, and tuples of atoms; loops and branches keep their bodies, which are made
into steps of their own when they are reversed.  (This is the ANF of the notes, paper 001, §5.1.)
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.build import number
from fsmooth.core.definitions import has_calls
from fsmooth.core.shape import shape_of, size_of
from fsmooth.core.subst import Renaming, refresh, substitute
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Check,
    Collect,
    Const,
    Custom,
    Delta,
    Get,
    If,
    IFold,
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
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.traverse import transform
from fsmooth.core.types import INT, Array, Tuple, has_float, is_scalar
from fsmooth.differentiate.derivatives import CONSTANT, underived
from fsmooth.differentiate.reverse import whiles
from fsmooth.differentiate.reverse.cotangents import component
from fsmooth.differentiate.reverse.held import NOTHING_HELD, Held
from fsmooth.differentiate.reverse.rows import gathers_read, if_it_exists, is_row, rows_read
from fsmooth.differentiate.reverse.versions import updated


class Step(Struct, frozen=True, eq=False):
    """`var = term`; `active` if it depends on what is differentiated."""

    var: Var
    term: Term
    active: bool


NO_TABLES: Mapping[Var, Term] = {}

Item = Step | Require
"""A `Require` stands for its condition alone: it is evaluated where it is in the list."""


class Steps:
    """The steps of one region.

    `active` are the variables that the derivative is about; `states` are folds' states, with the number of rows of
    those that are arrays, and what updates make of these: an element read from one gets a name, so that it can be saved
    instead of the array.  `rows` are pairs of such an array and an index that is in bounds: that row gets a name too.

    `held` are names for what the last state of a fold holds: `tables` are the versions that they stand for, by these names,
    and `afterwards` what variables of this region are on the way back.
    """

    def __init__(
        self,
        active: frozenset[Var],
        states: Mapping[Var, Term | None],
        rows: tuple[tuple[Var, Var], ...] = (),
        held: Held = NOTHING_HELD,
        tables: Mapping[Var, Term] = NO_TABLES,
    ) -> None:
        self.items: list[Item] = []
        self.active = set(active)
        self.states = dict(states)
        self.rows = rows
        self.held = held
        self.tables = dict(tables)
        self.afterwards: dict[Var, Term] = {}
        self.row: dict[tuple[Var, Var], Var] = {}
        self.names = Renaming({})
        self.known: dict[Term, Term] = {}

    def value(self, term: Term) -> Term:
        """The atom for the value of `term`."""
        return self._atom(term, None)

    def is_active(self, term: Term) -> bool:
        """Does `term` mention an active variable?"""
        if isinstance(term, Prim) and term.primitive in CONSTANT:
            return False
        return not self.active.isdisjoint(term.free)

    def inside(self, body: Term) -> Steps:
        """The steps of a region inside of this one, to be filled with those of `body`."""
        return Steps(self.active_in(body), self.states, (), self.held, self.tables)

    def active_in(self, body: Term) -> frozenset[Var]:
        """The active variables that are mentioned, by a name of their own or as a table."""
        names = [x for x in body.free if x in self.active]
        return frozenset(names).union(*[self.tables[x].free & self.active for x in names if x in self.tables])

    def _bind(self, term: Term, name: str | Var, active: bool) -> Var:
        var = name if isinstance(name, Var) else Var(name, term.type)
        self.items.append(Step(var, term, active))
        if active:
            self.active.add(var)
        version_of = updated(term, self.states, NO_TABLES)
        if version_of is not None and var not in self.held.tables:
            self.states[var] = None if isinstance(var.type, Tuple) else self.states[version_of]
        return var

    def _define(self, var: Var, value: Term) -> None:
        active = self.is_active(value)
        if var in self.held.tables:
            self.tables[var] = self._atom(value, None)
            self._bind(self.tables[var], var, active)
            self.afterwards[var] = self.held.tables[var]
            return
        atom = self._atom(value, var)
        if var in self.held.values and isinstance(atom, Var):
            self.afterwards[atom] = self.held.values[var]
        if atom is not var:
            if active:
                self.active.add(var)
            self.names.add(var, atom)

    def _atom(self, term: Term, name: Var | None) -> Term:
        if isinstance(term, Var):
            return self.names(term)
        if isinstance(term, Const):
            return term
        found = self.known.get(term)
        if found is not None:
            return found
        result = self._new(term, name)
        self.known[term] = result
        return result

    def _new(self, term: Term, name: Var | None) -> Term:
        match term:
            case Let(bindings, body):
                for var, value in bindings:
                    self._define(var, value)
                return self._atom(body, name)
            case App(Lam(parameters, body), arguments):
                for var, value in zip(parameters, arguments, strict=True):
                    self._define(var, value)
                return self._atom(body, name)
            case Require(condition, body):
                numbers = tuple([self.names(n) for n in term.numbers])
                self.items.append(Require(self.names(condition), Const(0), term.failure, numbers, term.site))
                return self._atom(body, name)
            case MakeTuple(items):
                return MakeTuple(tuple([self._atom(item, None) for item in items]), term.type)
            case Zero(sizes, leaf):
                return Zero(tuple([self._atom(size, None) for size in sizes]), leaf)
            case Proj(whole, position):
                return component(self._atom(whole, None), position)
            case Get(array, index):
                return self._element(self._atom(array, None), self._atom(index, None), name)
            case Length(array) if isinstance(array, Var | Proj | Get):
                return self.names(term)
            case Length(array, axis) if self.is_active(array):
                return self._length(array, axis)
        if not self.is_active(term):
            return self._bind(self.names(term), name or _hint(term), active=False)
        if isinstance(term, Reduce) and term.reduction in (Reduction.MAX, Reduction.MIN):
            return self._atom(self._at_extremum(term), name)
        if isinstance(term, While):
            if has_calls(term.init):  # it is counted from, and started from
                term = While(self._atom(term.init, None), term.state, term.condition, term.body)
            steps = self._bind(self.names(whiles.steps_of(term)), "steps", active=False)
            return self._atom(whiles.as_fold(term, steps), name)
        if isinstance(term, Collect) and has_float(term.type):
            return self._atom(self._at_found(term), name)
        return self._bind(self._with_rows(self._operation(term)), name or _hint(term), active=has_float(term.type))

    def _with_rows(self, term: Term) -> Term:
        """A loop that reads rows of a fold's state by their names."""
        if not isinstance(term, Build | Reduce | IFold):
            return term
        loop = term
        for array, index in self.rows:
            if array in term.free and index in term.free:
                term = transform(term, lambda t, a=array, i=index: self._row(t, a, i))  # type: ignore[misc]
        for row in rows_read(term, self.states):
            var = self._atom(if_it_exists(row), None)
            term = transform(term, lambda t, row=row, var=var: var if is_row(t, row) else t)  # type: ignore[misc]
        for read, element in gathers_read(loop, self.states):
            p = loop.index.renamed()
            var = self._atom(Build(self._atom(loop.size, None), p, substitute(element, {loop.index: p})), None)
            own = Get(var, loop.index)
            term = transform(term, lambda t, read=read, own=own: own if is_row(t, read) else t)  # type: ignore[misc]
        return term

    def _row(self, term: Term, array: Var, index: Var) -> Term:
        if not isinstance(term, Get) or term.array is not array or term.index is not index:
            return term
        if (array, index) not in self.row:
            self.row[array, index] = self._bind(term, f"{array.name}_row", active=array in self.active)
        return self.row[array, index]

    def _element(self, array: Term, index: Term, name: Var | None) -> Term:
        if isinstance(array, Zero):
            return Zero(array.sizes[1:], array.leaf)
        path = Get(array, index)
        if not is_scalar(path.type) or self.states.keys().isdisjoint(array.free) or _root(array) not in self.states:
            return path
        return self._bind(path, name or _root(array).name, active=self.is_active(path))

    def _length(self, array: Term, axis: int) -> Term:
        """The length of an operation, which has no slope: what its size is, or that of its value."""
        size = shape_of(array)[axis]
        if not isinstance(size, Length) or isinstance(size.array, Var | Proj | Get):
            return self._atom(size, None)
        return Length(self._bind(self.names(size.array), _hint(size.array), active=False), size.axis)

    def _operation(self, term: Term) -> Term:
        """The operation with atoms for its operands."""
        match term:
            case Prim(primitive, arguments):
                return Prim(primitive, tuple([self._atom(x, None) for x in arguments]))
            case If(condition, then, otherwise):
                return If(self._atom(condition, None), self.names(then), self.names(otherwise))
            case Build(size, index, body):
                return self.names(Build(self._atom(size, None), index, body))
            case Reduce(reduction, size, index, body):
                match reduction:
                    case Reduction.SUM:
                        return self.names(Reduce(reduction, self._atom(size, None), index, body))
                    case Reduction.PRODUCT:
                        return self._operation(as_fold(term))
                    case _:
                        return self.names(term)
            case IFold(size, init, state, index, body):
                start = self._atom(init, None)
                new = self.names(IFold(self._atom(size, None), init, state, index, body))
                assert isinstance(new, IFold)
                return IFold(new.size, start, new.state, new.index, new.body)
            case Vector(items):
                return Vector(tuple([self._atom(x, None) for x in items]))
            case Plus(items):
                return Plus(tuple([self._atom(x, None) for x in items]))
            case Delta(size, index, value):
                return Delta(self._atom(size, None), self._atom(index, None), self._atom(value, None))
            case Update(array, index, value):
                return Update(self._atom(array, None), self._atom(index, None), self._atom(value, None))
            case Collect() | Check():
                return self.names(term)
            case App(Custom() as custom, arguments):
                return App(self.names(custom), tuple([self._atom(x, None) for x in arguments]))
            case Call(header, arguments):
                return Call(header, tuple([self._atom(x, None) for x in arguments]))
            case _:
                raise underived(term, "reverse derivative")

    def _at_extremum(self, term: Reduce) -> Term:
        """The element at the first extremum (design §4): `let k = argmax … in e k`."""
        arg = Reduction.ARGMAX if term.reduction is Reduction.MAX else Reduction.ARGMIN
        if has_calls(term.body):  # each is called once
            all_ = self._atom(Build(term.size, term.index, term.body), None)
            k = Var("k", INT)
            return Get(all_, self._bind(Reduce(arg, size_of(all_), k, Get(all_, k)), "where", active=False))
        own = Reduce(arg, self._atom(term.size, None), term.index, term.body)
        where = self._bind(refresh(self.names(own)), "where", active=False)
        return refresh(substitute(term.body, {term.index: where}))

    def _at_found(self, term: Collect) -> Term:
        """The elements where the guard holds: `let w = collect (i | guard) i in build count (k. e[w[k]])`."""
        count = self._atom(term.count, None)
        indices = tuple([index for _, index in term.generators])
        own = Collect(count, term.generators, term.guard, indices[0] if len(indices) == 1 else MakeTuple(indices))
        where = self._bind(refresh(self.names(own)), "where", active=False)
        k = Var("k", INT)
        at = Get(where, k)
        places = [at] if len(indices) == 1 else [Proj(at, j) for j in range(len(indices))]
        body = substitute(term.body, dict(zip(indices, places, strict=True)))
        return refresh(Build(count, k, body))


def as_fold(term: Reduce) -> IFold:
    """A product as a fold: reversed, it has the products before and after each factor, exact where factors are zero."""
    state = Var("product", term.type)
    return IFold(term.size, number(1, term.type), state, term.index, Prim(p.multiply, (state, term.body)))


def _hint(term: Term) -> str:
    match term:
        case Prim(primitive):
            return {p.add: "total", p.multiply: "product", p.subtract: "difference", p.divide: "quotient"}.get(
                primitive, primitive.name
            )
        case Reduce(reduction):
            return reduction.value
        case Check():
            return "at"
        case _:
            return "a" if isinstance(term.type, Array) else "t" if isinstance(term.type, Tuple) else "x"


def _root(path: Term) -> Var:
    while not isinstance(path, Var):
        assert isinstance(path, Get | Proj)
        path = path.array if isinstance(path, Get) else path.tuple
    return path
