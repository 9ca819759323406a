"""Random numbers, integers and conditions.  Every operation stays where it is smooth and its values stay small."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.term import App, Const, If, Lam, Prim, Proj, Reduce, Reduction, Term, Var
from fsmooth.core.types import INT, Tuple, Type
from fsmooth.laws.random_terms.scope import Scope


def _positive(x: Term) -> Term:
    return Prim(p.add, (Const(0.5, x.type), Prim(p.multiply, (Prim(p.tanh, (x,)), Prim(p.tanh, (x,))))))


def _sine(x: Term) -> Term:
    return Prim(p.sin, (x,))


def _inside(x: Term) -> Term:
    return Prim(p.multiply, (Const(0.9, x.type), _sine(x)))


def _itself(x: Term) -> Term:
    return x


SMOOTH: tuple[tuple[p.Primitive, Callable[[Term], Term]], ...] = (
    (p.sin, _itself),
    (p.cos, _itself),
    (p.tanh, _itself),
    (p.sigmoid, _itself),
    (p.erf, _itself),
    (p.erfc, _sine),
    (p.exp2, _sine),
    (p.log2, _positive),
    (p.log10, _positive),
    (p.cbrt, _positive),
    (p.atan, _itself),
    (p.exp, _sine),
    (p.expm1, _sine),
    (p.sinh, _sine),
    (p.cosh, _sine),
    (p.tan, _sine),
    (p.log, _positive),
    (p.sqrt, _positive),
    (p.log1p, _positive),
    (p.lgamma, _positive),
    (p.digamma, _positive),
    (p.asin, _inside),
    (p.acos, _inside),
    (p.absolute, _itself),
    (p.negate, _itself),
)
STEPS = (p.sign, p.floor, p.ceil)


class Scalars(Scope):
    """Terms without loops of their own."""

    def number(self, depth: int) -> Term:
        """A variable or a part of one, rarely a constant."""
        places = self.paths(self.real)
        local = [t for t in places if self._is_local(t)]
        if local and self.rng.random() < 0.6:
            return self.rng.choice(local)
        if places and self.rng.random() < 0.9:
            return self.rng.choice([t for t in places if isinstance(t, Var)] if self.rng.random() < 0.5 else places)
        return self.constant(round(self.rng.uniform(-2, 2), 2))

    def _is_local(self, term: Term) -> bool:
        while isinstance(term, Proj):
            term = term.tuple
        return term in self.scope[self.outer :]

    def unary(self, depth: int) -> Term:
        operation, domain = self.rng.choice(SMOOTH)
        return Prim(operation, (domain(self.term(self.real, depth)),))

    def binary(self, depth: int) -> Term:
        a, b = self.term(self.real, depth), self.term(self.real, depth)
        match self.rng.randrange(11):
            case 0 | 1:
                return Prim(p.add, (a, b))
            case 2:
                return Prim(p.subtract, (a, b))
            case 3 | 4:
                return Prim(p.multiply, (a, _sine(b)))
            case 5:
                return Prim(p.divide, (a, _positive(b)))
            case 6:
                return Prim(self.rng.choice((p.maximum, p.minimum)), (a, b))
            case 7:
                return Prim(p.power, (_positive(a), _sine(b)))
            case 8:
                return Prim(p.add, (a, Prim(self.rng.choice(STEPS), (b,))))
            case 9:
                return Prim(p.select, (self.comparison(0), a, b))
            case _:
                return Prim(self.rng.choice((p.hypot, p.atan2)), (a, _positive(b)))

    def converted(self, depth: int) -> Term:
        whole = Prim(p.conversion_to(self.real), (self.term(INT, 0),))
        scaled = Prim(p.multiply, (self.constant(0.25), whole))
        return Prim(p.multiply, (Prim(p.add, (self.constant(0.5), scaled)), self.term(self.real, depth)))

    def widened(self, depth: int) -> Term:
        """A step in double precision."""
        wide = Prim(p.to_float, (self.term(self.real, depth),))
        return Prim(p.conversion_to(self.real), (self.rng.choice((_sine, _positive))(wide),))

    def applied(self, depth: int) -> Term:
        """A function written out and applied at once."""
        y = Var("y", self.real)
        body = self.under((y,), lambda: self.term(self.real, depth))
        return App(Lam((y,), body), (self.term(self.real, depth - 1),))

    def integer(self, depth: int) -> Term:
        a, b = self.term(INT, depth), self.term(INT, depth)
        operation = self.rng.choice((p.add, p.subtract, p.multiply, p.minimum, p.maximum))
        return Prim(operation, (a, Prim(p.modulo, (b, Const(5)))))

    def found(self, depth: int) -> Term:
        """Where an extremum is."""
        i = Var("i", INT)
        kind = self.rng.choice((Reduction.ARGMAX, Reduction.ARGMIN))
        return Reduce(kind, self.size(), i, self.under((i,), lambda: self.term(self.real, min(depth, 1)), loop=True))

    def comparison(self, depth: int) -> Term:
        operation = self.rng.choice((p.less, p.less_equal, p.greater, p.greater_equal))
        chance = self.rng.random()
        if chance < 0.35:
            return Prim(self.rng.choice((operation, p.equal, p.not_equal)), (self.term(INT, 1), self.term(INT, 1)))
        test: Term = Prim(operation, (self.term(self.real, min(depth, 1)), self.term(self.real, 0)))
        if chance < 0.5 and self.loops < 3:
            i = Var("i", INT)
            kind = self.rng.choice((Reduction.ALL, Reduction.ANY))
            return Reduce(kind, self.size(), i, self.under((i,), lambda: self.comparison(0), loop=True))
        if chance < 0.65:
            return If(test, self.comparison(0), Const(False))
        return Prim(p.logical_not, (test,)) if chance < 0.75 else test

    def conditional(self, type_: Type) -> Callable[[int], Term]:
        """Arrays in the second branch get the sizes of those in the first."""

        def make(depth: int) -> Term:
            condition, then = self.comparison(depth), self.term(type_, depth)
            return If(condition, then, self.like(self.term(type_, depth), then))

        return make

    def projection(self, depth: int) -> Term:
        pair = Tuple((self.real, self.real), self.rng.choice((None, ("left", "right"))))
        return Proj(self.term(pair, depth), self.rng.randrange(2))
