"""Random loops whose result is a number."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import equals, plus
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Get,
    If,
    IFold,
    Length,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    Zero,
)
from fsmooth.core.types import INT, Float, Int, Tuple, Type
from fsmooth.laws.random_terms.scope import Scope


class Loops(Scope):
    """Sums, products, extrema and folds."""

    def sum(self, depth: int) -> Term:
        i = Var("i", INT)
        return Reduce(Reduction.SUM, self.size(), i, self.under((i,), lambda: self.guard(i, depth), loop=True))

    def guard(self, i: Var, depth: int) -> Term:
        """A summand, sometimes at one index only."""
        body = self.term(self.real, depth)
        if self.rng.random() < 0.25:
            return If(equals(i, self.term(INT, 0)), body, Zero((), self.real))
        return body

    def product(self, depth: int) -> Term:
        i = Var("i", INT)
        return Reduce(
            Reduction.PRODUCT, self.size(), i, self.under((i,), lambda: self.term(self.real, depth), loop=True)
        )

    def extremum(self, depth: int) -> Term:
        i = Var("i", INT)
        size = self.size()
        kind = self.rng.choice((Reduction.MAX, Reduction.MIN))
        body = Reduce(kind, size, i, self.under((i,), lambda: self.term(self.real, depth), loop=True))
        return If(Prim(p.less, (Const(0), size)), body, self.constant(-1.0))

    def fold(self, depth: int) -> Term:
        kind: Type = self.rng.choice((self.real, Tuple((self.real, self.real)), self.kinds.pair, self.kinds.point))
        s, i = Var("s", kind), Var("i", INT)
        init = self.term(kind, depth - 1)
        step = self.under((s, i), lambda: self.damped(kind, s, depth), loop=True)
        loop = IFold(self.size(), init, s, i, step)
        return Proj(loop, 0) if isinstance(kind, Tuple) else loop

    def damped(self, kind: Type, state: Term, depth: int) -> Term:
        """A step whose values stay small."""
        match kind:
            case Float():
                return Prim(p.sin, (Prim(p.add, (state, self.term(self.real, depth))),))
            case Int():
                return Prim(p.modulo, (plus(state, self.term(INT, 0)), Const(7)))
            case Tuple(items):
                steps = tuple([self.damped(t, Proj(state, k), depth) for k, t in enumerate(items)])
                return MakeTuple(steps, kind)
        raise AssertionError

    def array_fold(self, depth: int) -> Term:
        v = self.rng.choice(self.paths(self.kinds.vector))
        s, i = Var("s", v.type), Var("i", INT)

        def step() -> Term:
            if self.rng.random() < 0.5:
                at = Check(Prim(p.modulo, (i, Length(s))), Length(s))
                return If(
                    Prim(p.less, (Const(0), Length(s))), Update(s, at, Prim(p.sin, (self.term(self.real, depth),))), s
                )
            j = Var("j", INT)
            return Build(Length(s), j, Prim(p.sin, (Prim(p.add, (Get(s, j), self.term(self.real, 0))),)))

        loop = IFold(self.size(), v, s, i, self.under((s, i), step, loop=True))
        k = Var("k", INT)
        return Reduce(Reduction.SUM, Length(v), k, Get(loop, k))
