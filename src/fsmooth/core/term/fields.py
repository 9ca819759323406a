"""The kinds of fields that a constructor of terms has: parts, binders, data (core/term/declared.py).

A binder binds its variable in all fields after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from fsmooth.core.term.base import Term
    from fsmooth.core.term.calculus import Var


class Runs(Enum):
    """How often a part is evaluated when the term is."""

    ONCE = "whenever the term is"
    MANY = "in each step of a loop"
    PERHAPS = "if a condition holds"
    LATER = "when the function is called"


class Failing(Enum):
    """Can evaluating the construct fail, its parts apart?"""

    NEVER = "it has a value"
    ALWAYS = "whatever is known of its parts: it may end the program, or not end"
    CALLS = "if what it calls can"
    BOUNDS = "if its index is not below its size"
    EMPTY = "if it is an extremum of no elements"


class Step(NamedTuple):
    """One thing in the fields of a term: a child, or a variable `var`, which is bound in what follows it.

    `given` is what is known of the variable: its definition, the size of the range of an index, the first value of a state.
    """

    field: Field
    term: Term
    var: Var | None = None
    given: Term | None = None
    runs: Runs = Runs.ONCE


class Field(Struct, frozen=True):
    """A field, by its name."""

    name: str

    def steps(self, term: Term) -> list[Step]:
        """The children and variables in this field of a term, in the order of scope."""
        return []

    def filled(self, old: Any, rest: Iterator[Term]) -> object:
        """The field with the next of other children and variables in place of its own, which are as many."""
        return old


class Single(Field, frozen=True):
    """A field that is one child, or one variable."""

    def step(self, term: Term) -> Step:
        """That child or variable of a term."""
        return Step(self, getattr(term, self.name))

    def steps(self, term: Term) -> list[Step]:
        return [self.step(term)]

    def filled(self, old: Any, rest: Iterator[Term]) -> object:
        return next(rest)


class Data(Field, frozen=True):
    """What is no part, but tells one term from another; `exactly` is how, where equality would not do.

    A term among the data mentions nothing around it, and no pass looks into it.
    """

    exactly: Callable[[Any], object] | None = None


class Label(Field, frozen=True):
    """What says nothing of the value: a place in the source."""


# -- parts ---------------------------------------------------------------------------------------------------------


class Part(Single, frozen=True):
    """A term; `where` and `unless` name the condition that holds, or does not, where it is evaluated."""

    runs: Runs = Runs.ONCE
    where: str = ""
    unless: str = ""

    def step(self, term: Term) -> Step:
        return Step(self, getattr(term, self.name), None, None, self.runs)


class Perhaps(Field, frozen=True):
    """A term, or None."""

    def steps(self, term: Term) -> list[Step]:
        part = getattr(term, self.name)
        return [] if part is None else [Step(self, part)]

    def filled(self, old: Any, rest: Iterator[Term]) -> object:
        return None if old is None else next(rest)


class Parts(Field, frozen=True):
    """A tuple of terms."""

    def steps(self, term: Term) -> list[Step]:
        return [Step(self, part) for part in getattr(term, self.name)]

    def filled(self, old: Any, rest: Iterator[Term]) -> object:
        return tuple([next(rest) for _ in old])


# -- binders -------------------------------------------------------------------------------------------------------


class Binder(Field, frozen=True):
    """A field with variables, bound in the fields after it."""


class Index(Single, Binder, frozen=True):
    """The variable that counts the steps of a loop: from 0 to less than the field `below`."""

    below: str

    def step(self, term: Term) -> Step:
        var = getattr(term, self.name)
        return Step(self, var, var, getattr(term, self.below))


class State(Single, Binder, frozen=True):
    """The variable that a loop carries from step to step, at first the field `initial`."""

    initial: str

    def step(self, term: Term) -> Step:
        var = getattr(term, self.name)
        return Step(self, var, var, getattr(term, self.initial))


class Parameters(Binder, frozen=True):
    """A tuple of variables that can be anything."""

    def steps(self, term: Term) -> list[Step]:
        return [Step(self, var, var) for var in getattr(term, self.name)]

    def filled(self, old: Any, rest: Iterator[Term]) -> object:
        return tuple([next(rest) for _ in old])


class Definitions(Binder, frozen=True):
    """A tuple of pairs of a variable and the term that it stands for from there on."""

    def steps(self, term: Term) -> list[Step]:
        found: list[Step] = []
        for var, value in getattr(term, self.name):
            found.append(Step(self, value))
            found.append(Step(self, var, var, value))
        return found

    def filled(self, old: Any, rest: Iterator[Term]) -> object:
        pairs = [(next(rest), next(rest)) for _ in old]
        return tuple([(var, value) for value, var in pairs])


class Generators(Binder, frozen=True):
    """A tuple of pairs of a size and the index of a loop over it, which is bound from there on: loops in one another."""

    def steps(self, term: Term) -> list[Step]:
        found: list[Step] = []
        for size, index in getattr(term, self.name):
            found.append(Step(self, size, runs=Runs.MANY if found else Runs.ONCE))
            found.append(Step(self, index, index, size))
        return found

    def filled(self, old: Any, rest: Iterator[Term]) -> object:
        return tuple([(next(rest), next(rest)) for _ in old])
