"""What the interpreter needs of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Type


class Arithmetic(Protocol):
    """One kind of real numbers.  Integers and truth values are Python's in every arithmetic.

    Comparisons look at the value alone, so that all arithmetics take the same branches.
    """

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """A number of the program, or an argument of it."""
        ...

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """A primitive whose result is of type `type_`."""
        ...

    def add(self, a: object, b: object, type_: Type) -> object:
        """A + b, of a sum."""
        ...

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """A * b, of a product."""
        ...

    def first_extremum(self, values: Sequence[object], smallest: bool) -> int:
        """The index of the first extremum; a NaN is one."""
        ...

    def load(self) -> None:
        """An element of an array was read."""
        return

    def store(self, count: int) -> None:
        """Elements of an array were written."""
        return

    def call(self, name: str) -> None:
        """A definition of this name was called."""
        return
