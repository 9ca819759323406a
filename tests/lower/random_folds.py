"""Random programs full of folds, updates, branches and scopes: the hardest case for changing arrays in place."""

from __future__ import annotations

import random

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.subst import substitute, substitute1
from fsmooth.core.term import (
    Build,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.traverse import transform
from fsmooth.core.types import F64, INT, Array, Tuple, Type

V = Array(F64)
M = Array(V)
STATES: tuple[Type, ...] = (
    V,
    Tuple((V, F64)),
    Tuple((V, V)),
    Tuple((V, F64, V, INT)),
    Tuple((F64, F64)),
    Tuple((Tuple((V, F64)), V)),
    M,
    Tuple((M, V)),
    Tuple((M, F64, M)),
)


class Generator:
    """One random closed function of two arrays and an Int."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.v, self.w, self.n = Var("v", V), Var("w", V), Var("n", INT)

    def function(self) -> Lam:
        result = self.r.choice(STATES)
        return Lam((self.v, self.w, self.n), self.term(result, 4, [self.v, self.w, self.n]))

    def term(self, type_: Type, depth: int, scope: list[Term]) -> Term:
        if depth > 0 and self.r.random() < 0.25:
            return self.let(type_, depth, scope)
        if depth > 0 and self.r.random() < 0.15:
            return If(
                self.condition(depth - 1, scope), self.term(type_, depth - 1, scope), self.term(type_, depth - 1, scope)
            )
        if depth > 0 and self.r.random() < 0.3:
            return self.fold(type_, depth, scope)
        if type_ == F64:
            return self.real(depth, scope)
        if type_ == INT:
            return self.integer(depth, scope)
        if isinstance(type_, Tuple):
            found = self.paths(type_, scope)
            if found and self.r.random() < 0.2:
                return self.r.choice(found)
            return MakeTuple(tuple([self.term(item, depth - 1, scope) for item in type_.items]))
        if type_ == M:
            return self.matrix(depth, scope)
        return self.array(depth, scope)

    def matrix(self, depth: int, scope: list[Term]) -> Term:
        choice = self.r.random()
        here = self.paths(M, scope)
        if here and (depth <= 0 or choice < 0.2):
            return self.r.choice(here)
        if choice < 0.7 and depth > 0:
            return Update(self.term(M, depth - 1, scope), self.index(0, scope), self.term(V, depth - 1, scope))
        j = Var("row", INT)
        return Build(Length(self.v), j, self.array(depth - 1, [*scope, j]))

    def let(self, type_: Type, depth: int, scope: list[Term]) -> Term:
        scope = list(scope)
        bindings = []
        for _ in range(self.r.randint(1, 3)):
            of = self.r.choice((F64, V, V, INT, type_, type_))
            var = Var(self.r.choice("abcd"), of)
            bindings.append((var, self.term(of, depth - 1, scope)))
            scope.append(var)
        return Let(tuple(bindings), self.term(type_, depth - 1, scope))

    def fold(self, type_: Type, depth: int, scope: list[Term]) -> Term:
        state, index = Var("s", type_), Var("i", INT)
        init = self.term(type_, depth - 1 if self.r.random() < 0.5 else 0, scope)
        body = self.term(type_, depth - 1, [*scope, state, state, state, index])
        return IFold(Const(self.r.randint(0, 3)), init, state, index, body)

    def paths(self, type_: Type, scope: list[Term]) -> list[Term]:
        found: list[Term] = []
        pending = list(scope)
        while pending:
            t = pending.pop()
            if t.type == type_:
                found.append(t)
            if t.type == M and type_ == V:
                found.append(Get(t, self.index(0, scope)))
            if isinstance(t.type, Tuple):
                pending.extend([Proj(t, k) for k in range(len(t.type.items))])
        return found

    def array(self, depth: int, scope: list[Term]) -> Term:
        choice = self.r.random()
        here = self.paths(V, scope)
        if depth <= 0 or choice < 0.2:
            return self.r.choice(here)
        if choice < 0.6:
            return Update(self.term(V, depth - 1, scope), self.index(depth - 1, scope), self.real(depth - 1, scope))
        if choice < 0.85:
            j = Var("j", INT)
            return Build(Length(self.v), j, self.real(depth - 1, [*scope, j], j))
        if choice < 0.92:
            return Delta(Length(self.v), self.index(depth - 1, scope), self.real(depth - 1, scope))
        if choice < 0.95:
            return Zero((Length(self.v),))
        j = Var("k", INT)
        return Reduce(Reduction.SUM, Const(self.r.randint(0, 3)), j, self.array(depth - 1, [*scope, j]))

    def index(self, depth: int, scope: list[Term]) -> Term:
        return b.prim(p.modulo, self.integer(depth, scope), Length(self.v))

    def integer(self, depth: int, scope: list[Term]) -> Term:
        here = [Const(self.r.randint(0, 4)), *self.paths(INT, scope)]
        if depth <= 0 or self.r.random() < 0.7:
            return self.r.choice(here)
        return b.prim(p.modulo, b.plus(self.integer(depth - 1, scope), self.r.choice(here)), Const(7))

    def condition(self, depth: int, scope: list[Term]) -> Term:
        if self.r.random() < 0.5:
            return b.prim(p.less, self.integer(depth, scope), Const(self.r.randint(0, 4)))
        return b.prim(p.less, self.real(depth, scope), Const(self.r.uniform(-1, 1)))

    def real(self, depth: int, scope: list[Term], j: Var | None = None) -> Term:
        choice = self.r.random()
        if depth <= 0 or choice < 0.45:
            array = self.r.choice(self.paths(V, scope))
            if j is not None and self.r.random() < 0.6:
                return Get(array, j)
            return Get(array, self.index(0, scope))
        if choice < 0.55:
            return self.r.choice([Const(0.5), Const(-1.25), *self.paths(F64, scope)])
        if choice < 0.65:
            return Get(self.array(depth - 1, scope), self.index(0, scope))
        if choice < 0.7:
            i = Var("m", INT)
            return Reduce(Reduction.SUM, Length(self.v), i, self.real(depth - 1, [*scope, i], i))
        if choice < 0.73:
            return Get(
                Vector((self.real(depth - 1, scope), self.real(depth - 1, scope))),
                b.prim(p.modulo, self.integer(0, scope), Const(2)),
            )
        if choice < 0.8:
            return If(self.condition(depth - 1, scope), self.real(depth - 1, scope, j), self.real(depth - 1, scope, j))
        operation = self.r.choice((p.add, p.subtract, p.multiply))
        return b.prim(p.sin, b.prim(operation, self.real(depth - 1, scope, j), self.real(depth - 1, scope, j)))


class Nested(Generator):
    """Folds around folds that go on with parts of their states, and elements of rows that are changed."""

    def function(self) -> Lam:
        result = self.r.choice([type_ for type_ in STATES if isinstance(type_, Tuple)])
        return Lam((self.v, self.w, self.n), self.fold(result, 4, [self.v, self.w, self.n]))

    def fold(self, type_: Type, depth: int, scope: list[Term]) -> Term:
        if not isinstance(type_, Tuple) or depth < 2 or self.r.random() < 0.2:
            return super().fold(type_, depth, scope)
        state, index = Var("s", type_), Var("i", INT)
        inside = [*scope, state, state, index]
        positions = [k for k, item in enumerate(type_.items) if item in (V, M)]
        bindings: list[tuple[Var, Term]] = []
        ends: dict[int, Term] = {}
        for k in positions:
            if self.r.random() < 0.3:
                continue
            start: Term = ends.get(k, Proj(state, k))
            if self.r.random() < 0.3:
                start = Update(start, self.index(0, inside), self.term(start.type.element, 1, inside))  # type: ignore[attr-defined]
            items = [start, *[self.term(self.r.choice((F64, V)), 1, inside) for _ in range(self.r.randint(1, 2))]]
            self.r.shuffle(items)
            var = Var("t", Tuple(tuple([x.type for x in items])))
            bindings.append((var, self.inner(var.type, items, [*scope, index, *[x for x, _ in bindings]])))
            ends[k] = Proj(var, items.index(start))
            inside += [Proj(var, j) for j, x in enumerate(items) if x is not start or self.r.random() < 0.3]
        result = []
        for k, item in enumerate(type_.items):
            end = ends.get(k)
            if end is not None and self.r.random() < 0.3:
                end = Update(end, self.index(0, inside), self.term(item.element, 1, [*inside, end]))  # type: ignore[attr-defined]
            result.append(self.term(item, depth - 2, inside) if end is None else end)
        body = Let(tuple(bindings), MakeTuple(tuple(result))) if bindings else MakeTuple(tuple(result))
        return IFold(Const(self.r.randint(0, 3)), self.term(type_, 1, scope), state, index, body)

    def inner(self, type_: Type, init: list[Term], scope: list[Term]) -> Term:
        state, index = Var("s", type_), Var("j", INT)
        inside = [*scope, state, state, index]
        assert isinstance(type_, Tuple)
        items = []
        for k, item in enumerate(type_.items):
            own: Term = Proj(state, k)
            if item in (V, M) and self.r.random() < 0.8:
                items.append(Update(own, self.index(0, inside), self.changed(own, inside)))
            else:
                items.append(self.term(item, 1, inside))
        return IFold(Const(self.r.randint(0, 3)), MakeTuple(tuple(init)), state, index, MakeTuple(tuple(items)))

    def changed(self, array: Term, scope: list[Term]) -> Term:
        return self.term(array.type.element, 1, [*scope, array])  # type: ignore[attr-defined]

    def matrix(self, depth: int, scope: list[Term]) -> Term:
        here = [x for x in self.paths(M, scope) if not isinstance(x, Get)]
        if depth > 0 and here and self.r.random() < 0.6:
            whole, at = self.r.choice(here), self.index(0, scope)
            row: Term = Get(whole, at)
            for _ in range(self.r.randint(1, 2)):
                row = Update(row, self.index(0, scope), self.real(1, scope))
            if self.r.random() < 0.3:
                row = If(self.condition(0, scope), row, Get(whole, at))
            return Update(whole, at, row)
        return super().matrix(depth, scope)


class Whiles(Nested):
    """Folds as loops whose steps are counted, or told from what they change, in their state."""

    def fold(self, type_: Type, depth: int, scope: list[Term]) -> Term:
        return self.counted(super().fold(type_, depth, scope))

    def inner(self, type_: Type, init: list[Term], scope: list[Term]) -> Term:
        return self.counted(super().inner(type_, init, scope))

    def counted(self, fold: Term) -> Term:
        """The same steps, counted in the state; or, of one array, as many as its first element says."""
        if not isinstance(fold, IFold) or self.r.random() < 0.2:
            return fold
        if fold.state.type == V and self.r.random() < 0.7:
            return self.told(fold)
        is_tuple = isinstance(fold.state.type, Tuple)
        types = fold.state.type.items if isinstance(fold.state.type, Tuple) else (fold.state.type,)
        state = Var("s", Tuple((*types, INT)))
        own = [Proj(state, k) for k in range(len(types))]
        steps = Proj(state, len(types))
        whole = MakeTuple(tuple(own)) if is_tuple else own[0]
        body = _with_number(substitute(fold.body, {fold.state: whole, fold.index: steps}), b.plus(steps, Const(1)))
        loop = While(_with_number(fold.init, Const(0)), state, b.prim(p.less, steps, fold.size), _reduced(body))
        end = Var("e", state.type)
        parts = [Proj(end, k) for k in range(len(types))]
        return Let(((end, loop),), MakeTuple(tuple(parts)) if is_tuple else parts[0])

    def told(self, fold: IFold) -> Term:
        """Steps until the first element has grown, by one in each."""
        first = Get(fold.state, Const(0))
        body = Update(substitute1(fold.body, fold.index, Const(1)), Const(0), b.plus(first, Const(1.0)))
        return While(fold.init, fold.state, b.prim(p.less, first, Const(1.5)), body)


def _with_number(term: Term, number: Term) -> Term:
    """The components of the term, and the number after them."""
    match term:
        case Let(bindings, body):
            return Let(bindings, _with_number(body, number))
        case If(condition, then, otherwise):
            return If(condition, _with_number(then, number), _with_number(otherwise, number))
        case MakeTuple(items):
            return MakeTuple((*items, number))
        case _ if isinstance(term.type, Tuple):
            return MakeTuple((*[Proj(term, k) for k in range(len(term.type.items))], number))
        case _:
            return MakeTuple((term, number))


def _reduced(term: Term) -> Term:
    """The term with its components of displays taken."""

    def change(t: Term) -> Term:
        return t.tuple.items[t.position] if isinstance(t, Proj) and isinstance(t.tuple, MakeTuple) else t

    return transform(term, change)
