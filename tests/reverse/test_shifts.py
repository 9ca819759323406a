"""Reads at shifted indices: their reverse derivatives are loops that write each element once, without zeroed arrays."""

from __future__ import annotations

import re

import numpy as np
import pytest
from benchmarks.workloads import ode

import fsmooth as fs


def rosenbrock(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))


def rosenbrock_by_hand(x: np.ndarray) -> np.ndarray:
    g = np.zeros_like(x)
    g[:-1] += -400.0 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2.0 * (1.0 - x[:-1])
    g[1:] += 200.0 * (x[1:] - x[:-1] ** 2)
    return g


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10])
def test_rosenbrock(n: int) -> None:
    x = np.linspace(0.3, 1.7, n)
    found = fs.grad(rosenbrock, method="reverse")(x)
    np.testing.assert_allclose(found, rosenbrock_by_hand(x), rtol=1e-13)


def test_rosenbrock_is_one_loop() -> None:
    body = body_of(fs.grad(rosenbrock, method="reverse").c_source(np.ones(3)))
    assert body.count("for (") == 1
    assert "+=" not in body
    assert "memset" not in body


def differences(x):
    """The count of a slice is a maximum with 0."""
    return np.sum((x[1:] - x[:-1]) ** 2)


def curvature(x):
    """A condition that implies that the neighbours are there, on a definition that is read many times."""
    n = len(x)
    y = [x[i + 1] - 2.0 * x[i] + x[i - 1] if i > 0 and i < n - 1 else 0.0 for i in range(n)]
    return np.sum(np.square(y))


@pytest.mark.parametrize("program", [differences, curvature])
def test_each_element_once(program: object) -> None:
    body = body_of(fs.grad(program, method="reverse").c_source(np.ones(3)))
    assert body.count("for (") == 1
    assert "+=" not in body and "memset" not in body
    assert body.count("?") == {"differences": 2, "curvature": 4}[program.__name__]
    for n in (0, 1, 2, 3, 4, 9):
        x = np.sin(np.arange(n) ** 2.0)
        forward = fs.grad(program, method="forward")(x)
        np.testing.assert_allclose(fs.grad(program, method="reverse")(x), forward, rtol=1e-13, atol=1e-14)


def stencil(x, w):
    """Two neighbours with conditions at the ends, and the mirrored element."""
    n = len(x)
    return sum(
        w[i] * fs.sin(x[i]) * ((x[i - 1] if i > 0 else 2.0) - (x[i + 1] if i < n - 1 else x[i] ** 2)) * x[n - 1 - i]
        for i in range(n)
    )


def far(x, w):
    """Reads beyond neighbours, under a condition on what is read."""
    return sum(w[i] * x[i] * x[i + 2] * (x[i + 1] if x[i + 3] > 0.0 else 1.0) for i in range(len(x) - 3))


def steps(x, w):
    """A recurrence of shifted arrays."""
    y = [0.5 for _ in x]
    for _ in range(3):
        y = [x[i] * (y[i - 1] + w[i] if i > 0 else 1.0) + fs.sin(y[i]) for i in range(len(x))]
    return sum(v * v for v in y)


def strided(x, w):
    """Not every element is read: this stays a scatter."""
    return sum(w[i] * x[2 * i] ** 2 for i in range(len(x) // 2))


@pytest.mark.parametrize("program", [stencil, far, steps, strided], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 9])
def test_against_forward_mode_and_differences(program: object, n: int) -> None:
    rng = np.random.default_rng(n)
    x, w = rng.standard_normal(n) * 0.3, rng.standard_normal(n)
    reverse = fs.grad(program, method="reverse", wrt=("x", "w"))(x, w)
    forward = fs.grad(program, method="forward", wrt=("x", "w"))(x, w)
    function = fs.function(program)
    for k, (found, other) in enumerate(zip(reverse, forward, strict=True)):
        np.testing.assert_allclose(found, other, rtol=1e-12, atol=1e-13)
        for i in range(n):
            up, down = [x.copy(), w.copy()], [x.copy(), w.copy()]
            up[k][i] += 1e-5
            down[k][i] -= 1e-5
            assert found[i] == pytest.approx((function(*up) - function(*down)) / 2e-5, rel=1e-6, abs=1e-8)


def test_a_long_array_of_which_little_is_read_is_not_walked_for_each_reader() -> None:
    """A slice of a row's length somewhere in a long array: gathering would visit every element of that."""

    def slices(x, at: int, m: int):
        return sum(fs.sin(x[at + i]) for i in range(m))

    gradient = fs.grad(slices, method="reverse")
    body = body_of(gradient.c_source(np.ones(9), 2, 3))
    assert "+=" in body
    np.testing.assert_allclose(gradient(np.ones(9), 2, 3), np.cos(1.0) * np.array([0, 0, 1, 1, 1, 0, 0, 0, 0.0]))


def test_a_shift_that_is_read_from_an_array_that_may_be_empty() -> None:
    """Where the loop does not run nothing is read, though there is an element to compute."""

    def program(x, shift):
        return sum(x[i + shift[0]] ** 2 for i in range(len(x) - 1))

    gradient = fs.grad(program, method="reverse")
    shift = np.ones(1, dtype=np.int64)
    assert "+=" in body_of(gradient.c_source(np.ones(3), shift))
    np.testing.assert_array_equal(gradient(np.ones(3), shift), [0.0, 2.0, 2.0])
    np.testing.assert_array_equal(gradient(np.ones(1), shift[:0]), [0.0])


def test_the_backward_step_of_a_differential_equation() -> None:
    """The stages backwards, then state and parameters in one loop; states and stages are computed where they are saved."""
    body = body_of(ode.gradient.c_source(np.ones(5), 4))
    forward, backward = body.split("down = 0")
    assert forward.count("for (") - 2 == 4
    assert not re.search(r"memcpy|_held", forward)
    step = backward[: backward.index("_held")]
    assert step.count("for (") == 4
    assert step.count("+=") == 1
    assert not re.search(r"memcpy|if \(", step)
    assert re.findall(r"memset\((\w+) \+ (\w+), 0, \(size_t\)\((\w+) - \2\)", step) and step.count("memset") == 1


def body_of(source: str) -> str:
    """The C function itself."""
    start = source.index("int32_t grad_")
    return source[start : source.index("\n}\n", start)]
