"""Tables of which a step reads what another use of it changes: still changed in place, both ways, in time linear in the steps."""

from __future__ import annotations

import re

import numpy as np
import pytest

import fsmooth as fs
from tests.reverse.tables import moments


def rows(x):
    """A row of two numbers from the row before."""
    s = np.zeros((len(x) + 1, 2))
    for i in range(len(x)):
        s[i + 1] = [s[i, 0] + x[i], s[i, 1] * x[i] + s[i, 0]]
    return s[len(x), 1]


def interleaved(x):
    """Two elements in each step, the second from the first."""
    p = np.zeros(2 * len(x) + 2)
    p[0] = 1.0
    p[1] = 0.5
    for i in range(len(x)):
        p[2 * i + 2] = p[2 * i] * x[i]
        p[2 * i + 3] = p[2 * i + 1] * x[i] + p[2 * i + 2] * p[2 * i]
    return p[2 * len(x) + 1]


def twice(x):
    """One element in each step, in two updates."""
    p = np.zeros(len(x) + 1)
    p[0] = 1.0
    for i in range(len(x)):
        p[i + 1] = p[i] * x[i]
        p[i + 1] = p[i + 1] * 0.5 + x[i] * p[i]
    return p[len(x)]


def smoothed(x):
    """The element before and the one after, which has not been changed yet."""
    p = [a * a for a in x]
    for i in range(1, len(x) - 1):
        p[i] = p[i] * p[i + 1] + 0.5 * p[i - 1] * p[i]
    return sum(a * x[0] for a in p)


def two_apart(x):
    """Two elements in each step, neither read by a step."""
    p = np.zeros(2 * len(x))
    for i in range(len(x)):
        p[2 * i] = np.sin(x[i])
        p[2 * i + 1] = x[i] * x[i]
    return sum(a * a for a in p)


def somewhere(x):
    """Two elements in each step, of which it is not known that they are different."""
    p = np.zeros(len(x))
    for i in range(len(x)):
        p[i * 5 % len(x)] = np.sin(x[i])
        p[i * 7 % len(x)] = x[i] * x[i]
    return sum(a * a for a in p)


def appended(x):
    """A list that each step adds to three times, or once."""
    out = []
    for v in x:
        if v > 0.72:
            out.append(np.sin(v))
            out.append(v * v)
        out.append(v)
    return sum(a * a for a in out)


def elements_of_rows(x):
    """Each element of a row by itself."""
    p = np.zeros((len(x), 3))
    for i in range(len(x)):
        p[i, 0] = np.sin(x[i])
        p[i, 1] = x[i] * x[i]
        p[i, 2] = x[0] * x[i]
    return sum(a[0] * a[1] * a[2] for a in p)


def two_rows(x):
    """Two rows in each step."""
    p = np.zeros((2 * len(x), 2))
    for i in range(len(x)):
        p[2 * i] = [np.sin(x[i]), x[i]]
        p[2 * i + 1] = [x[i] * x[i], x[0]]
    return sum(a[0] * a[1] * a[1] for a in p)


PROGRAMS = (
    rows,
    moments,
    interleaved,
    twice,
    smoothed,
    two_apart,
    somewhere,
    appended,
    elements_of_rows,
    two_rows,
)


def by_complex_step(program, x: np.ndarray) -> list[float]:
    class Complex:
        """NumPy, whose zeros are complex."""

        sin = staticmethod(np.sin)

        zeros = staticmethod(lambda shape: np.zeros(shape, complex))

    run = type(program)(program.__code__, {**program.__globals__, "np": Complex}, program.__name__)
    return [complex(run(x + 1e-30j * row)).imag / 1e-30 for row in np.eye(len(x))]


@pytest.mark.parametrize("n", [2, 3, 9])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program, n: int) -> None:
    x = np.linspace(0.5, 0.9, n)
    found = fs.grad(program, method="reverse")(x)
    np.testing.assert_allclose(found, by_complex_step(program, x), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_step_copies_the_table(program) -> None:
    source = fs.grad(program, method="reverse").c_source(np.linspace(0.5, 0.9, 40))
    loops = re.split(r"\n    for \(int64_t ", source[: source.index("int32_t grad_", source.index("fs_take(&arena"))])
    *_, backward = [loop for loop in loops if "+=" in loop]
    step, _, _ = backward.partition("\n    }\n")
    assert "+=" in step
    copies = re.findall(r"mem(?:cpy|set)\([^;]*\(size_t\)([^;]*) \* sizeof", step)
    assert not [size for size in copies if not size.isdigit()], copies
