"""What the stages of paper 003 have in common: inputs go in, cotangents of all inputs come out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from msgspec import Struct

from fsmooth.core.arithmetic import FLOATS, Arithmetic, Paired, PairedNumber
from fsmooth.core.types import F64

Seeds = Sequence[tuple[PairedNumber, object]]
"""Results that vary, each with its cotangent."""


class Varying(PairedNumber, Struct, frozen=True):
    """A number that depends on an input.  Constants need no backpropagator, so they are plain `PairedNumber`s."""

    @property
    def varies(self) -> bool:
        """By being one."""
        return True


class Stage(Paired):
    """Numbers that know how a cotangent goes back.  One object serves one run of a program.

    `calls` is how often a backpropagator was called, or an entry of a tape read.
    """

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        super().__init__(inner)
        self.inputs = 0
        self.calls = 0

    @abstractmethod
    def input(self, value: object) -> PairedNumber:
        """The next input (`Interleave` of a real number)."""
        ...

    @abstractmethod
    def pulled(self, seeds: Seeds) -> list[object]:
        """The cotangent of each input, in the order in which they were made."""
        ...

    def run(self, program: Callable[[], Seeds]) -> list[object]:
        """The cotangent of each input, by a program that gives its results and their cotangents."""
        return self.pulled(program())

    # -- cotangents are numbers of the arithmetic inside -----------------------------------------------------------

    def zero(self) -> object:
        """No cotangent."""
        return self.inner.constant(0.0, F64)

    def plus(self, a: object, b: object) -> object:
        """The sum of two cotangents."""
        return self.inner.add(a, b, F64)

    def times(self, cotangent: object, slope: object) -> object:
        """A cotangent, through an operation of this slope."""
        return self.inner.multiply(cotangent, slope, F64)


class Numbered(Stage):
    """Stages that number what they make.

    An operation is made after its operands, so it has a higher number than all that it refers to (§4).
    """

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        super().__init__(inner)
        self.made = 0

    def next(self) -> int:
        """A number that was not given before."""
        self.made += 1
        return self.made - 1
