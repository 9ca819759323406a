"""The square of a number, and its derivative (GradBench `hello`)."""

from __future__ import annotations

import fsmooth as fs


def squared(x: float):
    return x * x


square = fs.function(squared)
double = fs.grad(squared)
