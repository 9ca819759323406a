"""A saddle point by gradient descent inside gradient descent (GradBench `saddle`).

min over x of max over y of |x|² - |y|², x and y of two numbers; both searches start at the same place.  The gradient of the outer
function goes through the inner search, which itself uses gradients.

Source: gradbench/gradbench (MIT), after Siskind and Pearlmutter.
"""

from collections.abc import Callable

import numpy as np

import fsmooth as fs
from benchmarks.workloads.descent import minimiser

EXPECTED = 8.246324826140356e-06
"""Each of the four numbers."""


def height(x, y):
    return x[0] * x[0] + x[1] * x[1] - (y[0] * y[0] + y[1] * y[1])


MODES = {"f": "forward", "r": "reverse"}


def search(modes: str) -> Callable[[object], np.ndarray]:
    """The search with an outer and an inner method of differentiation, `ff`, `fr`, `rf` or `rr`: start (2) to x and y (4)."""
    outer, inner = [MODES[mode] for mode in modes]

    def lowest(x: fs.Array[2], start: fs.Array[2]):
        """The y at which -height is smallest."""
        return minimiser(lambda y: -height(x, y), start, inner, fs.norm)

    @fs.function
    def best(start: fs.Array[2]):
        """The x at which the largest height is smallest."""
        return minimiser(lambda x: height(x, lowest(x, start)), start, outer, fs.norm)

    answer = fs.function(lowest)

    def saddle(start: object) -> np.ndarray:
        x = best(start)
        return np.concatenate([x, answer(x, start)])

    return saddle
