"""The partial derivatives of the primitives, computed in any arithmetic.

They are written apart from the rows of differentiate/derivatives.py, by other formulas where there are any, so
that dual numbers are a judge of those rows.  The conventions where there is no derivative are the language's:
hypot and atan2 have slope 0 at the origin, x**y has slope 0 in y at x = 0 and in x at y = 0, fmod(x, y) is
x - n * y with a constant n.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic.protocol import Arithmetic
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import BOOL, Type


class Operations(Struct, frozen=True):
    """The primitives as functions on the numbers of one arithmetic, of one type."""

    arithmetic: Arithmetic
    type: Type

    def __call__(self, primitive: Primitive, *arguments: object) -> object:
        return self.arithmetic.apply(primitive, arguments, self.type)

    def number(self, value: float) -> object:
        """A constant."""
        return self.arithmetic.constant(value, self.type)

    def is_zero(self, x: object) -> bool:
        """X == 0."""
        return bool(self.arithmetic.apply(p.equal, (x, self.number(0.0)), BOOL))

    def inverse(self, x: object) -> object:
        """1 / x."""
        return self(p.divide, self.number(1.0), x)

    def square(self, x: object) -> object:
        """x²."""
        return self(p.multiply, x, x)


Slope = Callable[[Operations, tuple[object, ...], object], object]


def tetragamma_of(x: float) -> float:
    """ψ″(x), by the three steps of `gamma.digamma_of`."""
    if math.isnan(x) or math.isinf(x):
        return 0.0 if x == math.inf else math.nan
    if x <= 0.0 and x == math.floor(x):
        return math.nan
    if x < 0.5:
        t = math.pi / math.tan(math.pi * x)
        s = (math.pi / math.sin(math.pi * x)) ** 2
        return tetragamma_of(1.0 - x) - 2.0 * t * s
    result = 0.0
    while x < 12.0:
        result -= 2.0 / x**3
        x += 1.0
    r = 1.0 / (x * x)
    series = r * r * (1 / 2 - r * (1 / 6 - r * (1 / 6 - r * (3 / 10 - r * (5 / 6 - r * (691 / 210 - r * 35 / 2))))))
    return result - r - r / x - series


def _one(o: Operations, x: tuple[object, ...], r: object) -> object:
    return o.number(1.0)


def _minus_one(o: Operations, x: tuple[object, ...], r: object) -> object:
    return o.number(-1.0)


def _power_by_base(o: Operations, x: tuple[object, ...], r: object) -> object:
    base, exponent = x
    if o.is_zero(exponent):
        return o.number(0.0)
    return o(p.multiply, exponent, o(p.power, base, o(p.subtract, exponent, o.number(1.0))))


def _power_by_exponent(o: Operations, x: tuple[object, ...], r: object) -> object:
    return o.number(0.0) if o.is_zero(x[0]) else o(p.multiply, r, o(p.log, x[0]))


def _one_minus_square(o: Operations, x: object) -> object:
    return o(p.subtract, o.number(1.0), o.square(x))


def _direction(position: int) -> Slope:
    """A part of a vector of the plane over the vector's length."""
    return lambda o, x, r: o.number(0.0) if o.is_zero(r) else o(p.divide, x[position], r)


def _angle(position: int, sign: float) -> Slope:
    def slope(o: Operations, x: tuple[object, ...], r: object) -> object:
        length = o(p.hypot, *x)
        if o.is_zero(length):
            return o.number(0.0)
        return o(p.divide, o(p.divide, o(p.multiply, o.number(sign), x[position]), length), length)

    return slope


def _quotient(o: Operations, x: tuple[object, ...], r: object) -> object:
    """-n, where fmod(x, y) is x - n * y; an integer, which rounding must not make another number."""
    near = o(p.divide, o(p.subtract, r, x[0]), x[1])
    return o(p.ceil, o(p.subtract, near, o.number(0.5)))


def _gauss(o: Operations, x: tuple[object, ...], r: object) -> object:
    return o(p.multiply, o.number(2.0 / math.sqrt(math.pi)), o(p.exp, o(p.negate, o.square(x[0]))))


def _logistic(o: Operations, x: tuple[object, ...], r: object) -> object:
    half = o(p.multiply, o.number(0.5), x[0])
    return o(p.multiply, o.number(0.25), o.square(o.inverse(o(p.cosh, half))))


SLOPES: dict[Primitive, tuple[Slope, ...]] = {
    p.add: (_one, _one),
    p.subtract: (_one, _minus_one),
    p.multiply: (lambda o, x, r: x[1], lambda o, x, r: x[0]),
    p.divide: (lambda o, x, r: o.inverse(x[1]), lambda o, x, r: o(p.negate, o(p.divide, r, x[1]))),
    p.fmod: (_one, _quotient),
    p.power: (_power_by_base, _power_by_exponent),
    p.negate: (_minus_one,),
    p.absolute: (lambda o, x, r: o(p.sign, x[0]),),
    p.sqrt: (lambda o, x, r: o.inverse(o(p.multiply, o.number(2.0), r)),),
    p.sin: (lambda o, x, r: o(p.cos, x[0]),),
    p.cos: (lambda o, x, r: o(p.negate, o(p.sin, x[0])),),
    p.tan: (lambda o, x, r: o.square(o.inverse(o(p.cos, x[0]))),),
    p.asin: (lambda o, x, r: o.inverse(o(p.sqrt, _one_minus_square(o, x[0]))),),
    p.acos: (lambda o, x, r: o(p.negate, o.inverse(o(p.sqrt, _one_minus_square(o, x[0])))),),
    p.atan: (lambda o, x, r: o.square(o(p.cos, r)),),
    p.atan2: (_angle(1, 1.0), _angle(0, -1.0)),
    p.sinh: (lambda o, x, r: o(p.cosh, x[0]),),
    p.cosh: (lambda o, x, r: o(p.sinh, x[0]),),
    p.tanh: (lambda o, x, r: o.square(o.inverse(o(p.cosh, x[0]))),),
    p.exp: (lambda o, x, r: o(p.exp, x[0]),),
    p.expm1: (lambda o, x, r: o(p.exp, x[0]),),
    p.log: (lambda o, x, r: o.inverse(x[0]),),
    p.log1p: (lambda o, x, r: o.inverse(o(p.add, o.number(1.0), x[0])),),
    p.exp2: (lambda o, x, r: o(p.multiply, o.number(math.log(2.0)), o(p.exp2, x[0])),),
    p.log2: (lambda o, x, r: o.inverse(o(p.multiply, o.number(math.log(2.0)), x[0])),),
    p.log10: (lambda o, x, r: o.inverse(o(p.multiply, o.number(math.log(10.0)), x[0])),),
    p.cbrt: (lambda o, x, r: o.inverse(o(p.multiply, o.number(3.0), o.square(o(p.cbrt, x[0])))),),
    p.hypot: (_direction(0), _direction(1)),
    p.erf: (_gauss,),
    p.erfc: (lambda o, x, r: o(p.negate, _gauss(o, x, r)),),
    p.lgamma: (lambda o, x, r: o(p.digamma, x[0]),),
    p.digamma: (lambda o, x, r: o(p.trigamma, x[0]),),
    p.sigmoid: (_logistic,),
    **dict.fromkeys(p.UNFOLLOWED, (_one,)),
    p.to_float: (_one,),
    p.to_float32: (_one,),
}

FLAT = frozenset({p.sign, p.floor, p.ceil})
"""Steps: slope 0 wherever there is one."""
