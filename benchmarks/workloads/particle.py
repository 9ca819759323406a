"""A particle in an electric field: gradient descent over a simulation that differentiates (GradBench `particle`).

Two charges, at (10, 10 - w) and (10, 0), repel a particle.  It starts at (0, 8) with velocity (0.75, 0) and is followed by
Euler's method until it reaches the ground y = 0.  Sought is the w that brings it there nearest to x = 0.

Source: gradbench/gradbench (MIT), after Siskind and Pearlmutter.
"""

from __future__ import annotations

import math

import fsmooth as fs
from benchmarks.workloads.descent import minimiser

EXPECTED = 0.2071918746486116
DT = 0.1


def potential(x, w):
    """The potential at x (2)."""
    above = math.sqrt((x[0] - 10.0) ** 2 + (x[1] - (10.0 - w)) ** 2)
    below = math.sqrt((x[0] - 10.0) ** 2 + x[1] ** 2)
    return 1.0 / above + 1.0 / below


def landing(w, method):
    """The square of x where the particle lands."""
    slope = fs.grad(lambda x: potential(x, w), method=method)
    x, v = [0.0, 8.0], [0.75, 0.0]
    while x[1] + DT * v[1] > 0.0:
        x, v = x + DT * v, v - DT * slope(x)
    landed = x[0] - x[1] / v[1] * v[0]
    return landed * landed


def _search(outer: str, inner: str) -> fs.Function:
    def particle(w: float):
        return minimiser(lambda w: landing(w, inner), w, outer, abs)

    return fs.function(particle)


MODES = {"f": "forward", "r": "reverse"}


def search(modes: str) -> fs.Function:
    """The search with an outer and an inner method of differentiation: `ff`, `fr`, `rf` or `rr`."""
    return _search(*[MODES[m] for m in modes])
