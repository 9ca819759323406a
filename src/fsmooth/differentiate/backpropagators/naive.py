"""D¹: each number with the linear function from its cotangent to the cotangent of all inputs (paper 003, Fig. 6 and 7).

The backpropagator of an operation calls those of its operands, so one that is read twice is called twice by each call:
2ⁿ⁺¹ - 1 calls where n doublings follow each other (Fig. 2).
"""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.arithmetic import Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Seeds, Stage, Varying

Vector = tuple[object, ...]


class Number(Varying, frozen=True):
    """(x, ℝ ⊸ c)."""

    backpropagator: Callable[[object], Vector]
    paths: int
    """How many calls one call of it makes, itself included."""


class Naive(Stage):
    """D¹ of paper 003."""

    def input(self, value: object) -> Number:
        """Its backpropagator gives a vector that is zero elsewhere."""
        position = self.inputs
        self.inputs += 1

        def back(z: object) -> Vector:
            self.calls += 1
            return tuple([z if k == position else self.zero() for k in range(self.inputs)])

        return Number(value, back, 1)

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """D¹[op]: λz. d₁ (∂₁op z) + … + dₙ (∂ₙop z)."""

        def back(z: object) -> Vector:
            self.calls += 1
            total = (self.zero(),) * self.inputs
            for operand, slope in slopes:
                assert isinstance(operand, Number)
                total = self.sum(total, operand.backpropagator(self.times(z, slope)))
            return total

        paths = sum([operand.paths for operand, _ in slopes if isinstance(operand, Number)])
        return Number(value, back, 1 + paths)

    def pulled(self, seeds: Seeds) -> list[object]:
        """Call the backpropagator of each result."""
        total = (self.zero(),) * self.inputs
        for number, z in seeds:
            assert isinstance(number, Number)
            total = self.sum(total, number.backpropagator(z))
        return list(total)

    def sum(self, a: Vector, b: Vector) -> Vector:
        """The sum of two cotangents of all inputs."""
        return tuple([self.plus(x, y) for x, y in zip(a, b, strict=True)])
