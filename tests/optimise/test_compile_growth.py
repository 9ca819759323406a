"""How many rewritings a program takes grows with its length, and not with two to its power: programs that once did not end.

Counted, not timed: twice as many statements are at most a few times as many rewritings.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import fsmooth as fs
from tests.sources import function_of

X, P = np.array([0.5, 1.1, 0.3, 0.2]), np.array([1.0, 2.0, 3.0])


def choices(n: int) -> str:
    """A chain of conditions in a loop."""
    first, *others = [f"v < {k}.5:\n            y = p[{k % 3}] * v + {k}.0\n" for k in range(n)]
    chain = f"        if {first}" + "".join([f"        elif {one}" for one in others])
    return f"def f(p, x):\n    s = 0.0\n    for v in x:\n{chain}        else:\n            y = v\n        s += y * y\n    return s\n"


def conditions(n: int) -> str:
    """Conditions one after the other."""
    steps = [
        f"    if s > {k}.5:\n        s = s * p[1] + {k}.0\n    elif s < -{k}:\n        s = s + p[0]\n" for k in range(n)
    ]
    return f"def f(p, x):\n    s = p[0] + x[0]\n{''.join(steps)}    return s\n"


def expressions(n: int) -> str:
    """Conditional expressions, one inside the other."""
    steps = [f"    a = a * p[1] if a > {k}.0 else (a + p[1] if a > {k}.5 else a - 1)\n" for k in range(n)]
    return f"def f(p, x):\n    a = p[0] + x[0]\n{''.join(steps)}    return a\n"


def reversals(n: int) -> str:
    """Layers whose residual is the other way round."""
    steps = [f"    y = np.tanh(y * {k + 1}.0) + y[::-1]\n" for k in range(n)]
    return f"def f(p, x):\n    y = p\n{''.join(steps)}    return np.sum(y) + x[0]\n"


def sweeps(n: int) -> str:
    """A fixed point by a number of sweeps that is known."""
    return f"""def f(p, x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        a, b = x[i], x[i] * x[i]
        for _ in range({n}):
            d = 1 + p[0] * a * a
            a = (x[i] - p[1] * a * b) / d
            b = (x[i] * x[i] - p[2] * a * b) / d
        out[i] = a * b
    return out
"""


def rewritings(source: str, verb, method: str) -> int:
    derivative = verb(function_of(source, f"<growth {hash(source)}>", "f"), wrt="p", method=method)
    derivative(P, X)
    fired = derivative.explain().split("rules that fired:")[1].split("\n\n")[0]
    return sum([int(count) for count in re.findall(r"^ +(\d+)  ", fired, re.MULTILINE)])


@pytest.mark.parametrize("method", ["forward", "reverse", "tape"])
@pytest.mark.parametrize(("program", "n"), [(choices, 12), (conditions, 8), (expressions, 8), (reversals, 8)])
def test_twice_as_long(program, n: int, method: str) -> None:
    once, twice = [rewritings(program(k), fs.grad, method) for k in (n, 2 * n)]
    assert twice < 4 * once


def test_jacobians_of_sweeps() -> None:
    once, twice = [rewritings(sweeps(k), fs.jacobian, "reverse") for k in (4, 8)]
    assert twice < 8 * once
