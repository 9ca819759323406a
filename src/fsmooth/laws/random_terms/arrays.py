"""Random arrays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.term import (
    Build,
    Check,
    Collect,
    Const,
    Delta,
    If,
    Length,
    Let,
    Plus,
    Prim,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.types import INT, Type
from fsmooth.laws.random_terms.fitting import fitted
from fsmooth.laws.random_terms.scope import Scope


class Arrays(Scope):
    """Terms whose value is an array."""

    @abstractmethod
    def comparison(self, depth: int) -> Term:
        """A condition."""

    def like(self, value: Term, model: Term) -> Term:
        """`value` with its arrays repeated or cut to the sizes of those of `model`."""
        return fitted(value, model)

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
            self.under(
                (i,), lambda: Build(columns, j, self.under((j,), lambda: self.term(self.real, depth - 1), loop=True))
            ),
        )

    def display(self, element: Type) -> Callable[[int], Term]:
        """Arrays among the elements get the sizes of the first."""

        def make(depth: int) -> Term:
            first, *rest = [self.term(element, depth) for _ in range(self.rng.randint(1, 3))]
            return Vector((first, *[self.like(item, first) for item in rest]))

        return make

    def zero(self, depth: int) -> Term:
        return Zero((self.size(),), self.real)

    def delta(self, depth: int) -> Term:
        n = self.rng.randint(1, 3)
        return Delta(Const(n), Const(self.rng.randrange(n)), self.term(self.real, depth))

    def update(self, depth: int) -> Term:
        a = Var("a", self.kinds.vector)
        array = self.term(a.type, depth - 1)
        at = Check(Prim(p.modulo, (Const(self.rng.randint(0, 5)), Length(a))), Length(a))
        new = self.term(self.real, depth - 1)
        return Let(((a, array),), If(Prim(p.less, (Const(0), Length(a))), Update(a, at, new), a))

    def collect(self, depth: int) -> Term:
        i = Var("i", INT)
        size = self.size()
        guard = self.under((i,), lambda: self.comparison(0))
        count = Reduce(Reduction.SUM, size, i, If(guard, Const(1), Const(0)))
        body = self.under((i,), lambda: self.term(self.real, depth - 1), loop=True)
        return Collect(count, ((size, i),), guard, body)

    def plus(self, type_: Type) -> Callable[[int], Term]:
        """Two or three arrays, the others with the sizes of the first."""

        def make(depth: int) -> Term:
            first, *rest = [self.term(type_, depth) for _ in range(self.rng.randint(2, 3))]
            return Plus((first, *[self.like(item, first) for item in rest]))

        return make

    def sum_of_arrays(self, depth: int) -> Term:
        i, j = Var("i", INT), Var("j", INT)
        size = Const(self.rng.randint(1, 3))
        inner = Const(self.rng.randint(1, 3))
        body = self.under((i, j), lambda: self.term(self.real, depth - 1), loop=True)
        return Reduce(Reduction.SUM, size, i, Build(inner, j, body))
