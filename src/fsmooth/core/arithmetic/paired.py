"""Numbers paired with what a derivative needs of them: all of dual-numbers differentiation, but for what that is.

Outside of scalars these methods do nothing (paper 003, §3.2: the transformation is homomorphic there), so each is a kind of
number, and the interpreter runs every construct of the language over it.

>>> from fsmooth.core import primitives as p
>>> from fsmooth.core.types import F64
>>> class Sizes(Paired):
...     def operation(self, value, slopes, type_):
...         return PairedNumber((value, slopes))
>>> class Moving(PairedNumber):
...     varies = True
>>> sizes = Sizes(FLOATS)
>>> x = Moving(3.0)
>>> sizes.apply(p.multiply, (x, sizes.constant(2.0, F64)), F64)
PairedNumber(value=(6.0, [(Moving(value=3.0), 2.0)]))
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic.floats import FLOATS
from fsmooth.core.arithmetic.protocol import Arithmetic
from fsmooth.core.arithmetic.slopes import FLAT, SLOPES, Operations
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Float, Type
from fsmooth.errors import NotDifferentiableError


class PairedNumber(Struct, frozen=True):
    """A number of the arithmetic inside; subclasses say what goes with it."""

    value: object

    @property
    def varies(self) -> bool:
        """Does it depend on what one differentiates by?"""
        return False


Slopes = list[tuple[PairedNumber, object]]
"""The operands that vary, each with the partial derivative by it."""


class Paired(Arithmetic):
    """Numbers of `inner`, paired with something."""

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        self.inner = inner

    @abstractmethod
    def operation(self, value: object, slopes: Slopes, type_: Type) -> PairedNumber:
        """What a primitive gives: its value, computed already, and the slopes along the operands that vary, at least one."""
        ...

    def fixed(self, value: object) -> PairedNumber:
        """A number that does not vary."""
        return PairedNumber(value)

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """Constants do not vary."""
        number = self.inner.constant(value, type_)
        return self.fixed(number) if isinstance(type_, Float) else number

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """The value, and the chain rule for what goes with it.

        Raises:
            NotDifferentiableError: for a primitive without a derivative of an argument that varies.

        """
        values = tuple([value_of(x) for x in arguments])
        if not isinstance(type_, Float):
            return self.inner.apply(primitive, values, type_)
        if primitive is p.select:
            return arguments[1] if values[0] else arguments[2]
        if primitive in (p.minimum, p.maximum):
            return arguments[self.inner.first_extremum(values, primitive is p.minimum)]
        result = self.inner.apply(primitive, values, type_)
        slopes = self._slopes(primitive, arguments, values, result, type_)
        return self.operation(result, slopes, type_) if slopes else self.fixed(result)

    def _slopes(
        self,
        primitive: Primitive,
        arguments: Sequence[object],
        values: tuple[object, ...],
        result: object,
        type_: Type,
    ) -> Slopes:
        if primitive in FLAT or primitive in p.UNFOLLOWED:
            return []
        operations = Operations(self.inner, type_)
        found: Slopes = []
        for k, argument in enumerate(arguments):
            if not isinstance(argument, PairedNumber) or not argument.varies:
                continue
            if primitive not in SLOPES:
                raise NotDifferentiableError(f"dual numbers have no derivative of {primitive.name}")
            found.append((argument, SLOPES[primitive][k](operations, values, result)))
        return found

    def add(self, a: object, b: object, type_: Type) -> object:
        """A + b."""
        if not isinstance(type_, Float):
            return self.inner.add(a, b, type_)
        return self.apply(p.add, (a, b), type_)

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """A * b."""
        if not isinstance(type_, Float):
            return self.inner.multiply(a, b, type_)
        return self.apply(p.multiply, (a, b), type_)

    def first_extremum(self, values: Sequence[object], smallest: bool) -> int:
        """By values."""
        return self.inner.first_extremum([value_of(x) for x in values], smallest)


def value_of(x: object) -> object:
    """The number itself."""
    return x.value if isinstance(x, PairedNumber) else x
