"""The logarithm of the gamma function and its first two derivatives."""

from __future__ import annotations

import math


def digamma_of(x: float) -> float:
    """ψ(x): reflection below 1/2, recurrence to 10, then the asymptotic series (Abramowitz and Stegun 6.3)."""
    if math.isnan(x) or x == -math.inf:
        return math.nan
    if x == math.inf:
        return math.inf
    if x <= 0.0 and x == math.floor(x):
        return math.copysign(math.inf, -x) if x == 0.0 else math.nan
    if x < 0.5:
        return digamma_of(1.0 - x) - math.pi / math.tan(math.pi * x)
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
    return result + math.log(x) - 0.5 / x - series


def trigamma_of(x: float) -> float:
    """ψ′(x), by the same three steps as `digamma_of`."""
    if math.isnan(x) or x == -math.inf:
        return math.nan
    if x == math.inf:
        return 0.0
    if x <= 0.0 and x == math.floor(x):
        return math.inf
    if x < 0.5:
        return (math.pi / math.sin(math.pi * x)) ** 2 - trigamma_of(1.0 - x)
    result = 0.0
    while x < 10.0:
        result += 1.0 / (x * x)
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - r * (5 / 66 - r * (691 / 2730 - r * 7 / 6))))))
    return result + 1.0 / x + 0.5 * r + series / x


def lgamma_of(x: float) -> float:
    """log |Γ(x)|, infinite at the poles."""
    if x <= 0.0 and x == math.floor(x):
        return math.inf
    return math.lgamma(x)
