"""% and // of real numbers: C's remainder, which is exact, and the corrections that Python and NumPy make to it.

>>> 5.0 % 0.1, 5.0 // 0.1
(0.09999999999999973, 49.0)
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import number
from fsmooth.core.term import Const, If, Prim, Term
from fsmooth.frontend.python.frame import Frame


def real_modulo(frame: Frame, x: Term, y: Term) -> Term:
    """X % y, which has the sign of y, zero included; NaN where y is 0 or x is infinite."""
    y = frame.bind(y, "y")
    rest = frame.bind(Prim(p.fmod, (x, y)), "rest")
    zero = number(0.0, y.type)
    moved = Prim(p.add, (rest, y))
    # Adding 0 makes of -0.0 what Python makes of it, and leaves the derivative alone.
    above = If(Prim(p.less, (rest, zero)), moved, Prim(p.add, (rest, zero)))
    below = If(Prim(p.less, (zero, rest)), moved, Prim(p.negate, (Prim(p.subtract, (zero, rest)),)))
    return _by_sign(y, above, below)


def real_floor_division(frame: Frame, x: Term, y: Term) -> Term:
    """X // y: (x - x % y) / y, which is near an integer, hence rounded to it; x / y where y is 0."""
    x, y = frame.bind(x, "x"), frame.bind(y, "y")
    rest = frame.bind(Prim(p.fmod, (x, y)), "rest")
    zero, half, one = number(0.0, y.type), number(0.5, y.type), number(1.0, y.type)
    # One division, so that no reciprocal is shared; a quotient of 0 has the sign of x / y.
    multiple = If(Prim(p.equal, (x, rest)), Prim(p.multiply, (x, zero)), Prim(p.subtract, (x, rest)))
    if not (isinstance(y, Const) and y.value != 0.0):
        multiple = If(Prim(p.equal, (y, zero)), x, multiple)
    towards_zero = frame.bind(Prim(p.divide, (multiple, y)), "quotient")
    lower = Prim(p.subtract, (towards_zero, one))
    above = If(Prim(p.less, (rest, zero)), lower, towards_zero)
    below = If(Prim(p.less, (zero, rest)), lower, towards_zero)
    quotient = frame.bind(_by_sign(y, above, below), "quotient")
    whole = frame.bind(Prim(p.floor, (quotient,)), "whole")
    up = Prim(p.less, (half, Prim(p.subtract, (quotient, whole))))
    return If(up, Prim(p.add, (whole, one)), whole)


def _by_sign(y: Term, above: Term, below: Term) -> Term:
    """`below` where y is negative."""
    if isinstance(y, Const):
        return below if y.value < 0.0 else above
    return If(Prim(p.less, (y, number(0.0, y.type))), below, above)
