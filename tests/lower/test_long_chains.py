"""Definitions each of which uses the one before twice, in loops over elements: no pass writes one out with all that are in it.

One that did would not end: of 40 there are 2⁴⁰ copies of the first.
"""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from tests.sources import function_of

LENGTH = 40


def chain(depth: int, start: str) -> str:
    """The definitions, t40 the last."""
    lines = [f"t0 = {start}", *[f"t{k + 1} = np.sin(t{k}) * t{k} + 0.1" for k in range(LENGTH)]]
    return "".join([f"{'    ' * depth}{line}\n" for line in lines])


BEGINNING = """
def chained(x, y):
    r = np.zeros((len(y), len(x)))
    for s in range(len(y)):
"""
END = """
    return np.sum(r * r)
"""
IN_THREE_LOOPS = f"""
        for i in range(len(y)):
            for j in range(len(x)):
{chain(4, "y[i] * x[j] * y[s]")}
                r[i, j] += t{LENGTH} * x[j]
"""
IN_TWO_LOOPS = f"""
        for i in range(len(y)):
{chain(3, "y[i] * y[s]")}
            for j in range(len(x)):
                r[i, j] += t{LENGTH} * x[j]
"""
IN_SUMS = f"""
        for j in range(len(x)):
            u = 0.0
            for i in range(len(x)):
{chain(4, "x[i] * y[s]")}
                u += t{LENGTH} * x[j]
            r[s, j] += u
"""
IN_A_BRANCH = f"""
        for j in range(len(x)):
{chain(3, "x[j] * y[s]")}
            if t{LENGTH} > 0.0:
                r[s, j] += t{LENGTH} * x[j]
"""
OF_ROWS = f"""
        for j in range(len(x)):
{chain(3, "r[s - 1 if s > 0 else 0, j] + y[s] * x[j]")}
            r[s, j] = t{LENGTH} * x[j]
"""


def places(depth: int, step: str) -> str:
    """Integers, the last of them p40."""
    lines = ["p0 = i + s", *[f"p{k + 1} = {step.replace('p', f'p{k}')}" for k in range(LENGTH)]]
    return "".join([f"{'    ' * depth}{line}\n" for line in lines])


REMAINDERS = "(p * p + 1) % len(x)"
READ = f"""
        for i in range(len(x)):
{places(3, REMAINDERS)}
            r[s, i] += x[p{LENGTH}] * y[s]
"""
ADDED_TO = f"""
        for i in range(len(x)):
{places(3, REMAINDERS)}
            r[s, p{LENGTH}] += x[i] * y[s]
"""
DOUBLED = f"""
        for i in range(len(x)):
{places(3, "p + p")}
            r[s, p{LENGTH} % len(x)] += x[i] * y[s]
"""
OF_THREE_LOOPS = f"""
        for i in range(len(y)):
{places(3, REMAINDERS)}
            for j in range(len(x)):
                r[i, j] += x[p{LENGTH}] * y[i] * x[j]
"""


@pytest.mark.parametrize(
    "body", [IN_THREE_LOOPS, IN_TWO_LOOPS, IN_SUMS, IN_A_BRANCH, OF_ROWS, READ, ADDED_TO, DOUBLED, OF_THREE_LOOPS]
)
def test_chains_of_definitions(body: str) -> None:
    x, y = np.linspace(0.1, 0.9, 5), np.linspace(0.2, 0.7, 4)
    program = function_of(BEGINNING + body + END, f"<chain {hash(body)}>", "chained")
    np.testing.assert_allclose(fs.function(program)(x, y), program(x, y), rtol=1e-12)
    step = 1e-6
    differences = [(program(x + step * row, y) - program(x - step * row, y)) / (2.0 * step) for row in np.eye(len(x))]
    np.testing.assert_allclose(fs.grad(program)(x, y), differences, rtol=1e-6, atol=1e-8)
    hessian = fs.hessian(program)(x, y)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-9, atol=1e-12)


def test_a_machine_with_many_states() -> None:
    """What a text is after a step is one of two for each that it was."""
    lines = ["def machine(x, v):", "    state = 's0'", "    for a in v:"]
    for k in range(9):
        lines += [
            f"        {'if' if k == 0 else 'elif'} state == 's{k}':",
            f"            x = x + {k}.5 * a",
            f"            state = 's{(k + 1) % 9}' if a > 0 else 's{(k + 2) % 9}'",
        ]
    program = function_of("\n".join([*lines, "    return x", ""]), "<machine>", "machine")
    v = np.linspace(-1.0, 1.0, 9)
    assert fs.function(program)(0.5, v) == pytest.approx(program(0.5, v), rel=1e-14)


def shifted(n):
    s = n
    for _ in range(3):
        s = s ^ (s >> 7)
        s = s ^ (s >> 3)
        s = s ^ (s >> 2)
    return s


def test_integers_of_bits() -> None:
    assert fs.function(shifted)(12345) == shifted(12345)
