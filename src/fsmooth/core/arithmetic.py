"""Kinds of numbers that the interpreter can compute with: floats, complex numbers, counted operations, bounds.

Each is an `Arithmetic`.  Integers and truth values are always Python's; comparisons look at the real part, so
that every arithmetic takes the same branches.
"""

from __future__ import annotations

import cmath
import math
import struct
from collections.abc import Callable, Sequence
from typing import Protocol

from fsmooth.core import primitives as p
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Prim
from fsmooth.core.types import Float, Type


class Arithmetic(Protocol):
    """What the interpreter needs of numbers."""

    def constant(self, value: float | int | bool, type_: Type) -> object: ...
    def apply(self, primitive: Primitive, arguments: Sequence[object], term: Prim) -> object: ...
    def add(self, a: object, b: object, type_: Type) -> object: ...
    def multiply(self, a: object, b: object, type_: Type) -> object: ...
    def first_extremum(self, values: Sequence[object], smallest: bool) -> int: ...


def single(x: float) -> float:
    """X rounded to single precision."""
    if not math.isfinite(x):
        return x
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


class Floats:
    """IEEE 754 doubles, and singles where the type says so."""

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """The number itself."""
        return self._rounded(value, type_)

    def apply(self, primitive: Primitive, arguments: Sequence[object], term: Prim) -> object:
        """As the table of primitives says."""
        return self._rounded(primitive.evaluate(*arguments), term.type)

    def add(self, a: object, b: object, type_: Type) -> object:
        """A + b."""
        return self._rounded(a + b, type_)  # type: ignore[operator]

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """A * b."""
        return self._rounded(a * b, type_)  # type: ignore[operator]

    def first_extremum(self, values: Sequence[object], smallest: bool) -> int:
        """Index of the first extremum; a NaN is one."""
        return first_extremum([float(v) for v in values], smallest)  # type: ignore[arg-type]

    @staticmethod
    def _rounded(value: float | int | bool, type_: Type) -> float | int | bool:
        return single(float(value)) if isinstance(type_, Float) and type_.width == 32 else value


def first_extremum(values: Sequence[float], smallest: bool) -> int:
    """Index of the first extremum; the first NaN if there is one."""
    best = 0
    for k, v in enumerate(values):
        if v != v:
            return k
        if (v < values[best]) if smallest else (v > values[best]):
            best = k
    return best


class Complex:
    """Complex numbers for the complex step: d f(x) = Im f(x + ih) / h.  Every primitive is its analytic continuation."""

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """Reals become complex."""
        return complex(value) if isinstance(type_, Float) else value

    def apply(self, primitive: Primitive, arguments: Sequence[object], term: Prim) -> object:
        """Analytic where the result is real; on real parts where it is Int or Bool."""
        if isinstance(term.type, Float):
            extended = _COMPLEX.get(primitive)
            if extended is None:
                raise NotImplementedError(f"no complex step through {primitive.name}")
            return extended(*arguments)
        reals = [a.real if isinstance(a, complex) else a for a in arguments]
        return primitive.evaluate(*reals)

    def add(self, a: object, b: object, type_: Type) -> object:
        """A + b."""
        return a + b  # type: ignore[operator]

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """A * b."""
        return a * b  # type: ignore[operator]

    def first_extremum(self, values: Sequence[object], smallest: bool) -> int:
        """By real parts."""
        return first_extremum([v.real for v in values], smallest)  # type: ignore[attr-defined]


def _by_real(chosen: Callable[[float, float], bool]) -> Callable[[complex, complex], complex]:
    def extremum(a: complex, b: complex) -> complex:
        if a.real != a.real:
            return a
        return b if b.real != b.real or chosen(b.real, a.real) else a

    return extremum


def _complex_power(a: complex, b: complex) -> complex:
    if b.imag == 0 and b.real == int(b.real) and abs(b.real) < 64:
        return a ** int(b.real)
    return cmath.exp(b * cmath.log(a))


def _first_order(f: Callable[[float], float], df: Callable[[float], float]) -> Callable[[complex], complex]:
    return lambda z: complex(f(z.real), z.imag * df(z.real))


def _sigmoid(z: complex) -> complex:
    s = p.sigmoid.evaluate(z.real)
    return complex(s, z.imag * s * (1.0 - s))


_COMPLEX: dict[Primitive, Callable[..., complex]] = {
    p.add: lambda a, b: a + b,
    p.subtract: lambda a, b: a - b,
    p.multiply: lambda a, b: a * b,
    p.divide: lambda a, b: a / b if b != 0 else complex(p.divide.evaluate(a.real, b.real)),
    p.power: _complex_power,
    p.negate: lambda a: -a,
    p.absolute: lambda a: -a if a.real < 0 else a,
    p.sign: lambda a: complex(p.sign.evaluate(a.real)),
    p.floor: lambda a: complex(p.floor.evaluate(a.real)),
    p.ceil: lambda a: complex(p.ceil.evaluate(a.real)),
    p.minimum: _by_real(lambda b, a: b < a),
    p.maximum: _by_real(lambda b, a: b > a),
    p.sqrt: cmath.sqrt,
    p.sin: cmath.sin,
    p.cos: cmath.cos,
    p.tan: cmath.tan,
    p.asin: _first_order(math.asin, lambda x: 1 / math.sqrt(1 - x * x)),
    p.acos: _first_order(math.acos, lambda x: -1 / math.sqrt(1 - x * x)),
    p.atan: _first_order(math.atan, lambda x: 1 / (1 + x * x)),
    p.atan2: lambda y, x: complex(
        math.atan2(y.real, x.real), (x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2)
    ),
    p.sinh: cmath.sinh,
    p.cosh: cmath.cosh,
    p.tanh: cmath.tanh,
    p.exp: cmath.exp,
    p.expm1: _first_order(math.expm1, math.exp),
    p.log: cmath.log,
    p.log1p: _first_order(math.log1p, lambda x: 1 / (1 + x)),
    p.hypot: lambda a, b: cmath.sqrt(a * a + b * b),
    p.erf: _first_order(math.erf, lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x)),
    p.lgamma: _first_order(math.lgamma, p.digamma_of),
    p.digamma: _first_order(p.digamma_of, p.trigamma_of),
    p.sigmoid: _sigmoid,
    p.select: lambda c, a, b: a if c else b,
    p.to_float: complex,
    p.to_float32: complex,
}


class Counting(Floats):
    """Floats that count the weight of what they do (design §5: add 1, divide 5, exp 15, …)."""

    def __init__(self) -> None:
        self.total = 0

    def apply(self, primitive: Primitive, arguments: Sequence[object], term: Prim) -> object:
        """Count, then compute."""
        if isinstance(term.type, Float):
            self.total += primitive.weight
        return super().apply(primitive, arguments, term)

    def add(self, a: object, b: object, type_: Type) -> object:
        """One addition of a sum."""
        self.total += 1
        return super().add(a, b, type_)


FLOATS = Floats()
COMPLEX = Complex()
