"""D⁴: what backpropagators update are two mutable arrays, one of cotangents and one of calls (paper 003, §7, Fig. 12).

Calls are numbered without gaps, so they are elements of an array, and everything takes constant time: O(T + I).  Fig. 12 as
printed ends its loop before it calls number 0, so that the cotangent of the first input is lost: docs/decisions/0023.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from fsmooth.core.arithmetic import Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Numbered, Seeds, Varying


class Staged(Struct, frozen=True):
    """Cotangents by input; by number what is to be called (None: nothing), and with what."""

    cotangents: list[object]
    backpropagators: list[Backpropagator | None]
    given: list[object]


Backpropagator = Callable[[object, Staged], None]


class Number(Varying, frozen=True):
    """(x, (id, ℝ ⊸ (Staged c → Staged c))), where the function changes its argument."""

    id: int
    backpropagator: Backpropagator


class MutableArrays(Numbered):
    """D⁴ of paper 003."""

    def input(self, value: object) -> Number:
        """`SOneHot`."""
        position = self.inputs
        self.inputs += 1

        def back(z: object, staged: Staged) -> None:
            staged.cotangents[position] = self.plus(staged.cotangents[position], z)

        return Number(value, self.next(), back)

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """D⁴[op], as D³[op]."""

        def back(z: object, staged: Staged) -> None:
            for operand, slope in slopes:
                self._call(operand, self.times(z, slope), staged)

        return Number(value, self.next(), back)

    def pulled(self, seeds: Seeds) -> list[object]:
        """`SAlloc`, and `SResolve` down to number 0."""
        staged = Staged([self.zero()] * self.inputs, [None] * self.made, [self.zero()] * self.made)
        for number, z in seeds:
            self._call(number, z, staged)
        for k in reversed(range(self.made)):
            backpropagator = staged.backpropagators[k]
            if backpropagator is not None:
                self.calls += 1
                backpropagator(staged.given[k], staged)
        return staged.cotangents

    def _call(self, number: object, z: object, staged: Staged) -> None:
        """`SCall`."""
        assert isinstance(number, Number)
        staged.backpropagators[number.id] = number.backpropagator
        staged.given[number.id] = self.plus(staged.given[number.id], z)
