"""A tape of functions: each operation composes what it does on the way back before what others do (paper 004, Fig. 12)."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.arithmetic import FLOATS, Arithmetic, Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Seeds
from fsmooth.differentiate.continuations.cells import Cells, Number


class Refunctionalised(Cells):
    """Fig. 12 of paper 004.  `tape` are the functions in the order of `andThen`, so that its calls do not nest."""

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        super().__init__(inner)
        self.tape: list[Callable[[], None]] = []

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """`tape = ((u: Unit) => …) andThen tape`."""
        result = self.number(value)
        self.tape.append(lambda: self.back(result, slopes))
        return result

    def pulled(self, seeds: Seeds) -> list[object]:
        """`z.d = 1.0; tape()`."""
        self.seed(seeds)
        for step in reversed(self.tape):
            step()
        return self.collected()
