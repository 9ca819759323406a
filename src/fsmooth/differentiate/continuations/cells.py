"""Numbers with a cell for their cotangent: (x, ref 0) of paper 004."""

from __future__ import annotations

from fsmooth.core.arithmetic import FLOATS, Arithmetic, Slopes
from fsmooth.differentiate.backpropagators.stage import Seeds, Stage, Varying


class Cell:
    """`ref z`."""

    __slots__ = ("cotangent",)

    def __init__(self, cotangent: object) -> None:
        self.cotangent = cotangent


class Number(Varying, frozen=True):
    """(x, ref z)."""

    cell: Cell


class Cells(Stage):
    """Stages whose numbers have cells."""

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        super().__init__(inner)
        self.cells: list[Cell] = []

    def input(self, value: object) -> Number:
        """(x, ref 0)."""
        self.inputs += 1
        number = self.number(value)
        self.cells.append(number.cell)
        return number

    def collected(self) -> list[object]:
        """`! x'` of each input."""
        return [cell.cotangent for cell in self.cells]

    def number(self, value: object) -> Number:
        """(x, ref 0)."""
        return Number(value, Cell(self.zero()))

    def add_to(self, number: object, z: object) -> None:
        """`x' += z`."""
        assert isinstance(number, Number)
        number.cell.cotangent = self.plus(number.cell.cotangent, z)

    def back(self, result: Number, slopes: Slopes) -> None:
        """What an operation does after its continuation."""
        self.calls += 1
        for operand, slope in slopes:
            self.add_to(operand, self.times(result.cell.cotangent, slope))

    def seed(self, seeds: Seeds) -> None:
        """`z' := 1.0`."""
        for number, z in seeds:
            self.add_to(number, z)
