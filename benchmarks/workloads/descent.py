"""Gradient descent with a step size that adapts, inside a program (GradBench, `cpp/gradbench/gd.hpp`)."""

from __future__ import annotations

import fsmooth as fs


def minimiser(f, start, method, size):
    """Where f is smallest, near `start`; `method` is that of the gradient, `size` measures it (a number or an array)."""
    gradient = fs.grad(f, method=method)
    x, value, slope = start, f(start), gradient(start)
    rate, successes = 1e-5, 0
    while size(slope) > 1e-5:
        if successes == 10:
            rate, successes = 2.0 * rate, 0
        else:
            step = rate * slope
            if size(step) <= 1e-5:
                break
            trial = f(x - step)
            if trial < value:
                x, value = x - step, trial
                slope = gradient(x)
                successes += 1
            else:
                rate, successes = 0.5 * rate, 0
    return x
