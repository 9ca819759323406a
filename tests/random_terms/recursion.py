"""Random programs with definitions that call themselves, and one another; an integer that each call makes smaller ends them."""

from __future__ import annotations

import random

from fsmooth.core import primitives as p
from fsmooth.core.build import minus
from fsmooth.core.term import (
    Build,
    Call,
    Check,
    Const,
    Get,
    Header,
    If,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Term,
    Var,
    Zero,
)
from fsmooth.core.types import F64, INT, Array, Tuple, Type
from fsmooth.laws.random_terms.generator import Generator, Maker

MOST = 2
"""Calls written in one definition; more take too long."""


class Recursive(Generator):
    """Terms with calls of definitions, each of which has a number, an array and how deep it may go."""

    def __init__(self, rng: random.Random, scope: list[Var]) -> None:
        super().__init__(rng, scope)
        result = rng.choice(
            (self.real, self.real, Tuple((self.real, self.real)), Tuple((self.real, self.kinds.vector)))
        )
        self.headers = [self._header(f"f{k}", result) for k in range(rng.choice((1, 1, 2)))]
        self.left: Term | None = None
        self.calls = 0
        for header in self.headers:
            header.define(self._definition(header))
        self.scope = scope
        self.left, self.calls = None, 0

    def _header(self, name: str, result: Type) -> Header:
        x, v, k = Var("x", self.real), Var("v", self.kinds.vector), Var("k", INT)
        model = None
        if result != self.real and isinstance(result, Tuple) and isinstance(result.items[1], Array):
            model = Lam((x, v, k), MakeTuple((Zero((), self.real), Zero((Length(v),), self.real))))
        return Header(name, (self.real, self.kinds.vector, INT), result, model=model)

    def _definition(self, header: Header) -> Lam:
        x, v, k = Var("x", self.real), Var("v", self.kinds.vector), Var("k", INT)
        self.scope, self.left, self.calls = [x, v, k], None, MOST
        base = self._result(header.result, v, 2)
        self.left, self.calls = k, 0
        step = self._once(header, x, v, k) if self.rng.random() < 0.4 else self._result(header.result, v, 3)
        return Lam((x, v, k), If(Prim(p.less, (k, Const(1))), base, step))

    def _once(self, header: Header, x: Var, v: Var, k: Var) -> Term:
        """One call of itself, at the end or with something done afterwards, on some ways."""
        self.calls = MOST
        given = Prim(p.sin, (self.term(self.real, 2),))
        again = Call(header, (given, v, minus(k, Const(self.rng.choice((1, 1, 2))))))
        if self.rng.random() < 0.3:
            return again
        y = Var("y", header.result)
        after = self.under((y,), lambda: self._result(header.result, v, 2))
        whole = Let(((y, again),), after)
        if self.rng.random() < 0.5:
            return whole
        return If(Prim(p.less, (x, self.term(self.real, 0))), whole, self._result(header.result, v, 2))

    def _result(self, type_: Type, v: Var, depth: int) -> Term:
        match type_:
            case Tuple(items):
                return MakeTuple(tuple([self._result(t, v, depth) for t in items]))
            case Array():
                return self._of_size(v, depth)
            case _:
                return Prim(p.sin, (self.term(self.real, depth),))

    def _of_size(self, v: Term, depth: int) -> Term:
        i = Var("i", INT)
        body = self.under((i,), lambda: self.term(self.real, depth - 1), loop=True)
        near = Get(v, Check(i, Length(v)))
        return Build(Length(v), i, Prim(p.sin, (Prim(p.add, (near, body)),)))

    def real_choices(self, depth: int) -> list[Maker]:
        found = super().real_choices(depth)
        if depth <= 0 or self.calls >= MOST or self.loops > 1:
            return found
        return [*found, *[self.call] * 8]

    def call(self, depth: int) -> Term:
        """A number that a call gives."""
        self.calls += 1
        if self.left is None:
            deep: Term = Prim(p.modulo, (self.term(INT, 0), Const(4)))
        else:
            deep = minus(self.left, Const(self.rng.choice((1, 1, 2))))
        v = self.rng.choice(self.paths(self.kinds.vector))
        given = v if self.rng.random() < 0.5 else self._of_size(v, depth)
        value = Call(self.rng.choice(self.headers), (Prim(p.sin, (self.term(self.real, depth),)), given, deep))
        if not isinstance(value.type, Tuple):
            return value
        first = Proj(value, self.rng.randrange(2))
        if not isinstance(first.type, Array):
            return first
        return self.guarded(Length(given), Get(first, self.index(Length(given))))


def recursive_program(rng: random.Random, parameters: tuple[Var, ...]) -> Lam:
    """A program of these parameters that calls definitions, more often than not."""
    maker = Recursive(rng, list(parameters))
    return Lam(parameters, maker.term(F64, 4))
