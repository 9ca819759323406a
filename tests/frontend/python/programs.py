"""Python programs of every kind that the front-end reads; each runs as Python too, with the same answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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


def rotate(r, p):
    theta = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    if theta == 0.0:
        return [p[0], p[1], p[2]]
    k = [x / theta for x in r]
    d = sum(k[i] * p[i] for i in range(3)) * (1 - math.cos(theta))
    c = [k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2], k[0] * p[1] - k[1] * p[0]]
    return [p[i] * math.cos(theta) + c[i] * math.sin(theta) + k[i] * d for i in range(3)]


# -- comprehensions and reductions ---------------------------------------------------------------------------------------


@case(real(3), real(4), real(3, 4))
def nnmf(u, v, A):
    return sum(math.log(u[i] * v[j]) + A[i, j] / (u[i] * v[j]) for i in range(len(u)) for j in range(len(v)))


@case(np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, 3.0]))
def rotated(r, p):
    return rotate(r, p)


@case(np.zeros(3), np.array([1.0, 2.0, 3.0]))
def not_rotated(r, p):
    return rotate(r, p)


@case(real(5))
def squares(x):
    return [a**2 + 1 for a in x]


@case(real(4), real(3))
def outer_product(x, y):
    return [[a * b for b in y] for a in x]


@case(real(4), real(3))
def flat_product(x, y):
    return [a * b for a in x for b in y]


@case(np.array([1.0, -2.0, 3.0, -4.0]))
def positives(x):
    return [2 * a for a in x if a > 0]


@case(np.array([1.0, -2.0, 3.0, -4.0]))
def filtered_sum(x):
    return sum(math.sqrt(a) for a in x if a > 0)


@case(np.array([1.0, -2.0, 3.0, -4.0]))
def filtered_max(x):
    return max(a for a in x if a < 2)


@case(np.array([1.0, -2.0, 3.0, -4.0]))
def largest_and_smallest(x):
    return max(x), min(x), max(a * a for a in x), min(a + i for i, a in enumerate(x))


@case(np.array([1.0, -2.0, 3.0]))
def quantified(x):
    return any(a < 0 for a in x), all(a < 0 for a in x), all(a > -5 for a in x)


@case(np.array([1.0, -2.0, 3.0]))
def counted(x):
    return sum(a > 0 for a in x), sum(1 for a in x if a > 0), len([a for a in x if a > 0])


@case(5)
def triangle(n):
    return sum(i * j for i in range(n) for j in range(i + 1))


@case(real(4))
def started_sum(x):
    return sum([a * a for a in x], 10.0)


@case(real(3, 4))
def rows(A):
    return [sum(row) for row in A]


@case(np.zeros(0))
def empty(x):
    return sum(a for a in x), [a * 2 for a in x]


# -- indexing ------------------------------------------------------------------------------------------------------------


@case(real(5), 2)
def indices(x, k):
    return x[0] + x[-1] * x[k] - x[len(x) - 2]


@case(real(6), 1, 4)
def slices(x, a, b):
    return x[a:b], x[1:4], x[:-1], x[2:], x[::2], x[::-1]


@case(real(4, 5))
def matrix_slices(A):
    return A[1], A[:, 2], A[1:3, 0], A[1:, 2:4], A.T[0], A.shape[0] * A.shape[1]


@case(real(3, 4))
def transposed(A):
    m, n = A.shape
    return [[A[i][j] for i in range(m)] for j in range(n)]


# -- arithmetic ------------------------------------------------------------------------------------------------------------


@case(real(3), real(3))
def elementwise(x, y):
    return x + y, x * 2 - y / 3, -x, x**2, np.sqrt(x) + np.sin(y), 1 / x


@case(real(3, 3), real(3, 3), real(3))
def products(A, B, x):
    return A @ B, A @ x, x @ A, x @ x, np.dot(x, x), np.outer(x, x)


@case(7, -3)
def integers(a, b):
    return a // b, a % b, b // a, b % a, a**2, a / b, a * b - a, -a // 2


@case(7.5, -2.0)
def reals(a, b):
    return a // b, a % b, a**2, a**0.5, a**-1, abs(b), a**b, 2**a


@case(3, 2.5)
def mixed(n, x):
    return n * x, n + 1, n / 2, max(n, x), min(n, 2), float(n), int(x), n**x, True + n


@case(0.3, 1.7)
def functions_of_math(x, y):
    return (
        math.sin(x) + math.exp(y) + math.log(y) + math.tanh(x) + math.atan2(x, y) + math.hypot(x, y)
        + math.pow(x, y) + math.log1p(x) + math.expm1(x) + math.fabs(-x) + math.floor(y) + math.ceil(y) + math.erf(x)
        + math.pi + math.asin(x) + math.log(y, 2)
    )  # fmt: skip


@case(1.5, 2)
def comparisons(x, n):
    return 1 < x < 2, x == 1.5 and n != 2, x > 2 or n >= 2, not x < 1, 0 <= n <= 1 < x


# -- branches ---------------------------------------------------------------------------------------------------------------


@case(-1.5)
@case(0.0)
@case(2.0)
def early_return(x):
    if x < 0:
        return -x
    y = x * 2
    if x == 0:
        return 1
    elif y > 3:
        y += 1
    return y


@case(0.5)
@case(1.5)
def joined(x):
    a = 0
    b = [1.0, 2.0]
    if x > 1:
        a = x
        b[0] = x * x
    else:
        c = x + 1
        a = c * c
    return a + b[0], (1 if x < 1 else x)


@case(np.array([1.0, -2.0, 0.0]))
def guarded(x):
    return [math.sqrt(a) if a > 0 else 0 for a in x], sum(1 / a for a in x if a != 0 and 1 / a > 0.5)


@case(np.array([3.0, 1.0, 2.0]))
def choosing(x):
    return np.where(x > 1.5, x, 0.0), np.argmax(x), np.argmin(x), np.maximum(x, 2.0)


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
