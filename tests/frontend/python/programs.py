"""Python programs of every kind that the front-end reads; each runs as Python too, with the same answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

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


@dataclass(frozen=True)
class Line:
    slope: float
    offset: float


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
