"""Dual numbers: a value and its derivative along one direction, over any arithmetic.

This is differentiation without a source transformation, so it says what the transformation must give.  Over dual
numbers it gives second derivatives, over bounded numbers the rounding error that a derivative may have.

>>> from fsmooth.core import primitives as p
>>> from fsmooth.core.types import F64
>>> dual = Dual(FLOATS)
>>> dual.apply(p.multiply, (DualNumber(3.0, 1.0), DualNumber(3.0, 1.0)), F64)
DualNumber(value=9.0, tangent=6.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic.floats import FLOATS
from fsmooth.core.arithmetic.protocol import Arithmetic
from fsmooth.core.arithmetic.slopes import FLAT, SLOPES, Operations
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Float, Type
from fsmooth.errors import NotDifferentiableError


@dataclass(frozen=True, slots=True)
class DualNumber:
    """Both parts are numbers of the arithmetic inside; a tangent of None is a zero by structure."""

    value: object
    tangent: object | None = None


class Dual(Arithmetic):
    """Dual numbers whose parts are numbers of `inner`."""

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        self.inner = inner

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """Constants do not vary."""
        number = self.inner.constant(value, type_)
        return DualNumber(number) if isinstance(type_, Float) else number

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """The chain rule.

        Raises:
            NotDifferentiableError: for a primitive without a derivative of an argument that varies.

        """
        values = tuple([_value(x) for x in arguments])
        if not isinstance(type_, Float):
            return self.inner.apply(primitive, values, type_)
        if primitive is p.select:
            return arguments[1] if values[0] else arguments[2]
        if primitive in (p.minimum, p.maximum):
            return arguments[self.inner.first_extremum(values, primitive is p.minimum)]
        result = self.inner.apply(primitive, values, type_)
        return DualNumber(result, self._tangent(primitive, arguments, values, result, type_))

    def _tangent(
        self,
        primitive: Primitive,
        arguments: Sequence[object],
        values: tuple[object, ...],
        result: object,
        type_: Type,
    ) -> object | None:
        total: object | None = None
        operations = Operations(self.inner, type_)
        for k, argument in enumerate(arguments):
            tangent = argument.tangent if isinstance(argument, DualNumber) else None
            if tangent is None or primitive in FLAT or primitive is p.stop_gradient:
                continue
            if primitive not in SLOPES:
                raise NotDifferentiableError(f"dual numbers have no derivative of {primitive.name}")
            slope = SLOPES[primitive][k](operations, values, result)
            term = self.inner.multiply(slope, tangent, type_)
            total = term if total is None else self.inner.add(total, term, type_)
        return total

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
        return self.inner.first_extremum([_value(x) for x in values], smallest)


def _value(x: object) -> object:
    return x.value if isinstance(x, DualNumber) else x
