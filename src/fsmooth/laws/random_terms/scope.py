"""What a random term may mention: variables, their parts, indices and sizes that are in range."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.term import Check, Const, Get, If, Length, Prim, Proj, Term, Var
from fsmooth.core.types import F32, F64, INT, Array, Float, Int, Tuple, Type


class Kinds(Struct, frozen=True):
    """The types of a program whose numbers are of the type `real`."""

    real: Float

    @property
    def vector(self) -> Array:
        return Array(self.real)

    @property
    def matrix(self) -> Array:
        return Array(self.vector)

    @property
    def record(self) -> Tuple:
        return Tuple((self.real, self.real, self.vector), ("scale", "shift", "weights"))

    @property
    def point(self) -> Tuple:
        return Tuple((self.real, self.real), ("px", "py"))

    @property
    def pair(self) -> Tuple:
        return Tuple((self.real, INT))


DOUBLE, SINGLE = Kinds(F64), Kinds(F32)
V = DOUBLE.vector


class Scope(ABC):
    """The variables in scope, and the source of chance."""

    def __init__(self, rng: random.Random, scope: list[Var], kinds: Kinds = DOUBLE) -> None:
        self.rng = rng
        self.kinds = kinds
        self.real = kinds.real
        self.scope = scope
        self.outer = len(scope)
        self.loops = 0

    @abstractmethod
    def term(self, type_: Type, depth: int) -> Term:
        """A term of the type."""

    @abstractmethod
    def like(self, value: Term, model: Term) -> Term:
        """`value` with the sizes of `model`."""

    def constant(self, value: float) -> Const:
        """A real number."""
        return Const(value, self.real)

    def under(self, variables: tuple[Var, ...], make: Callable[[], Term], loop: bool = False) -> Term:
        """`make` where `variables` are in scope."""
        self.scope.extend(variables)
        self.loops += loop
        result = make()
        self.loops -= loop
        del self.scope[-len(variables) :]
        return result

    def paths(self, type_: Type) -> list[Term]:
        """Variables of the type, and parts of records; local ones last."""
        found: list[Term] = []
        for variable in self.scope:
            pending: list[Term] = [variable]
            while pending:
                t = pending.pop()
                if t.type == type_:
                    found.append(t)
                if isinstance(t.type, Tuple):
                    pending.extend([Proj(t, k) for k in range(len(t.type.items))])
        return found

    def element(self, depth: int) -> Term:
        """An element of an array in scope, at a checked index; a number where there is none."""
        places: list[Term] = [
            *self.paths(self.kinds.vector),
            *self.paths(self.kinds.matrix),
            *self.paths(Array(self.kinds.point)),
        ]
        if not places:
            return self.constant(1.5)
        place = self.rng.choice(places)
        row = Get(place, self.index(Length(place)))
        match row.type:
            case Array():
                inner = self.guarded(Length(place, 1), Get(row, self.index(Length(place, 1))))
                return self.guarded(Length(place), inner)
            case Tuple():
                return self.guarded(Length(place), Proj(row, self.rng.randrange(2)))
            case _:
                return self.guarded(Length(place), row)

    def guarded(self, size: Term, value: Term) -> Term:
        """`value` unless the size is 0."""
        return If(Prim(p.less, (Const(0), size)), value, self.constant(0.25))

    def index(self, size: Term) -> Term:
        """An integer in scope, most often the innermost, brought into range."""
        inside = [v for v in self.scope if isinstance(v.type, Int)]
        chance = self.rng.random()
        if inside and chance < 0.5:
            i: Term = inside[-1]
        elif inside and chance < 0.85:
            i = self.rng.choice(inside)
        else:
            i = Const(self.rng.randint(0, 3))
        return Check(Prim(p.modulo, (i, size)), size)

    def size(self) -> Term:
        """The length of an array in scope, or a small constant."""
        arrays = [v for v in self.scope if isinstance(v.type, Array)]
        if arrays and self.rng.random() < 0.7:
            return Length(self.rng.choice(arrays))
        return Const(self.rng.choice((2, 3, 1, 2, 3, 1, 0)))
