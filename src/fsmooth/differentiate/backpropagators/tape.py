"""A tape: the lists of contributions, written on the way forward (paper 003, §8.3).

The list with an id is known when the operation is, so it is an entry of an array that grows, and a number needs its id alone.
"""

from __future__ import annotations

from fsmooth.core.arithmetic import FLOATS, Arithmetic, Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Numbered, Seeds, Varying


class Number(Varying, frozen=True):
    """(x, id)."""

    id: int


class Tape(Numbered):
    """§8.3 of paper 003.  `calls` are the entries read on the way back."""

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        super().__init__(inner)
        self.entries: list[list[tuple[int, object]]] = []

    def input(self, value: object) -> Number:
        """An entry that contributes to nothing."""
        self.inputs += 1
        return self._entered(value, [])

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """An entry; what nothing varies in needs none."""
        return self._entered(value, [(d.id, slope) for d, slope in slopes if isinstance(d, Number)])

    def pulled(self, seeds: Seeds) -> list[object]:
        """The entries from the last to the first."""
        sums = [self.zero()] * self.made
        for number, z in seeds:
            assert isinstance(number, Number)
            sums[number.id] = self.plus(sums[number.id], z)
        for k in reversed(range(self.made)):
            self.calls += 1
            for operand, slope in self.entries[k]:
                sums[operand] = self.plus(sums[operand], self.times(sums[k], slope))
        return sums[: self.inputs]

    def _entered(self, value: object, entry: list[tuple[int, object]]) -> Number:
        self.entries.append(entry)
        return Number(value, self.next())
