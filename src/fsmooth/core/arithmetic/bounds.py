"""Running error analysis: every number carries its terms summed in absolute value.

To first order, each order of evaluation and each correctly rounded library gives a value within a small multiple of
2⁻⁵³ · bound: a + b has |a| and |b|'s bounds and its own rounding, f(a) has |f′(a)| times a's bound and its own.  An
answer is judged by `tolerance * bound`, which asks for all digits where there is no cancellation and for no more than
there are where there is.  `margin` says how near the program came to another branch: where rounding may decide a
comparison, a bound says nothing.

>>> from fsmooth.core import primitives as p
>>> from fsmooth.core.types import F64
>>> bounds = Bounds()
>>> bounds.apply(p.subtract, (Bounded(1e8, 1e8), Bounded(1e8, 1e8)), F64)
Bounded(value=0.0, bound=200000000.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic.floats import FLOATS, first_extremum
from fsmooth.core.arithmetic.protocol import Arithmetic
from fsmooth.core.arithmetic.slopes import FLAT, SLOPES, Operations, tetragamma_of
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import F64, Float, Type


class Bounded(Struct, frozen=True):
    """A number and the bound of its rounding error, in units of the last place of 1.0 (double precision)."""

    value: float
    bound: float


class Bounds(Arithmetic):
    """Numbers with bounds.  One object watches one evaluation: `margin` is that of all comparisons it made."""

    def __init__(self) -> None:
        self.margin = math.inf

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """A number is a term by itself."""
        number = FLOATS.constant(value, type_)
        return _rounding(number, type_) if isinstance(type_, Float) else number

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """Slopes times bounds, and the rounding of the result."""
        values = tuple([_value(x) for x in arguments])
        self._watch(primitive, arguments)
        if not isinstance(type_, Float):
            return FLOATS.apply(primitive, values, type_)
        if primitive is p.select:
            return arguments[1] if values[0] else arguments[2]
        if primitive in (p.minimum, p.maximum):
            return arguments[first_extremum(values, primitive is p.minimum)]  # type: ignore[arg-type]
        result = FLOATS.apply(primitive, values, type_)
        own = _rounding(result, type_)
        operations = Operations(FLOATS, type_)
        bound = own.bound
        for k, argument in enumerate(arguments):
            if not isinstance(argument, Bounded) or argument.bound == 0.0 or primitive in FLAT:
                continue
            if primitive is p.trigamma:
                slope = tetragamma_of(argument.value)
            else:
                slope = float(SLOPES[primitive][k](operations, values, result))  # type: ignore[arg-type]
            bound += abs(slope) * argument.bound
        return Bounded(own.value, bound)

    def add(self, a: object, b: object, type_: Type) -> object:
        """A + b."""
        if not isinstance(a, Bounded) or not isinstance(b, Bounded):
            return FLOATS.add(a, b, type_)
        own = _rounding(FLOATS.add(a.value, b.value, type_), type_)
        return Bounded(own.value, own.bound + a.bound + b.bound)

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """A * b."""
        if not isinstance(a, Bounded) or not isinstance(b, Bounded):
            return FLOATS.multiply(a, b, type_)
        own = _rounding(FLOATS.multiply(a.value, b.value, type_), type_)
        return Bounded(own.value, own.bound + abs(a.value) * b.bound + abs(b.value) * a.bound)

    def first_extremum(self, values: Sequence[object], smallest: bool) -> int:
        """Which one, and how near the others are."""
        best = first_extremum([float(_value(v)) for v in values], smallest)  # type: ignore[arg-type]
        for k, other in enumerate(values):
            if k != best:
                self._apart(other, values[best])
        return best

    # -- margins -------------------------------------------------------------------------------------------------------

    def _watch(self, primitive: Primitive, arguments: Sequence[object]) -> None:
        if not isinstance(arguments[0], Bounded):
            return
        if primitive in _COMPARES:
            self._apart(*arguments)
        elif primitive in (p.absolute, p.sign):
            self._apart(arguments[0], Bounded(0.0, 0.0))
        elif primitive is p.fmod:
            self._apart(arguments[0], _jump(*arguments))
        elif primitive in (p.floor, p.ceil, p.to_int) and math.isfinite(arguments[0].value):
            self._apart(arguments[0], Bounded(float(round(arguments[0].value)), 0.0))

    def _apart(self, a: object, b: object) -> None:
        """The distance, in units of the bounds where they are large; a zero without terms is never in doubt."""
        if isinstance(a, Bounded) and isinstance(b, Bounded):
            bound = a.bound + b.bound
            if bound:
                self.margin = min(self.margin, abs(a.value - b.value) / max(1.0, bound))


_COMPARES = frozenset({p.less, p.less_equal, p.greater, p.greater_equal, p.equal, p.not_equal, p.minimum, p.maximum})


def _value(x: object) -> object:
    return x.value if isinstance(x, Bounded) else x


def _jump(x: object, y: object) -> Bounded | None:
    """The multiple of y nearest to x, but for 0, where the remainder goes on."""
    if not isinstance(x, Bounded) or not isinstance(y, Bounded):
        return None
    if not math.isfinite(x.value) or not math.isfinite(y.value) or y.value == 0.0:
        return None
    multiple = x.value - math.remainder(x.value, y.value)
    return Bounded(multiple, abs(multiple / y.value) * y.bound) if multiple else None


def _rounding(value: object, type_: Type) -> Bounded:
    """A result that is rounded once; the unit of single precision is 2²⁹ of those of double precision."""
    number = float(value)  # type: ignore[arg-type]
    return Bounded(number, abs(number) * (1.0 if type_ == F64 else 2.0**29))
