"""Reverse mode with shift and reset in the language that runs the program (paper 004, Fig. 8 and 9).

Python has no delimited continuations, but a program here is deterministic: running it again, with the results of its first k
operations given, is the continuation of operation k (Koppel, Scherer and Solar-Lezama, ICFP 2018).  That is quadratic in the
operations that run, and as plain as the figure.
"""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.arithmetic import FLOATS, Arithmetic, Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Seeds
from fsmooth.differentiate.continuations.cells import Cells, Number


class _Shift(Exception):  # noqa: N818  (control, not an error)
    """`shift`: what an operation has computed, on its way to `reset`."""

    def __init__(self, value: object, slopes: Slopes) -> None:
        super().__init__()
        self.value = value
        self.slopes = slopes


class ShiftReset(Cells):
    """Fig. 9 of paper 004."""

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        super().__init__(inner)
        self.given: list[Number] = []
        self.position = 0

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """`shift k`, if this is the operation whose continuation is wanted; before it, what was given to that."""
        if self.position == len(self.given):
            raise _Shift(value, slopes)
        self.position += 1
        return self.given[self.position - 1]

    def run(self, program: Callable[[], Seeds]) -> list[object]:
        """`⟨let ẑ = program in z' := 1.0⟩`."""
        self.position = 0
        try:
            return self.pulled(program())
        except _Shift as shift:
            result = self.number(shift.value)
            self.given.append(result)
            self.run(program)  # @ k ŷ
            self.back(result, shift.slopes)
        return self.collected()

    def pulled(self, seeds: Seeds) -> list[object]:
        """The innermost continuation."""
        self.seed(seeds)
        return self.collected()
