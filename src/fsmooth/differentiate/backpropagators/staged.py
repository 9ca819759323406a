"""D²: calls of backpropagators are put off, and those of one backpropagator are one call (paper 003, §4, Fig. 8).

f x + f y = f (x + y), since f is linear.  A backpropagator calls none with a higher number than its own, so when they are
called from the highest number down, each has been given all that it will get.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from fsmooth.core.arithmetic import Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Numbered, Seeds, Varying

Vector = tuple[object, ...]


class Staged(Struct, frozen=True):
    """A cotangent of all inputs, and by number the calls that are still to be made: of what, and with what."""

    cotangent: Vector
    calls: dict[int, tuple[Backpropagator, object]] = field(default_factory=dict)


Backpropagator = Callable[[object], Staged]


class Number(Varying, frozen=True):
    """(x, (id, ℝ ⊸ Staged c))."""

    id: int
    backpropagator: Backpropagator


class StagedCalls(Numbered):
    """D² of paper 003."""

    def input(self, value: object) -> Number:
        """Its backpropagator is a cotangent that is zero elsewhere (`SCotan`)."""
        position = self.inputs
        self.inputs += 1
        return Number(value, self.next(), lambda z: Staged(self._one(position, z)))

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """D²[op]: λz. SCall d₁ (∂₁op z) + … + SCall dₙ (∂ₙop z)."""

        def back(z: object) -> Staged:
            total = self._nothing()
            for operand, slope in slopes:
                assert isinstance(operand, Number)
                total = self._sum(total, self._call(operand, self.times(z, slope)))
            return total

        return Number(value, self.next(), back)

    def pulled(self, seeds: Seeds) -> list[object]:
        """`SResolve`: make the calls, from the highest number down."""
        staged = self._nothing()
        for number, z in seeds:
            assert isinstance(number, Number)
            staged = self._sum(staged, self._call(number, z))
        while staged.calls:
            last = max(staged.calls)
            backpropagator, z = staged.calls[last]
            rest = {k: call for k, call in staged.calls.items() if k != last}
            self.calls += 1
            staged = self._sum(backpropagator(z), Staged(staged.cotangent, rest))
        return list(staged.cotangent)

    def _nothing(self) -> Staged:
        return Staged((self.zero(),) * self.inputs)

    def _one(self, position: int, z: object) -> Vector:
        return tuple([z if k == position else self.zero() for k in range(self.inputs)])

    def _call(self, number: Number, z: object) -> Staged:
        """`SCall`."""
        return Staged((self.zero(),) * self.inputs, {number.id: (number.backpropagator, z)})

    def _sum(self, a: Staged, b: Staged) -> Staged:
        calls = dict(a.calls)
        for k, (backpropagator, z) in b.calls.items():
            calls[k] = (backpropagator, self.plus(calls[k][1], z)) if k in calls else (backpropagator, z)
        return Staged(tuple([self.plus(x, y) for x, y in zip(a.cotangent, b.cotangent, strict=True)]), calls)
