"""Complex numbers for the complex step: d f(x) = Im f(x + ih) / h, with h so small that h² is nothing.

The real part is what `Floats` computes, hence every branch is the same.  Functions that cmath has not, or computes with
another error near the real axis, are taken to first order.  Where the result is not finite there is no slope: NaN.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic.floats import FLOATS, first_extremum
from fsmooth.core.arithmetic.protocol import Arithmetic
from fsmooth.core.arithmetic.slopes import tetragamma_of
from fsmooth.core.gamma import digamma_of, trigamma_of
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Float, Type
from fsmooth.errors import NotDifferentiableError


class Complex(Arithmetic):
    """Complex numbers near the real axis."""

    def constant(self, value: float | int | bool, type_: Type) -> object:
        """Reals become complex."""
        return complex(float(FLOATS.constant(value, type_))) if isinstance(type_, Float) else value  # type: ignore[arg-type]

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """Analytic where the result is real; on real parts where it is Int or Bool.

        Raises:
            NotDifferentiableError: for a primitive that has no continuation here.

        """
        real = FLOATS.apply(primitive, [_real(x) for x in arguments], type_)
        if not isinstance(type_, Float):
            return real
        extended = _EXTENDED.get(primitive)
        if extended is None:
            raise NotDifferentiableError(f"there is no complex step through {primitive.name}")
        value = float(real)  # type: ignore[arg-type]
        if not math.isfinite(value):
            return complex(value, math.nan)
        try:
            return complex(value, extended(*arguments).imag)
        except (ArithmeticError, ValueError):
            return complex(value, math.nan)

    def add(self, a: object, b: object, type_: Type) -> object:
        """A + b."""
        return a + b  # type: ignore[operator]

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """A * b."""
        return a * b  # type: ignore[operator]

    def first_extremum(self, values: Sequence[object], smallest: bool) -> int:
        """By real parts."""
        return first_extremum([float(_real(v)) for v in values], smallest)  # type: ignore[arg-type]


def _real(x: object) -> object:
    return x.real if isinstance(x, complex) else x


def _nearest(smallest: bool) -> Callable[[complex, complex], complex]:
    return lambda a, b: (a, b)[first_extremum((a.real, b.real), smallest)]


def _power(a: complex, b: complex) -> complex:
    if b.imag == 0 and b.real == int(b.real) and abs(b.real) < 64:
        return a ** int(b.real)
    return cmath.exp(b * cmath.log(a))


def _first_order(f: Callable[[float], float], df: Callable[[float], float]) -> Callable[[complex], complex]:
    """F near the real axis; a number that does not vary needs no slope."""
    return lambda z: complex(f(z.real), z.imag * df(z.real) if z.imag else 0.0)


def _sigmoid(z: complex) -> complex:
    s = float(p.sigmoid.evaluate(z.real))
    return complex(s, z.imag * s * (1.0 - s))


def _fmod(a: complex, b: complex) -> complex:
    rest = math.fmod(a.real, b.real)
    return complex(rest, a.imag - round((a.real - rest) / b.real) * b.imag)


def _step(primitive: Primitive) -> Callable[[complex], complex]:
    return lambda z: complex(primitive.evaluate(z.real))


_EXTENDED: dict[Primitive, Callable[..., complex]] = {
    p.add: lambda a, b: a + b,
    p.subtract: lambda a, b: a - b,
    p.multiply: lambda a, b: a * b,
    p.divide: lambda a, b: a / b,
    p.fmod: _fmod,
    p.power: _power,
    p.negate: lambda a: -a,
    p.absolute: lambda a: -a if a.real < 0 else a if a.real else 0j,
    p.sign: _step(p.sign),
    **{primitive: _step(primitive) for primitive in p.UNFOLLOWED},
    p.floor: _step(p.floor),
    p.ceil: _step(p.ceil),
    p.minimum: _nearest(smallest=True),
    p.maximum: _nearest(smallest=False),
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
    p.exp2: _first_order(math.exp2, lambda x: math.exp2(x) * math.log(2)),
    p.log2: _first_order(math.log2, lambda x: 1 / (x * math.log(2))),
    p.log10: _first_order(math.log10, lambda x: 1 / (x * math.log(10))),
    p.cbrt: _first_order(math.cbrt, lambda x: 1 / (3 * math.cbrt(x) ** 2)),
    p.hypot: lambda a, b: cmath.sqrt(a * a + b * b),
    p.erf: _first_order(math.erf, lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x)),
    p.erfc: _first_order(math.erfc, lambda x: -2 / math.sqrt(math.pi) * math.exp(-x * x)),
    p.lgamma: _first_order(math.lgamma, digamma_of),
    p.digamma: _first_order(digamma_of, trigamma_of),
    p.trigamma: _first_order(trigamma_of, tetragamma_of),
    p.sigmoid: _sigmoid,
    p.select: lambda c, a, b: a if c else b,
    p.to_float: complex,
    p.to_float32: complex,
}

COMPLEX = Complex()
