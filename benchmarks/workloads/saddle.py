"""A saddle point by gradient descent inside gradient descent (GradBench `saddle`).

min over x of max over y of |x|² - |y|², x and y of two numbers; both searches start at the same place.  The gradient of the outer
function goes through the inner search, which itself uses gradients.

Source: gradbench/gradbench (MIT), after Siskind and Pearlmutter.
"""

import fsmooth as fs
from benchmarks.workloads.descent import minimiser

EXPECTED = 8.246324826140356e-06
"""Each of the four numbers."""


def height(x, y):
    return x[0] * x[0] + x[1] * x[1] - (y[0] * y[0] + y[1] * y[1])


def _search(outer: str, inner: str) -> fs.Function:
    def saddle(start: fs.Array[2]):
        def lowest(x):
            """Where -height is smallest over y."""
            return minimiser(lambda y: -height(x, y), start, inner, fs.norm)

        x = minimiser(lambda x: height(x, lowest(x)), start, outer, fs.norm)
        y = lowest(x)
        return [x[0], x[1], y[0], y[1]]

    return fs.function(saddle)


MODES = {"f": "forward", "r": "reverse"}


def search(modes: str) -> fs.Function:
    """The search with an outer and an inner method of differentiation: `ff`, `fr`, `rf` or `rr`."""
    return _search(*[MODES[m] for m in modes])
