"""Dual numbers: a value and its derivative along one direction, over any arithmetic.

This is differentiation without a source transformation, so it says what the transformation must give.  Over dual
numbers it gives second derivatives, over bounded numbers the rounding error that a derivative may have.

>>> from fsmooth.core import primitives as p
>>> from fsmooth.core.types import F64
>>> dual = Dual()
>>> dual.apply(p.multiply, (DualNumber(3.0, 1.0), DualNumber(3.0, 1.0)), F64)
DualNumber(value=9.0, tangent=6.0)
"""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core.arithmetic.paired import Paired, PairedNumber, Slopes
from fsmooth.core.types import Type


class DualNumber(PairedNumber, Struct, frozen=True):
    """Both parts are numbers of the arithmetic inside; a tangent of None is a zero by structure."""

    tangent: object | None = None

    @property
    def varies(self) -> bool:
        """Is there a tangent?"""
        return self.tangent is not None


class Dual(Paired):
    """Dual numbers whose parts are numbers of `inner`."""

    def fixed(self, value: object) -> DualNumber:
        """A number without a tangent."""
        return DualNumber(value)

    def operation(self, value: object, slopes: Slopes, type_: Type) -> DualNumber:
        """The tangent is the sum of the slopes, each times the tangent of its operand."""
        total: object | None = None
        for operand, slope in slopes:
            assert isinstance(operand, DualNumber)
            term = self.inner.multiply(slope, operand.tangent, type_)
            total = term if total is None else self.inner.add(total, term, type_)
        return DualNumber(value, total)
