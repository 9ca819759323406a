"""The loops around a node of a graph, and what parts them (for tabulation, optimise/nests.py)."""

from __future__ import annotations

from typing import NamedTuple

from fsmooth.core.term import Build, IFold, Reduce, Reduction, Require, Term, Var
from fsmooth.core.traverse import bound_in, opens_region


class Level(NamedTuple):
    """A loop, the variables it binds, and whether each iteration of it evaluates the place that was asked about."""

    loop: Term
    variables: frozenset[Var]
    certain: bool


class Around(NamedTuple):
    """The loops around a place, outermost first, those that no branch parts from it.

    They are certain if each iteration of the one around evaluates the next, if nothing fails before.
    """

    levels: tuple[Level, ...] = ()
    certain: bool = True

    def inside(self, node: Term, k: int) -> Around:
        """Around child `k` of `node`."""
        if not opens_region(node, k):
            return self
        match node:
            case Build() | Reduce() | IFold():
                level = Level(node, frozenset(bound_in(node, k)), self.certain)
                return Around((*self.levels, level), not stops_early(node))
            case Require():
                return Around(self.levels, certain=False)
            case _:
                return Around()

    def nest_of(self, loop: Build | Reduce) -> tuple[Level, ...]:
        """The loops on which `loop` depends, directly or through others, and itself: code motion takes it out of others.

        Each is certain if all its iterations evaluate what all iterations of `loop` do.
        """
        nest = [Level(loop, frozenset((loop.index,)), not stops_early(loop))]
        needed = loop.free
        certain = nest[0].certain and self.certain
        for level in reversed(self.levels):
            if not level.variables.isdisjoint(needed):
                nest.append(Level(level.loop, level.variables, certain))
                needed = needed | level.loop.free
            certain = certain and level.certain
        return tuple(nest[::-1])


def stops_early(loop: Term) -> bool:
    """May the loop end before its last iteration?"""
    return isinstance(loop, Reduce) and loop.reduction in (Reduction.ALL, Reduction.ANY)
