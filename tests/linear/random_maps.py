"""Random linear maps between spaces of any shape, and vectors of them.

A space is a type with its sizes.  Maps are made of every operator, with numbers that are variables or constants.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from fsmooth.core import primitives as p
from fsmooth.core.evaluate import ArrayValue, Value
from fsmooth.core.term import Build, Const, If, Lam, Let, MakeTuple, Prim, Term, Var, Vector, Zero
from fsmooth.core.term.linear_maps import (
    AddMaps,
    Compose,
    FoldMap,
    HCat,
    HCatArray,
    ScaleMap,
    Transpose,
    UnitMap,
    VCat,
    VCatArray,
    ZeroMap,
)
from fsmooth.core.types import F64, INT, Array, Tuple, Type


@dataclass(frozen=True)
class Space:
    """The reals, a product of `parts`, or `size` copies of `parts[0]`."""

    parts: tuple[Space, ...] | None = None
    size: int | None = None

    @property
    def type(self) -> Type:
        """The type of its vectors."""
        if self.parts is None:
            return F64
        if self.size is None:
            return Tuple(tuple([part.type for part in self.parts]))
        return Array(self.parts[0].type)

    def vector(self, rng: random.Random) -> Value:
        """A random vector."""
        if self.parts is None:
            return rng.uniform(-2.0, 2.0)
        if self.size is None:
            return tuple([part.vector(rng) for part in self.parts])
        items = tuple([self.parts[0].vector(rng) for _ in range(self.size)])
        return ArrayValue(self.shape, items)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of an array, outermost first."""
        return () if self.size is None or self.parts is None else (self.size, *self.parts[0].shape)

    def zero(self) -> Term:
        """The zero vector."""
        if self.parts is None:
            return Zero(())
        if self.size is None:
            return MakeTuple(tuple([part.zero() for part in self.parts]))
        return Build(Const(self.size), Var("i", INT), self.parts[0].zero())


REAL = Space()


def product(*parts: Space) -> Space:
    """Tuples."""
    return Space(parts)


def power(size: int, part: Space) -> Space:
    """Arrays."""
    return Space((part,), size)


def random_space(rng: random.Random, depth: int = 2, empty: bool = True) -> Space:
    """A space of few dimensions."""
    kind = rng.random() if depth else 0.0
    if kind < 0.4:
        return REAL
    if kind < 0.7:
        return product(*[random_space(rng, depth - 1, empty) for _ in range(rng.randint(1, 3))])
    return power(rng.choice((0, 1, 2, 3) if empty else (1, 2, 3)), random_space(rng, depth - 1, empty))


class RandomMaps:
    """Maps with the numbers `scope` in them; their values are `env`."""

    def __init__(self, rng: random.Random, empty: bool = True) -> None:
        self.rng = rng
        self.empty = empty
        self.scope: list[Term] = [Var("x", F64), Var("y", F64)]
        self.env: dict[Var, Value] = {v: rng.uniform(-2.0, 2.0) for v in self.scope if isinstance(v, Var)}

    def number(self) -> Term:
        """A number."""
        a, b = self.rng.choice(self.scope), self.rng.choice([*self.scope, Const(0.5), Const(-2.0)])
        return self.rng.choice((a, Prim(p.multiply, (a, b)), Prim(p.add, (a, b))))

    def between(self, source: Space, target: Space, depth: int) -> Term:
        """A map from one space to another."""
        choices = [self.zero] if self.rng.random() < 0.2 else []
        if source == target:
            choices += [self.unit, self.scale, self.scale]
        if target.parts is not None:
            choices += [self.into] * 2
        if source.parts is not None:
            choices += [self.out_of] * 2
        if depth > 0:
            choices += [self.compose, self.add, self.transpose, self.branch, self.scope_of]
            fits = source.parts is not None and source.size is None and len(source.parts) == 2
            if fits and source.parts[1] == target:
                choices += [self.fold] * 4
        return self.rng.choice(choices or [self.zero])(source, target, depth - 1)

    def zero(self, source: Space, target: Space, depth: int) -> Term:
        return ZeroMap(source.zero(), target.zero())

    def unit(self, source: Space, target: Space, depth: int) -> Term:
        return UnitMap(source.zero())

    def scale(self, source: Space, target: Space, depth: int) -> Term:
        return ScaleMap(self.number(), None if source == REAL else source.zero())

    def into(self, source: Space, target: Space, depth: int) -> Term:
        assert target.parts is not None
        if target.size is None:
            return VCat(tuple([self.between(source, part, depth) for part in target.parts]))
        return VCatArray(self.array(target.size, lambda: self.between(source, target.parts[0], depth)))

    def out_of(self, source: Space, target: Space, depth: int) -> Term:
        assert source.parts is not None
        if source.size is None:
            return HCat(tuple([self.between(part, target, depth) for part in source.parts]))
        return HCatArray(self.array(source.size, lambda: self.between(source.parts[0], target, depth)))

    def array(self, size: int, make) -> Term:
        """An array of maps, with a loop or written out."""
        if size and self.rng.random() < 0.4:
            return Vector(tuple([make() for _ in range(size)]))
        i = Var("i", INT)
        return Build(Const(size), i, self.under(Prim(p.to_float, (i,)), make))

    def under(self, number: Term, make) -> Term:
        self.scope.append(number)
        made = make()
        self.scope.pop()
        return made

    def compose(self, source: Space, target: Space, depth: int) -> Term:
        middle = random_space(self.rng, 1, self.empty)
        return Compose(self.between(middle, target, depth), self.between(source, middle, depth))

    def add(self, source: Space, target: Space, depth: int) -> Term:
        return AddMaps(self.between(source, target, depth), self.between(source, target, depth))

    def transpose(self, source: Space, target: Space, depth: int) -> Term:
        return Transpose(self.between(target, source, depth))

    def branch(self, source: Space, target: Space, depth: int) -> Term:
        condition = Prim(p.less, (self.number(), self.number()))
        return If(condition, self.between(source, target, depth), self.between(source, target, depth))

    def scope_of(self, source: Space, target: Space, depth: int) -> Term:
        t = Var("t", F64)
        return Let(((t, self.number()),), self.under(t, lambda: self.between(source, target, depth)))

    def fold(self, source: Space, target: Space, depth: int) -> Term:
        """A fold; the slopes of its steps mention the state if that is a number."""
        s, i = Var("s", target.type), Var("i", INT)
        position = Prim(p.to_float, (i,))
        number = Prim(p.add, (s, position)) if target == REAL else position
        step = Prim(p.sin, (Prim(p.add, (s, self.number())),)) if target == REAL else s
        slope = self.under(number, lambda: self.between(source, target, depth - 1))
        init = self.number() if target == REAL else target.zero()
        return FoldMap(Lam((s, i), step), Lam((s, i), slope), init, Const(self.rng.randint(0, 3)))
