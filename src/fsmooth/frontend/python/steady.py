"""Arrays that a loop carries keep their sizes (docs/decisions/0001: the size of a fold is that of its initial state)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from fsmooth.core import primitives as p
from fsmooth.core.build import either, equals
from fsmooth.core.shape import size_of
from fsmooth.core.term import Const, Failure, Length, Prim, Proj, Require, Term, Var
from fsmooth.core.traverse import transform
from fsmooth.core.types import rank_of
from fsmooth.frontend.python.conversion import project
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import array_parts, equal_sizes, length_of


@dataclass(frozen=True)
class Fold:
    """A loop: how many steps, the values it starts with, and one step from `state` and `index`."""

    count: Term
    inits: list[Term]
    state: Var
    index: Var
    step: Term

    def parts(self, whole: Term) -> list[Term]:
        """The carried values in a state."""
        return [whole] if len(self.inits) == 1 else [project(whole, k) for k in range(len(self.inits))]


def steady(frame: Frame, fold: Fold, node: ast.AST) -> tuple[list[Term], Term]:
    """The initial values and the step, which exist only if no array changes its size.

    A size that is the same at each step is required before the loop, if there is any step; others in each step.
    """
    inits, step = list(fold.inits), fold.step
    site = frame.site(node, frame.source.segment(node))
    for k, (place, result) in enumerate(zip(fold.parts(fold.state), fold.parts(fold.step), strict=True)):
        rows = zip(array_parts(place), array_parts(result), array_parts(fold.inits[k]), strict=True)
        for before, after, first in rows:
            for axis in range(rank_of(before.type)):
                start, new = length_of(frame, first, node, axis), length_of(frame, after, node, axis)
                later = at_start(new, fold)
                if equal_sizes(frame, start, later, node, "an array changes its size in the loop"):
                    continue
                if later.free.isdisjoint((fold.state, fold.index)):
                    some = either(Prim(p.less_equal, (fold.count, Const(0))), equals(start, later))
                    inits[k] = Require(some, inits[k], Failure.SIZE, (start, later), site)
                else:
                    here = size_of(before, axis)
                    step = Require(equals(here, new), step, Failure.SIZE, (here, new), site)
    return inits, step


def at_start(size: Term, fold: Fold) -> Term:
    """A size in which the lengths of the state are those of the initial values."""

    def change(term: Term) -> Term:
        match term:
            case Length(array, axis):
                positions: list[int] = []
                while isinstance(array, Proj):
                    positions.insert(0, array.position)
                    array = array.tuple
                if array is not fold.state:
                    return term
                part = fold.inits[positions.pop(0)] if len(fold.inits) > 1 else fold.inits[0]
                for k in positions:
                    part = project(part, k)
                return size_of(part, axis)
            case _:
                return term

    return transform(size, change)
