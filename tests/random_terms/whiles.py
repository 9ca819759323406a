"""Random programs with `while` loops, which end since they count their steps."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import both, plus
from fsmooth.core.term import (
    Check,
    Const,
    Get,
    If,
    Length,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    While,
)
from fsmooth.core.types import INT, Array, Tuple, Type
from fsmooth.laws.random_terms.generator import Generator, Maker


class Repeating(Generator):
    """Terms with loops of every kind."""

    def real_choices(self, depth: int) -> list[Maker]:
        found = super().real_choices(depth)
        return [*found, *[self.repeat, self.array_repeat] * 4] if depth > 0 and self.loops < 3 else found

    def repeat(self, depth: int) -> Term:
        """The last of some numbers."""
        loop = self._while(
            self.real, self.term(self.real, depth - 1), lambda s: self.damped(self.real, s, depth), depth
        )
        return Proj(loop, 0)

    def array_repeat(self, depth: int) -> Term:
        """The sum of an array that the steps change an element of."""
        v = self.rng.choice(self.paths(self.kinds.vector))
        assert isinstance(v.type, Array)

        def step(s: Term) -> Term:
            at = Check(Prim(p.modulo, (self.term(INT, 0), Length(s))), Length(s))
            new = Prim(p.sin, (self.term(self.real, depth),))
            return If(Prim(p.less, (Const(0), Length(s))), Update(s, at, new), s)

        loop = self._while(v.type, v, step, depth)
        k = Var("k", INT)
        return Reduce(Reduction.SUM, Length(v), k, Get(Proj(loop, 0), k))

    def _while(self, kind: Type, init: Term, step, depth: int) -> While:
        """Steps on a state of type `kind`, and their number so far."""
        whole = Var("s", Tuple((kind, INT)))
        size = self.size()
        short = Prim(p.less, (Proj(whole, 1), size))
        other = self.under((whole,), lambda: self.comparison(depth - 1), loop=True)
        body = self.under((whole,), lambda: step(Proj(whole, 0)), loop=True)
        condition = both(short, other) if self.rng.random() < 0.5 else both(other, short)
        return While(MakeTuple((init, Const(0))), whole, condition, MakeTuple((body, plus(Proj(whole, 1), Const(1)))))
