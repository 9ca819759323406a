"""Evaluation of primitives on Python numbers: IEEE 754 doubles and 64-bit integers, never an exception."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

_INF, _NAN = math.inf, math.nan


def total(function: Callable[..., float], overflow: Callable[..., float] | None = None) -> Callable[..., float]:
    """`function` with NaN for a domain error, and `overflow` (default +inf) for a range error."""

    def evaluate(*xs: float) -> float:
        if any(map(math.isnan, xs)):
            return _NAN
        try:
            return function(*xs)
        except ValueError:
            return _NAN
        except OverflowError:
            return overflow(*xs) if overflow is not None else _INF

    return evaluate


def divide(a: float, b: float) -> float:
    """A / b."""
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return _NAN
    return math.copysign(_INF, a) * math.copysign(1.0, b)


def power(a: float, b: float) -> float:
    """A ** b as C's pow: 1 where b is 0 or a is 1, NaN included."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return -_INF if a < 0.0 and _is_odd(b) else _INF
    except ValueError:
        if a == 0.0:
            return math.copysign(_INF, a) if _is_odd(b) else _INF
        return _NAN


def _is_odd(b: float) -> bool:
    return float(b).is_integer() and int(b) % 2 == 1


def log(x: float) -> float:
    """The logarithm; -inf at 0."""
    return -_INF if x == 0.0 else math.log(x)


def log2(x: float) -> float:
    """The logarithm to the base 2; -inf at 0."""
    return -_INF if x == 0.0 else math.log2(x)


def log10(x: float) -> float:
    """The logarithm to the base 10; -inf at 0."""
    return -_INF if x == 0.0 else math.log10(x)


def log1p(x: float) -> float:
    """log(1 + x); -inf at -1."""
    return -_INF if x == -1.0 else math.log1p(x)


exp = total(math.exp)


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)) without overflow."""
    e = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else e) / (1.0 + e)


def minimum(a: float, b: float) -> float:
    """The first of the smallest; NaN if either is."""
    if a != a or b != b:
        return _NAN
    return b if b < a else a


def maximum(a: float, b: float) -> float:
    """The first of the greatest; NaN if either is."""
    if a != a or b != b:
        return _NAN
    return b if b > a else a


def sign(x: float) -> float:
    """-1, 0 or 1; NaN of NaN."""
    if x != x:
        return x
    return type(x)((x > 0) - (x < 0))


def integral(function: Callable[[float], int]) -> Callable[[float], float]:
    """Floor or ceil, to a real number of the argument's sign."""
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


def truncate(x: float) -> int:
    """Towards zero; the least integer where the result is out of range (as C on x86)."""
    return int(x) if math.isfinite(x) and abs(x) < 2.0**63 else -(2**63)


def single(x: float) -> float:
    """X rounded to single precision."""
    if not math.isfinite(x):
        return float(x)
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.copysign(_INF, x)


# -- integers ----------------------------------------------------------------------------------------------------------


def wrap(x: int) -> int:
    """Two's complement of 64 bits."""
    return (x + 2**63) % 2**64 - 2**63


def wrapped(function: Callable[..., float]) -> Callable[..., float]:
    """`function`, modulo 2**64 on integers."""

    def evaluate(*xs: float) -> float:
        result = function(*xs)
        return wrap(result) if isinstance(result, int) and not -(2**63) <= result < 2**63 else result

    return evaluate


def integer_division(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """Division by zero is reported by a check that elaboration writes; here it is 0, so that it is total."""
    return lambda a, b: 0 if b == 0 else wrap(function(a, b))


def integer_power(a: int, b: int) -> int:
    """A ** b modulo 2**64; 0 if b is negative."""
    return 0 if b < 0 else wrap(pow(a, b, 2**64))
