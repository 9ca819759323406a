"""Where the arrays of a program come from: what a region of a tape may read, and how its way back finds it again.

An argument of the function that is differentiated is there on the way back, as it was: what is read of it needs no copy, and
the ids of its numbers are known.  Definitions are recorded once for each set of arguments that are handed on to them.

What a scope makes itself, or gets of a call, may be saved by the regions of that scope: this costs no more than it did to make.
Nothing else may, since a region that reads little of a large array, often, would cost more than the program.
"""

from __future__ import annotations

from msgspec import Struct, field

from fsmooth.core.build import named_part, part_of, whole_of
from fsmooth.core.term import (
    Build,
    Call,
    Carrying,
    If,
    Let,
    MakeTuple,
    Plus,
    Reduce,
    Require,
    Term,
    Var,
    Vector,
)
from fsmooth.core.types import Array, Tuple

Part = tuple[Var, tuple[int, ...]]
"""An argument of the function that is differentiated, and the positions of a part of it."""


class Origins(Struct, eq=False):
    """What is known of the variables in scope: of which argument they are parts, the first of their ids if these follow each
    other, and how deep in loops they, or parts of them, were made.  What a definition is given was made by its caller, who lends
    it: it is lent once.
    """

    parts: dict[Var, Part]
    first: dict[Var, Term]
    made: dict[Part, int] = field(default_factory=dict)
    depth: int = 0
    lent: set[Term] = field(default_factory=set)

    def part(self, term: Term) -> Part | None:
        """The part of an argument that a path is."""
        found = named_part(term)
        if found is None or found[0] not in self.parts:
            return None
        var, positions = self.parts[found[0]]
        return var, (*positions, *found[1])

    def is_made_here(self, term: Term) -> bool:
        """Was it made in this step of the loops around it?"""
        found = named_part(term)
        if found is None:
            return False
        var, positions = found
        return any([self.made.get((var, positions[:k])) == self.depth for k in range(len(positions) + 1)])

    def is_own(self, term: Term) -> bool:
        """Was it made here, and by no caller?"""
        return is_made(term) or (self.is_made_here(term) and whole_of(term)[0] not in self.lent)

    def note(self, var: Var, value: Term) -> None:
        """Remember where the value of a variable comes from."""
        if not isinstance(var.type, Array | Tuple):
            return
        found = self.part(value)
        if found is not None:
            self.parts[var] = found
        elif is_made(value) or self.is_made_here(value):
            self.made[var, ()] = self.depth
            if whole_of(value)[0] in self.lent:
                self.lent.add(var)
        elif isinstance(value, Carrying):
            for positions in made_parts(value.body):
                self.made[var, positions] = self.depth

    def note_state(self, loop: Carrying) -> None:
        """A state, or a part of it, that each step makes anew is made in the step: at most the first one is not."""
        for positions in made_parts(loop.body):
            self.made[loop.state, positions] = self.depth + 1


def is_made(term: Term) -> bool:
    """Does it cost as much as its size?"""
    while isinstance(term, Let | Require):
        term = term.body
    return isinstance(whole_of(term)[0], Build | Call | Vector | Plus | Reduce)


def made_parts(term: Term) -> set[tuple[int, ...]]:
    """The positions of the arrays that are made in a tuple."""
    defined: dict[Term, Term] = {}

    def parts(term: Term, at: tuple[int, ...]) -> set[tuple[int, ...]]:
        match term:
            case Let(bindings, body):
                defined.update(bindings)
                return parts(body, at)
            case Require(_, body):
                return parts(body, at)
            case MakeTuple(items):
                return {found for k, item in enumerate(items) for found in parts(item, (*at, k))}
            case If(_, then, otherwise):
                return parts(then, at) & parts(otherwise, at)
            case Var() if term in defined:
                return parts(defined[term], at)
            case _:
                return {at} if isinstance(term.type, Array) and is_made(term) else set()

    return parts(term, ())


def whole(part: Part) -> Term:
    """The part, where the arguments are in scope."""
    return part_of(*part)


class Given(Struct, frozen=True):
    """How a definition gets an argument: does it vary, is it a part of an argument of the function, may it be saved?"""

    varies: bool
    part: Part | None = None
    is_made: bool = False
