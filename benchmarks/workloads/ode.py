"""A chain of linear differential equations by the classical Runge-Kutta method (GradBench `ode`, cmpad `an_ode`).

y'[0] = x[0], y'[i] = x[i] y[i - 1], y(0) = 0, up to time 2.

Source: bradbell/cmpad, through gradbench/gradbench (MIT).  The gradient of y[n - 1] is zero to double precision for large n, and
depends on the last 4 k + 1 components of y with k steps to go.
"""

import numpy as np

import fsmooth as fs


def solve(x: fs.Array["n"], s: int):
    """y(2) (n), after s steps; x (n)."""

    def slope(y):
        return [x[i] * (y[i - 1] if i > 0 else 1.0) for i in range(len(x))]

    h = 2.0 / s
    y = [0.0 for _ in x]
    for _ in range(s):
        k1 = slope(y)
        k2 = slope(y + h / 2.0 * k1)
        k3 = slope(y + h / 2.0 * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def last(x: fs.Array["n"], s: int):
    """The last component of y(2)."""
    return solve(x, s)[len(x) - 1]


def total(x: fs.Array["n"], s: int):
    """The sum of all components of y(2), which depends on each of them in each step."""
    return sum(solve(x, s))


primal = fs.function(solve)
gradient = fs.grad(last)
gradient_of_total = fs.grad(total)


def generate(n: int) -> np.ndarray:
    """Random numbers."""
    return np.random.RandomState(31337).rand(n)
