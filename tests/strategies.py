"""Random well-typed programs, from a seed: every construct, sizes that are constant, symbolic, 0 and 1."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.build import equals, plus
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import (
    Build,
    Check,
    Collect,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.types import BOOL, F64, INT, Array, Bool, Float, Int, Tuple, Type

V, M = Array(F64), Array(Array(F64))

SMOOTH: tuple[tuple[p.Primitive, Callable[[Term], Term]], ...] = (
    (p.sin, lambda x: x),
    (p.cos, lambda x: x),
    (p.tanh, lambda x: x),
    (p.sigmoid, lambda x: x),
    (p.erf, lambda x: x),
    (p.atan, lambda x: x),
    (p.exp, lambda x: Prim(p.sin, (x,))),
    (p.expm1, lambda x: Prim(p.sin, (x,))),
    (p.sinh, lambda x: Prim(p.sin, (x,))),
    (p.cosh, lambda x: Prim(p.sin, (x,))),
    (p.tan, lambda x: Prim(p.sin, (x,))),
    (p.log, lambda x: _positive(x)),
    (p.sqrt, lambda x: _positive(x)),
    (p.log1p, lambda x: _positive(x)),
    (p.lgamma, lambda x: _positive(x)),
    (p.asin, lambda x: Prim(p.multiply, (Const(0.9), Prim(p.sin, (x,))))),
    (p.acos, lambda x: Prim(p.multiply, (Const(0.9), Prim(p.sin, (x,))))),
    (p.absolute, lambda x: x),
    (p.negate, lambda x: x),
)


def _positive(x: Term) -> Term:
    return Prim(p.add, (Const(0.5), Prim(p.multiply, (Prim(p.tanh, (x,)), Prim(p.tanh, (x,))))))


@dataclass
class Generator:
    """Terms of a wanted type from the variables in scope; indices carry the array axis they are in range for."""

    rng: random.Random
    scope: list[Var] = field(default_factory=list)
    loops: int = 0

    def term(self, type_: Type, depth: int) -> Term:
        """A term of the type."""
        choices = self.choices(type_, depth)
        return self.rng.choice(choices)(depth - 1)

    def choices(self, type_: Type, depth: int) -> list[Callable[[int], Term]]:
        variables = [v for v in self.scope if v.type == type_]
        leaf: list[Callable[[int], Term]] = [lambda d, v=v: v for v in variables]  # type: ignore[misc]
        match type_:
            case Float():
                leaf += [lambda d: Const(round(self.rng.uniform(-2, 2), 2)), lambda d: Zero(())]
                leaf += [self.element] * 3
                if depth <= 0:
                    return leaf
                more = [self.unary, self.binary, self.binary, self.conditional(F64), self.let(F64), self.projection]
                if self.loops < 3:
                    more += [self.sum, self.sum, self.fold, self.extremum, self.product, self.array_fold]
                return leaf + more * 2
            case Int():
                arrays = [v for v in self.scope if isinstance(v.type, Array)]
                leaf += [lambda d: Const(self.rng.randint(0, 3))]
                leaf += [lambda d, v=v: Length(v) for v in arrays]  # type: ignore[misc]
                if depth <= 0:
                    return leaf
                return [*leaf, self.integer, self.conditional(INT)]
            case Bool():
                return [self.comparison]
            case Array(element):
                if isinstance(element, Array) and depth > 0:
                    return [*leaf, self.matrix]
                if depth <= 0 and leaf:
                    return leaf
                more = [self.build(element), self.build(element), self.display(element)]
                if element == F64 and self.loops < 3:
                    more += [self.zero, self.delta, self.update, self.collect, self.sum_of_arrays]
                return leaf + more
            case Tuple(items):
                return [*leaf, lambda d: MakeTuple(tuple([self.term(t, d) for t in items]), type_)]
        raise AssertionError(type_)

    # -- numbers -----------------------------------------------------------------------------------------------------

    def unary(self, depth: int) -> Term:
        operation, domain = self.rng.choice(SMOOTH)
        return Prim(operation, (domain(self.term(F64, depth)),))

    def binary(self, depth: int) -> Term:
        a, b = self.term(F64, depth), self.term(F64, depth)
        match self.rng.randrange(9):
            case 0 | 1:
                return Prim(p.add, (a, b))
            case 2:
                return Prim(p.subtract, (a, b))
            case 3 | 4:
                return Prim(p.multiply, (a, Prim(p.sin, (b,))))
            case 5:
                return Prim(p.divide, (a, _positive(b)))
            case 6:
                return Prim(self.rng.choice((p.maximum, p.minimum)), (a, b))
            case 7:
                return Prim(p.power, (_positive(a), Prim(p.sin, (b,))))
            case _:
                return Prim(self.rng.choice((p.hypot, p.atan2)), (a, _positive(b)))

    def element(self, depth: int) -> Term:
        """An element of an array in scope, at a checked or clamped index; a number where there is none."""
        arrays = [v for v in self.scope if isinstance(v.type, Array) and v.type.element == F64]
        matrices = [v for v in self.scope if v.type == M]
        if matrices and (not arrays or self.rng.random() < 0.4):
            m = self.rng.choice(matrices)
            row = Get(m, self.index(Length(m)))
            return self.guarded(Length(m), self.guarded(Length(m, 1), Get(row, self.index(Length(m, 1)))))
        if not arrays:
            return Const(1.5)
        v = self.rng.choice(arrays)
        return self.guarded(Length(v), Get(v, self.index(Length(v))))

    def guarded(self, size: Term, value: Term) -> Term:
        """`value` unless the size is 0."""
        return If(Prim(p.less, (Const(0), size)), value, Const(0.25))

    def index(self, size: Term) -> Term:
        inside = [v for v in self.scope if isinstance(v.type, Int)]
        i = self.rng.choice(inside) if inside and self.rng.random() < 0.8 else Const(self.rng.randint(0, 3))
        return Check(Prim(p.modulo, (i, size)), size)

    def integer(self, depth: int) -> Term:
        a, b = self.term(INT, depth), self.term(INT, depth)
        operation = self.rng.choice((p.add, p.subtract, p.multiply, p.minimum, p.maximum))
        return Prim(operation, (a, Prim(p.modulo, (b, Const(5)))))

    def comparison(self, depth: int) -> Term:
        operation = self.rng.choice((p.less, p.less_equal, p.greater, p.greater_equal))
        if self.rng.random() < 0.4:
            return Prim(self.rng.choice((operation, p.equal)), (self.term(INT, 1), self.term(INT, 1)))
        test: Term = Prim(operation, (self.term(F64, min(depth, 1)), self.term(F64, 0)))
        if self.rng.random() < 0.2:
            return If(test, self.comparison(0), Const(False))
        return Prim(p.logical_not, (test,)) if self.rng.random() < 0.2 else test

    def conditional(self, type_: Type) -> Callable[[int], Term]:
        return lambda d: If(self.comparison(d), self.term(type_, d), self.term(type_, d))

    # -- scopes ------------------------------------------------------------------------------------------------------

    def under(self, variables: tuple[Var, ...], make: Callable[[], Term], loop: bool = False) -> Term:
        self.scope.extend(variables)
        self.loops += loop
        result = make()
        self.loops -= loop
        del self.scope[-len(variables) :]
        return result

    def let(self, type_: Type) -> Callable[[int], Term]:
        def make(depth: int) -> Term:
            bindings: list[tuple[Var, Term]] = []
            for k in range(self.rng.randint(1, 3)):
                kind = self.rng.choice((F64, F64, F64, V, INT, Tuple((F64, V))))
                var = Var(f"x{k}", kind)
                bindings.append((var, self.term(kind, depth - 1)))
                self.scope.append(var)
            body = self.term(type_, depth)
            del self.scope[-len(bindings) :]
            return Let(tuple(bindings), body)

        return make

    def projection(self, depth: int) -> Term:
        tuples = [v for v in self.scope if isinstance(v.type, Tuple)]
        if tuples:
            v = self.rng.choice(tuples)
            assert isinstance(v.type, Tuple)
            places = [k for k, t in enumerate(v.type.items) if t == F64]
            if places:
                return Proj(v, self.rng.choice(places))
        return Proj(self.term(Tuple((F64, F64)), depth), self.rng.randrange(2))

    # -- loops ---------------------------------------------------------------------------------------------------------

    def size(self) -> Term:
        arrays = [v for v in self.scope if isinstance(v.type, Array)]
        if arrays and self.rng.random() < 0.7:
            return Length(self.rng.choice(arrays))
        return Const(self.rng.randint(0, 3))

    def sum(self, depth: int) -> Term:
        i = Var("i", INT)
        return Reduce(Reduction.SUM, self.size(), i, self.under((i,), lambda: self.guard(i, depth), loop=True))

    def guard(self, i: Var, depth: int) -> Term:
        """A summand, sometimes at one index only."""
        body = self.term(F64, depth)
        if self.rng.random() < 0.3:
            return If(equals(i, self.term(INT, 0)), body, Zero(()))
        return body

    def product(self, depth: int) -> Term:
        i = Var("i", INT)
        return Reduce(Reduction.PRODUCT, self.size(), i, self.under((i,), lambda: self.term(F64, depth), loop=True))

    def extremum(self, depth: int) -> Term:
        i = Var("i", INT)
        size = self.size()
        kind = self.rng.choice((Reduction.MAX, Reduction.MIN))
        body = Reduce(kind, size, i, self.under((i,), lambda: self.term(F64, depth), loop=True))
        return If(Prim(p.less, (Const(0), size)), body, Const(-1.0))

    def fold(self, depth: int) -> Term:
        kind: Type = self.rng.choice((F64, Tuple((F64, F64)), Tuple((F64, INT))))
        s, i = Var("s", kind), Var("i", INT)
        init = self.term(kind, depth - 1)
        step = self.under((s, i), lambda: self.damped(kind, s, depth), loop=True)
        loop = IFold(self.size(), init, s, i, step)
        return Proj(loop, 0) if isinstance(kind, Tuple) else loop

    def damped(self, kind: Type, state: Term, depth: int) -> Term:
        """A step whose values stay small."""
        match kind:
            case Float():
                return Prim(p.sin, (Prim(p.add, (state, self.term(F64, depth))),))
            case Int():
                return Prim(p.modulo, (plus(state, self.term(INT, 0)), Const(7)))
            case Tuple(items):
                return MakeTuple(tuple([self.damped(t, Proj(state, k), depth) for k, t in enumerate(items)]))
        raise AssertionError

    def array_fold(self, depth: int) -> Term:
        arrays = [v for v in self.scope if v.type == V]
        if not arrays:
            return self.unary(depth)
        v = self.rng.choice(arrays)
        s, i = Var("s", V), Var("i", INT)

        def step() -> Term:
            if self.rng.random() < 0.5:
                at = Check(Prim(p.modulo, (i, Length(s))), Length(s))
                return If(Prim(p.less, (Const(0), Length(s))), Update(s, at, Prim(p.sin, (self.term(F64, depth),))), s)
            j = Var("j", INT)
            return Build(Length(s), j, Prim(p.sin, (Prim(p.add, (Get(s, j), self.term(F64, 0))),)))

        loop = IFold(self.size(), v, s, i, self.under((s, i), step, loop=True))
        k = Var("k", INT)
        return Reduce(Reduction.SUM, Length(v), k, Get(loop, k))

    # -- arrays --------------------------------------------------------------------------------------------------------

    def build(self, element: Type) -> Callable[[int], Term]:
        def make(depth: int) -> Term:
            i = Var("i", INT)
            size = self.size()
            return Build(size, i, self.under((i,), lambda: self.term(element, depth), loop=True))

        return make

    def matrix(self, depth: int) -> Term:
        i, j = Var("i", INT), Var("j", INT)
        rows, columns = self.size(), self.size()
        return Build(
            rows,
            i,
            self.under((i,), lambda: Build(columns, j, self.under((j,), lambda: self.term(F64, depth - 1), loop=True))),
        )

    def display(self, element: Type) -> Callable[[int], Term]:
        return lambda d: Vector(tuple([self.term(element, d) for _ in range(self.rng.randint(1, 3))]))

    def zero(self, depth: int) -> Term:
        return Zero((self.size(),))

    def delta(self, depth: int) -> Term:
        n = self.rng.randint(1, 3)
        return Delta(Const(n), Const(self.rng.randrange(n)), self.term(F64, depth))

    def update(self, depth: int) -> Term:
        a = Var("a", V)
        array = self.term(V, depth - 1)
        at = Check(Prim(p.modulo, (Const(self.rng.randint(0, 5)), Length(a))), Length(a))
        new = self.term(F64, depth - 1)
        return Let(((a, array),), If(Prim(p.less, (Const(0), Length(a))), Update(a, at, new), a))

    def collect(self, depth: int) -> Term:
        i = Var("i", INT)
        size = self.size()
        guard = self.under((i,), lambda: self.comparison(0))
        count = Reduce(Reduction.SUM, size, i, If(guard, Const(1), Const(0)))
        body = self.under((i,), lambda: self.term(F64, depth - 1), loop=True)
        return Collect(count, ((size, i),), guard, body)

    def sum_of_arrays(self, depth: int) -> Term:
        i, j = Var("i", INT), Var("j", INT)
        size = Const(self.rng.randint(1, 3))
        inner = Const(self.rng.randint(1, 3))
        body = self.under((i, j), lambda: self.term(F64, depth - 1), loop=True)
        return Reduce(Reduction.SUM, size, i, Build(inner, j, body))


def random_program(seed: int, depth: int = 4, result: Type = F64) -> tuple[Lam, list[object]]:
    """A closed program of two vectors, a matrix, a number and an integer, and arguments for it."""
    rng = random.Random(seed)
    parameters = (Var("u", V), Var("v", V), Var("A", M), Var("x", F64), Var("n", INT))
    generator = Generator(rng, list(parameters))
    body = generator.term(result, depth)
    numbers = np.random.default_rng(seed)
    n, m = rng.choice((0, 1, 2, 3, 4)), rng.choice((1, 2, 3))
    arguments: list[object] = [
        numbers.normal(size=n),
        numbers.normal(size=m),
        numbers.normal(size=(n, m)),
        float(numbers.normal()),
        rng.randint(0, 4),
    ]
    return Lam(parameters, body), arguments


def is_rectangular(term: Term) -> bool:
    """Can every size in the term be written down?  (Random arrays of arrays may be ragged.)"""
    try:
        if isinstance(term.type, Array):
            size_of(term)
        return True
    except Ragged:
        return False


__all__ = ["BOOL", "Generator", "is_rectangular", "random_program"]
