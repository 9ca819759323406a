"""Where the arrays of a program come from: what a region of a tape may read, and how its way back finds it again.

An argument of the function that is differentiated is there on the way back, as it was: what is read of it needs no copy, and
the ids of its numbers are known.  Definitions are recorded once for each set of arguments that are handed on to them.

What a scope makes itself, or gets of a call, may be saved by the regions of that scope: this costs no more than it did to make.
Nothing else may, since a region that reads little of a large array, often, would cost more than the program.
"""

from __future__ import annotations

from msgspec import Struct, field

from fsmooth.core.build import part_of
from fsmooth.core.term import Build, Call, Let, Plus, Proj, Reduce, Require, Term, Var, Vector
from fsmooth.core.types import Array, Tuple

Part = tuple[Var, tuple[int, ...]]
"""An argument of the function that is differentiated, and the positions of a part of it."""


class Origins(Struct, eq=False):
    """What is known of the variables in scope: of which argument they are parts, the first of their ids if these follow each other,
    and how deep in loops they were made.
    """

    parts: dict[Var, Part]
    first: dict[Var, Term]
    made: dict[Var, int] = field(default_factory=dict)
    depth: int = 0

    def part(self, term: Term) -> Part | None:
        """The part of an argument that a path is."""
        positions: list[int] = []
        while isinstance(term, Proj):
            positions.append(term.position)
            term = term.tuple
        found = self.parts.get(term) if isinstance(term, Var) else None
        return None if found is None else (found[0], (*found[1], *reversed(positions)))

    def is_made_here(self, term: Term) -> bool:
        """Was it made in this step of the loops around it?"""
        while isinstance(term, Proj):
            term = term.tuple
        return isinstance(term, Var) and self.made.get(term) == self.depth

    def note(self, var: Var, value: Term) -> None:
        """Remember where the value of a variable comes from."""
        if not isinstance(var.type, Array | Tuple):
            return
        found = self.part(value)
        if found is not None:
            self.parts[var] = found
        elif _is_made(value) or self.is_made_here(value):
            self.made[var] = self.depth


def _is_made(term: Term) -> bool:
    while isinstance(term, Let | Require):
        term = term.body
    while isinstance(term, Proj):
        term = term.tuple
    return isinstance(term, Build | Call | Vector | Plus | Reduce)


def whole(part: Part) -> Term:
    """The part, where the arguments are in scope."""
    return part_of(*part)


class Given(Struct, frozen=True):
    """How a definition gets an argument: does it vary, is it a part of an argument of the function, may it be saved?"""

    varies: bool
    part: Part | None = None
    is_made: bool = False
