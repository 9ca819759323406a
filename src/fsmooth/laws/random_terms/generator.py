"""Random well-typed terms of any type."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.term import Const, Length, Let, MakeTuple, Term, Var, Zero
from fsmooth.core.types import F32, INT, Array, Bool, Float, Int, Tuple, Type
from fsmooth.laws.random_terms.arrays import Arrays
from fsmooth.laws.random_terms.loops import Loops
from fsmooth.laws.random_terms.scalars import Scalars

Maker = Callable[[int], Term]


class Generator(Scalars, Loops, Arrays):
    """Terms of a wanted type from the variables in scope, at most `depth` constructs deep and three loops."""

    def term(self, type_: Type, depth: int) -> Term:
        """A term of the type."""
        return self.rng.choice(self.choices(type_, depth))(depth - 1)

    def choices(self, type_: Type, depth: int) -> list[Maker]:
        """What such a term may be."""
        match type_:
            case Float():
                return self.real_choices(depth)
            case Int():
                return self.integer_choices(depth)
            case Bool():
                return [self.comparison]
            case Array(element):
                return self.array_choices(type_, element, depth)
            case Tuple(items):
                made: list[Maker] = [lambda d: MakeTuple(tuple([self.term(t, d) for t in items]), type_)]
                return [*self.leaves(type_), *made * 2, *([self.conditional(type_)] if depth > 1 else [])]
        raise AssertionError(type_)

    def leaves(self, type_: Type) -> list[Maker]:
        """What is in scope."""
        return [lambda d, t=t: t for t in self.paths(type_)]  # type: ignore[misc]

    def real_choices(self, depth: int) -> list[Maker]:
        leaf: list[Maker] = [*[self.number] * 9, *[self.element] * 6, lambda d: Zero((), self.real)]
        if depth <= 0:
            return leaf
        more: list[Maker] = [
            *[self.unary] * 2,
            *[self.binary] * 4,
            self.conditional(self.real),
            *[self.let(self.real)] * 2,
            self.projection,
            self.applied,
            self.converted,
        ]
        if self.real == F32:
            more.append(self.widened)
        if self.loops < 3:
            more += [*[self.sum] * 3, *[self.fold] * 2, self.extremum, self.product, self.array_fold]
        return more if depth > 2 else [*more * 2, *leaf]

    def integer_choices(self, depth: int) -> list[Maker]:
        arrays = [v for v in self.scope if isinstance(v.type, Array)]
        leaf: list[Maker] = [*self.leaves(INT), lambda d: Const(self.rng.randint(0, 3))]
        leaf += [lambda d, v=v: Length(v) for v in arrays]  # type: ignore[misc]
        if depth <= 0:
            return leaf
        found = [self.found] if self.loops < 3 else []
        return [*leaf, self.integer, self.conditional(INT), *found]

    def array_choices(self, type_: Type, element: Type, depth: int) -> list[Maker]:
        leaf = self.leaves(type_)
        if isinstance(element, Array) and depth > 0:
            return [*leaf, self.matrix, *([self.conditional(type_), self.plus(type_)] if depth > 1 else [])]
        if depth <= 0 and leaf:
            return leaf
        more: list[Maker] = [self.build(element), self.build(element), self.display(element)]
        if depth > 1:
            more.append(self.conditional(type_))
        if element == self.real and self.loops < 3:
            more += [self.zero, self.delta, self.update, self.collect, self.sum_of_arrays, self.plus(type_)]
        return [*leaf, *more]

    def let(self, type_: Type) -> Maker:
        """A scope of one to three bindings."""

        def make(depth: int) -> Term:
            bindings: list[tuple[Var, Term]] = []
            real, vector = self.real, self.kinds.vector
            for k in range(self.rng.randint(1, 3)):
                kind = self.rng.choice((real, real, real, vector, INT, Tuple((real, vector)), self.kinds.point))
                var = Var(f"x{k}", kind)
                bindings.append((var, self.term(kind, depth - 1)))
                self.scope.append(var)
            body = self.term(type_, depth)
            del self.scope[-len(bindings) :]
            return Let(tuple(bindings), body)

        return make
