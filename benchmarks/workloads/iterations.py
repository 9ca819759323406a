"""Iterations by recursion, and the same as loops: Newton's and bisection by tail calls, a power by a linear recursion."""

from __future__ import annotations

import fsmooth as fs


def newton(x, a):
    """The root of a from a start."""
    return x if abs(x * x - a) < 1e-13 * a else newton(0.5 * (x + a / x), a)


def newton_by_loop(x, a):
    """The same."""
    while not abs(x * x - a) < 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


def last_step(low, high, a):
    """One step of Newton's from the middle: so the derivative by a is not that of a constant."""
    m = 0.5 * (low + high)
    return m + (a - m * m * m) / (3.0 * m * m)


def bisection(low, high, a):
    """The cubic root of a between two numbers."""
    if high - low < 1e-10:
        return last_step(low, high, a)
    m = 0.5 * (low + high)
    return bisection(m, high, a) if m * m * m < a else bisection(low, m, a)


def bisection_by_loop(low, high, a):
    """The same."""
    while high - low >= 1e-10:
        m = 0.5 * (low + high)
        if m * m * m < a:
            low = m
        else:
            high = m
    return last_step(low, high, a)


def power(x, n):
    """x to the n-th, by n multiplications."""
    return 1.0 if n == 0 else x * power(x, n - 1)


def power_by_loop(x, n):
    """The same."""
    p = 1.0
    for _ in range(n):
        p = x * p
    return p


ITERATIONS = {
    "newton": (newton, newton_by_loop, (100.0, 2.0), "a", (2.0**0.5, 0.5**0.5 / 2.0)),
    "bisection": (bisection, bisection_by_loop, (0.0, 4.0, 5.0), "a", (5.0 ** (1 / 3), 5.0 ** (-2 / 3) / 3.0)),
    "power": (power, power_by_loop, (1.001, 1000), "x", (1.001**1000, 1000 * 1.001**999)),
}
"""The recursion, the loop, arguments, by which the derivative is, and the value with the derivative in closed form."""


def gradient(function, wrt: str, method: str) -> fs.Function:
    """The derivative of one of them."""
    return fs.grad(function, wrt=wrt, method=method)
