"""Sizes that must agree, for both front-ends: of the branches of an `if`, of rows, of what a loop carries.

Types carry no sizes (docs/decisions/0001), so the elaborators compare sizes: those that provably differ are a mistake
in the program, those that are not provably equal are required where the value is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import either, equals
from fsmooth.core.shape import size_of
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Const, Failure, Get, Length, MakeTuple, Prim, Proj, Require, Site, Term, Var
from fsmooth.core.traverse import transform
from fsmooth.core.types import Array, Tuple, leaf_of, rank_of
from fsmooth.rewrite.linear import polynomial


class Sizes(ABC):
    """How a front-end measures arrays and says what is wrong, at one place of a program."""

    @property
    @abstractmethod
    def site(self) -> Site:
        """Where it is."""

    @abstractmethod
    def length(self, array: Term, axis: int) -> Term:
        """The length of an array; raises the front-end's error if it depends on an index inside."""

    @abstractmethod
    def differ(self, left: int, right: int, what: str) -> Exception:
        """The error that two sizes are never equal."""

    def known(self, size: Term) -> Term:
        """A size with what is known of its variables put in, to be compared and not to be evaluated."""
        return size

    def equal(self, left: Term, right: Term, what: str) -> bool:
        """Are two sizes provably equal?  It is an error if they provably differ."""
        if _difference_is_zero(left, right):
            return True
        left, right = self.known(left), self.known(right)
        a, b = _constant(left), _constant(right)
        if a is None or b is None:
            return _difference_is_zero(left, right)
        if a != b:
            raise self.differ(a, b, what)
        return True


def _difference_is_zero(left: Term, right: Term) -> bool:
    return polynomial(left).plus(polynomial(right), -1).is_zero()


Same = tuple[Term, tuple[Term, Term]]
"""The condition that two sizes are equal, and the numbers that an error names."""


def agree(a: Term, b: Term) -> Same:
    """That two arrays have equally many elements: a size below 0 is 0."""
    seen = at_least_zero(a), at_least_zero(b)
    return equals(*seen), seen


def _constant(size: Term) -> int | None:
    """The number that a size is; 0 if it is negative."""
    coefficients = polynomial(size).coefficients
    return max(coefficients.get((), 0), 0) if coefficients.keys() <= {()} else None


class Part(Struct, frozen=True):
    """An array in a value, and the arrays that hold it: it exists only if none of them is empty."""

    array: Term
    holders: tuple[Term, ...] = ()


def parts(value: Term, holders: tuple[Term, ...] = ()) -> Iterator[Part]:
    """The arrays in a value, outer before inner; those inside the elements of an array as parts of its first.

    >>> from fsmooth.core.types import F64
    >>> [part.array for part in parts(Var("q", Tuple((F64, Array(Tuple((F64, Array(F64))))))))]
    [q.1, q.1[0].1]
    """
    match value.type:
        case Array():
            yield Part(value, holders)
            if isinstance(leaf_of(value.type), Tuple):
                first = value
                for _ in range(rank_of(value.type)):
                    first = Get(first, Const(0))
                yield from parts(first, (*holders, value))
        case Tuple(items):
            for k in range(len(items)):
                yield from parts(component(value, k), holders)


def component(value: Term, k: int) -> Term:
    """Component k of a tuple."""
    return value.items[k] if isinstance(value, MakeTuple) else Proj(value, k)


def alike(sizes: Sizes, value: Term, model: Term, what: str) -> Term:
    """`value`, which exists only if its arrays have the sizes of those of `model`, evaluated nowhere else."""
    wanted = []
    for part, other in zip(parts(value), parts(model), strict=True):
        for axis in range(min(rank_of(part.array.type), rank_of(other.array.type))):
            have, want = sizes.length(part.array, axis), sizes.length(other.array, axis)
            if not sizes.equal(want, have, what):
                condition, numbers = agree(want, have)
                wanted.append((_unless_empty(part, sizes, condition), numbers))
    for condition, numbers in reversed(wanted):
        value = required(sizes, condition, numbers, value)
    return value


def rectangular(sizes: Sizes, array: Term) -> None:
    """Measure every axis of every array in `array`; the front-end's error if one depends on an index inside."""
    for part in parts(array):
        for axis in range(rank_of(part.array.type)):
            sizes.length(part.array, axis)


def required(sizes: Sizes, condition: Term, numbers: tuple[Term, Term], value: Term) -> Term:
    """`value` under a condition on sizes, unless that is what it begins with."""
    inner = value
    while isinstance(inner, Require):
        if alpha_equal(inner.condition, condition):
            return value
        inner = inner.body
    return Require(condition, value, Failure.SIZE, numbers, sizes.site)


def _unless_empty(part: Part, sizes: Sizes, condition: Term) -> Term:
    for holder in reversed(part.holders):
        for axis in reversed(range(rank_of(holder.type))):
            condition = either(equals(sizes.length(holder, axis), Const(0)), condition)
    return condition


# -- loops -----------------------------------------------------------------------------------------------------------


class Steps(Struct, frozen=True):
    """A loop: the values it starts with, and one step from `state`."""

    inits: list[Term]
    state: Var
    step: Term

    def carried(self, whole: Term) -> list[Term]:
        """The carried values in a state."""
        return [whole] if len(self.inits) == 1 else [component(whole, k) for k in range(len(self.inits))]


class Fold(Steps, frozen=True):
    """A loop whose number of steps is known when it starts, and whose steps have an index."""

    count: Term
    index: Var


def steady(sizes: Sizes, fold: Steps) -> tuple[list[Term], Term]:
    """The initial values and the step, which exist only if no array changes its size.

    The size of a fold is that of its initial state (docs/decisions/0001).  A size that is the same at each step is
    required before the loop, if there is any step; others in each step.
    """
    inits, step = list(fold.inits), fold.step
    for k, (place, result) in enumerate(zip(fold.carried(fold.state), fold.carried(fold.step), strict=True)):
        for before, after, first in zip(parts(place), parts(result), parts(fold.inits[k]), strict=True):
            for axis in range(rank_of(before.array.type)):
                start, new = sizes.length(first.array, axis), sizes.length(after.array, axis)
                later = at_start(new, fold)
                if sizes.equal(start, later, "an array changes its size in the loop"):
                    continue
                if isinstance(fold, Fold) and later.free.isdisjoint((fold.state, fold.index)):
                    same, numbers = agree(start, later)
                    some = either(Prim(p.less_equal, (fold.count, Const(0))), same)
                    inits[k] = required(sizes, _unless_empty(first, sizes, some), numbers, inits[k])
                else:
                    here = size_of(before.array, axis)
                    same, numbers = agree(here, new)
                    step = required(sizes, _unless_empty(before, sizes, same), numbers, step)
    return inits, step


def at_start(size: Term, fold: Steps) -> Term:
    """A size in which the lengths of the state are those of the initial values."""

    def change(term: Term) -> Term:
        if not isinstance(term, Length):
            return term
        initial = _initially(term.array, fold)
        return term if initial is None else size_of(initial, term.axis)

    return transform(size, change)


def _initially(array: Term, fold: Steps) -> Term | None:
    """A part of the state as the same part of the initial values; None for anything else."""
    match array:
        case Var() if array is fold.state and len(fold.inits) == 1:
            return fold.inits[0]
        case Proj(inner, k) if inner is fold.state and len(fold.inits) > 1:
            return fold.inits[k]
        case Proj(inner, k):
            whole = _initially(inner, fold)
            return None if whole is None else component(whole, k)
        case Get(inner, index):
            whole = _initially(inner, fold)
            return None if whole is None else Get(whole, index)
        case _:
            return None
