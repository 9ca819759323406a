"""Least squares of a polynomial and a step (GradBench `llsq`, cmpad).

Source: bradbell/cmpad, through gradbench/gradbench (MIT).
"""

import numpy as np

import fsmooth as fs


def half_sum_of_squares(x: fs.Array["m"], n: int):
    """Half the sum over n points t in [-1, 1] of (sign t - Σ x[j] tʲ)², x (m)."""

    def residual(t):
        value, power = fs.sign(t), 1.0
        for coefficient in x:
            value -= coefficient * power
            power *= t
        return value

    return 0.5 * sum(residual(-1.0 + 2.0 * i / (n - 1.0)) ** 2 for i in range(n))


primal = fs.function(half_sum_of_squares)
gradient = fs.grad(half_sum_of_squares)


def generate(m: int) -> np.ndarray:
    """Random coefficients x."""
    return np.random.RandomState(31337).rand(m)
