"""What a term gives in an environment: a value, an error, or nothing because a contract of the language is broken."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

from msgspec import Struct

from fsmooth.core.evaluate import ArrayValue, Environment, OutOfBounds, RequirementFailed, Value, evaluate
from fsmooth.core.shape import Ragged
from fsmooth.core.term import Check, Delta, Get, Length, Site, Term, Update, Var
from fsmooth.core.traverse import transform
from fsmooth.core.types import Array, Bool, Float, Function, Int, Linear, Tuple, Type
from fsmooth.laws.maps import map_value, seen

CONTRACT, PLANTED = Site("contract"), Site("planted")


class Error(Struct, frozen=True):
    """The term raises."""

    name: str


class Undefined:
    """An index out of bounds without a check, an empty maximum, a ragged array: the term has no meaning."""


Outcome = Error | Undefined | Value


def contracted(term: Term) -> Term:
    """The term with the contract of every access written as a check."""

    def change(t: Term) -> Term:
        match t:
            case Get(array, index):
                return Get(array, Check(index, Length(array), CONTRACT))
            case Update(array, index, value):
                return Update(array, Check(index, Length(array), CONTRACT), value)
            case Delta(size, index, value):
                return Delta(size, Check(index, size, CONTRACT), value)
            case _:
                return t

    return transform(term, change)


def outcome(term: Term, environment: Environment) -> Outcome:
    """What evaluation gives."""
    try:
        return seen(evaluate(contracted(term), environment), term.type)
    except OutOfBounds as error:
        return Undefined() if error.site is CONTRACT else Error("OutOfBounds")
    except RequirementFailed:
        return Error("RequirementFailed")
    except Ragged:
        return Undefined()
    except ValueError as error:
        if "ragged" in str(error) or "of nothing" in str(error):
            return Undefined()
        raise


def same(a: Value, b: Value, tolerance: float) -> bool:
    """Equal values: bit for bit, or with a tolerance (then -0.0 is 0.0)."""
    match a, b:
        case ArrayValue(), ArrayValue():
            return a.shape == b.shape and same(a.items, b.items, tolerance)
        case tuple(), tuple():
            return len(a) == len(b) and all([same(x, y, tolerance) for x, y in zip(a, b, strict=True)])
        case float(), float():
            if math.isnan(a) or math.isnan(b):
                return math.isnan(a) and math.isnan(b)
            if tolerance:
                return a == b or abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))
            return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)
        case _:
            return type(a) is type(b) and a == b


def finite(value: Value) -> bool:
    """No NaN and no infinity in the value."""
    match value:
        case ArrayValue(_, items) | tuple(items):
            return all([finite(x) for x in items])
        case float():
            return math.isfinite(value)
        case _:
            return True


# -- environments ----------------------------------------------------------------------------------------------------

SPECIAL = (0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 1e308, 5e-324)


class Environments(Struct):
    """Random values.  `finite`: no NaN and no infinity; `failing`: functions may raise; `huge`: numbers at the ends of the
    range of floating point, unless all are `finite`.
    """

    rng: random.Random
    finite: bool
    failing: bool
    huge: bool = True

    def of(self, variables: Iterable[Var]) -> dict[Var, Value]:
        """A value for each variable."""
        return {v: self.variable(v.type) for v in sorted(variables, key=lambda v: v.id)}

    def variable(self, type_: Type) -> Value:
        """A value, or for a function type a function that gives random values: always the same for the same arguments."""
        if not isinstance(type_, Function):
            return self.value(type_, self.rng, self.sizes())
        seed, sizes = self.rng.random(), self.sizes()

        def function(*arguments: Value) -> Value:
            rng = random.Random(f"{seed} {arguments!r}")
            if self.failing and rng.random() < 0.15:
                raise OutOfBounds(PLANTED, 0, 0)
            return self.value(type_.result, rng, sizes)

        return function

    def sizes(self) -> tuple[int, ...]:
        """A shape, of more dimensions than needed."""
        return tuple([self.rng.choice((0, 1, 2, 2, 3, 4)) for _ in range(3)])

    def value(self, type_: Type, rng: random.Random, sizes: tuple[int, ...]) -> Value:
        """A random value of a shape."""
        match type_:
            case Float():
                if not self.finite and rng.random() < 0.3:
                    return rng.choice(SPECIAL if self.huge else SPECIAL[:-2])
                return rng.choice((0.5, -1.5, 2.0)) if rng.random() < 0.4 else rng.uniform(-2, 2)
            case Int():
                return rng.choice((-1, 0, 0, 1, 1, 2, 2, 3, 4))
            case Bool():
                return rng.random() < 0.5
            case Array(element):
                items = tuple([self.value(element, rng, sizes[1:]) for _ in range(sizes[0])])
                return ArrayValue(sizes[: type_.rank], items)
            case Tuple(items):
                return tuple([self.value(t, rng, sizes) for t in items])
            case Linear():
                return map_value(type_, rng)
        raise AssertionError(type_)
