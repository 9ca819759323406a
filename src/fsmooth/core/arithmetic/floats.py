"""IEEE 754 numbers: what a program computes."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic.protocol import Arithmetic
from fsmooth.core.ieee import single
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Float, Type


def first_extremum(values: Sequence[float], smallest: bool) -> int:
    """Index of the first extremum; the first NaN if there is one."""
    best = 0
    for k, v in enumerate(values):
        if v != v:
            return k
        if (v < values[best]) if smallest else (v > values[best]):
            best = k
    return best


class Floats(Arithmetic):
    """Doubles, and singles where the type says so."""

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """The number itself."""
        return _rounded(value, type_)

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """As the table of primitives says."""
        return _rounded(primitive.evaluate(*arguments), type_)

    def add(self, a: object, b: object, type_: Type) -> object:
        """A + b."""
        return _rounded(p.add.evaluate(a, b), type_)

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """A * b."""
        return _rounded(p.multiply.evaluate(a, b), type_)

    def first_extremum(self, values: Sequence[object], smallest: bool) -> int:
        """Index of the first extremum; a NaN is one."""
        return first_extremum(values, smallest)  # type: ignore[arg-type]


def _rounded(value: float | int | bool, type_: Type) -> float | int | bool:
    return single(float(value)) if isinstance(type_, Float) and type_.width == 32 else value


FLOATS = Floats()
