"""A recurrence of one number over many steps, x becomes sin(x) + a, and its derivative by the start and by a."""

from __future__ import annotations

import math

import fsmooth as fs


def last(x: float, a: float, steps: int):
    """x after the steps."""
    for _ in range(steps):
        x = math.sin(x) + a
    return x


primal = fs.function(last)
gradient = fs.grad(last, wrt=("x", "a"))
