"""Backpropagators as data: the list of what each contributes to (paper 003, §8.1 and §8.2, Fig. 10).

There are three forms of backpropagators only, so they are defunctionalised (Reynolds): an operation is the list of its
operands and slopes.  The cotangent of an input is what has been staged for it, and is collected nowhere else (§8.1).
"""

from __future__ import annotations

from fsmooth.core.arithmetic import Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Numbered, Seeds, Varying


class Number(Varying, frozen=True):
    """(x, (id, Contrib)); the numbers in a list are shared, as their ids say."""

    id: int
    contributions: list[tuple[object, Number]]


class Contributions(Numbered):
    """§8.2 of paper 003.  `calls` are the lists that were read, `pairs` what they contain."""

    pairs = 0

    def input(self, value: object) -> Number:
        """Contributes to nothing.  Inputs come before all operations, so their ids are their positions."""
        self.inputs += 1
        return Number(value, self.next(), [])

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """[(∂₁op, d₁), …, (∂ₙop, dₙ)]."""
        return Number(value, self.next(), [(slope, d) for d, slope in slopes if isinstance(d, Number)])

    def pulled(self, seeds: Seeds) -> list[object]:
        """One array: the list with each id, once something has been contributed to it, and the sum of that."""
        lists: list[list[tuple[object, Number]]] = [[] for _ in range(self.made)]
        sums = [self.zero()] * self.made

        def contribute(number: object, z: object) -> None:
            assert isinstance(number, Number)
            lists[number.id] = number.contributions
            sums[number.id] = self.plus(sums[number.id], z)

        for number, z in seeds:
            contribute(number, z)
        for k in reversed(range(self.made)):
            self.calls += bool(lists[k])
            self.pairs += len(lists[k])
            for slope, number in lists[k]:
                contribute(number, self.times(sums[k], slope))
        return sums[: self.inputs]
