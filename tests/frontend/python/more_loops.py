"""Loops, helpers and records; each program runs as Python too, with the same answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from benchmarks.workloads.in_place import fourier

import fsmooth as fs

CASES: list[tuple[Callable[..., object], tuple[object, ...]]] = []
_random = np.random.default_rng(7)


def case(*arguments: object) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Add a program, with arguments to try it on."""

    def add(function: Callable[..., object]) -> Callable[..., object]:
        CASES.append((function, arguments))
        return function

    return add


def real(*shape: int) -> np.ndarray:
    return _random.uniform(0.5, 2.0, shape)


class Camera(NamedTuple):
    rotation: np.ndarray
    focal: float


@dataclass(frozen=True)
class Line:
    slope: float
    offset: float


WEIGHTS = np.array([0.25, 0.5, 0.25])
SCALE = 2.5
ORDER = 3
FLAGS = {"square": True}
TERMS = [(0, 1.0), (1, -2.0), (2, 0.5)]


# -- loops -------------------------------------------------------------------------------------------------------------------


@case(real(5))
def summed(x):
    s = 0
    for a in x:
        s = s + a
    return s


@case(10)
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@case(real(5))
def many_carried(x):
    s, p, biggest, at = 0, 1, x[0], 0
    for i in range(1, len(x)):
        s += x[i]
        p *= x[i]
        if x[i] > biggest:
            biggest = x[i]
            at = i
    return s, p, biggest, at


@case(real(6))
def prefix_sums(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += y[i - 1]
    return y, x


@case(real(3, 3))
def eliminated(A):
    A = A.copy()
    n = len(A)
    for k in range(n):
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            for j in range(k, n):
                A[i, j] -= f * A[k, j]
    return A


@case(np.array([0, 2, 1, 2, 0, 2]))
def histogram(bins):
    counts = np.zeros(3)
    for b in bins:
        counts[b] += 1
    return counts


@case(real(4), real(4), 2.0)
def iterators(x, y, c):
    s = 0.0
    for i, a in enumerate(x):
        s += i * a
    for a, b in zip(x, y):  # noqa: B905
        s += a * b
    for a in reversed(x):
        s = s * c + a
    for i in range(6, -1, -2):
        s -= i
    for i in range(1, 8, 3):
        s += i * i
    for i, (a, b) in enumerate(zip(x, y)):  # noqa: B905
        s += i * a - b
    return s


@case(real(3))
def unrolled(x):
    s = 0
    for k in fs.unroll(range(3)):
        s += k * x[k]
    for k, c in TERMS:
        s += c * x[k] ** k
    for name, power in (("a", 1), ("b", 2)):
        if name == "b":
            s += x[0] ** power
    return s


@case(real(3), 0)
@case(real(3), 4)
def loop_of_no_steps(x, n):
    s = 1.0
    for i in range(n):
        s *= x[i % 3]
    return s


@case(2.0)
def newton(a):
    x = a
    for _ in range(20):
        x = 0.5 * (x + a / x)
    return x


@case(real(5))
def bubble_sorted(x):
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


# -- functions ------------------------------------------------------------------------------------------------------------------


def power(x, n=2, *, scale=1.0):
    return scale * x**n


@fs.function
def dot(a, b):
    return sum(x * y for x, y in zip(a, b))  # noqa: B905


@case(1.5)
def arguments(x):
    return power(x), power(x, 3), power(x, scale=2.0), power(n=1, x=x)


@case(1.5)
def inner_functions(x):
    def twice(f, y):
        return f(f(y))

    square = lambda z: z * z + x  # noqa: E731
    return twice(square, x) + twice(lambda z: z + 1, 0.5)


@case(real(3))
def captured(x):
    y = [w * a * SCALE for w, a in zip(WEIGHTS, x)]  # noqa: B905
    if FLAGS["square"]:
        return sum(a**ORDER for a in y)
    return 0.0


@case(Camera(real(3), 2.0), real(3))
def named_tuples(camera, p):
    moved = Camera(camera.rotation + p, camera.focal * 2)
    return moved.rotation[0] * moved.focal, moved


@case(Line(2.0, 1.0), 3.0)
def dataclasses(line, x):
    steeper = Line(slope=line.slope * 2, offset=line.offset)
    return line.slope * x + line.offset, steeper.slope


@case((1.0, (2.0, 3.0)), real(2))
def tuples(t, x):
    a, (b, c) = t
    p, q = x
    pair = (a + b, c)
    return pair[0] * pair[-1] + p / q, len(pair)


@case(real(4))
def arrays_of_pairs(x):
    pairs = [(a, a * a) for a in x]
    return sum(p * q for p, q in pairs), pairs[2][1]


@case(real(2, 3))
def library(A):
    return np.sum(A), A.sum(axis=0), np.mean(A), np.trace(A @ A.T), np.linalg.norm(A[0]), A.max(), np.zeros((2, 2))


@case(4)
def made(n):
    return np.eye(n), np.ones(n), np.arange(n), np.full(3, 2.0), np.zeros(n)


@case(-3, 9, 4)
@case(-3, 9, 20)
@case(9, -3, -4)
@case(9, -3, 5)
@case(2, 2, 1)
def steps_that_are_computed(start, stop, step):
    total = count = 0
    for i in range(start, stop, step):
        total = 10 * total + i
        count += 1
    return total, count


case(real(8), real(8))(fourier)
