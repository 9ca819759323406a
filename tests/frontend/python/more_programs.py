"""Rarer Python: what people write once they trust the front-end."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import fsmooth as fs

CASES: list[tuple[Callable[..., object], tuple[object, ...]]] = []
_random = np.random.default_rng(8)


def case(*arguments: object) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Add a program, with arguments to try it on."""

    def add(function: Callable[..., object]) -> Callable[..., object]:
        CASES.append((function, arguments))
        return function

    return add


def real(*shape: int) -> np.ndarray:
    return _random.uniform(0.5, 2.0, shape)


class State(NamedTuple):
    position: np.ndarray
    speed: float


@case(real(3))
def state_in_loop(x):
    s = State(x * 1.0, 0.0)
    for _ in range(4):
        s = State(s.position + s.speed, s.speed + 0.5)
    return s.position, s.speed


@case(real(5))
def loop_with_branch_and_array(x):
    y = np.zeros(len(x))
    count = 0
    for i in range(len(x)):
        if x[i] > 1:
            y[count] = x[i]
            count += 1
    return y, count


@case(real(3, 4))
def filtered_pairs(A):
    return [A[i, j] for i in range(3) for j in range(4) if A[i, j] > 1 if i != j]


@case(real(3, 4))
def filtered_rows(A):
    return max(A[i, j] for i in range(len(A)) for j in range(len(A[i])) if i < j)


@case(real(3, 4))
def extremum_of_nest(A):
    return max(max(row) for row in A), min(a for row in A for a in row), sum(sum(row) for row in A)


@case(real(4))
def shadowed(x):
    i = 10
    y = [i * x[i] for i in range(len(x))]
    x = y[0] + i
    return x, y


@case(real(4))
def any_of_filtered(x):
    return any(a > 1.9 for a in x if a > 1), all(a > 1 for a in x if a > 1), math.prod(a for a in x if a > 1)


@case(real(4))
def loop_variable_rebound(x):
    s = 0.0
    for a in x:
        a = a * 2
        s += a
    return s


@case(2.0)
def joins_in_nested_branches(x):
    y = 0
    if x > 1:
        if x > 3:
            y = 1
        elif x > 1.5:
            y = x
        else:
            pass
    return y


@case(real(3))
def integer_becomes_real_in_loop(x):
    best = 0
    at = -1
    for i, a in enumerate(x):
        if a > best:
            best, at = a, i
    return best, at


@case(5)
def nested_loops_of_ints(n):
    total = 0
    for i in range(n):
        for j in range(i, n, 2):
            if (i + j) % 3 == 0:
                total += i * j
    return total


@case(real(4), real(4))
def loop_in_helper(x, y):
    def polynomial(c, t):
        result = 0
        for a in reversed(c):
            result = result * t + a
        return result

    return [polynomial(x, t) for t in y]


@case(real(2, 3), real(3, 2))
def chain(A, B):
    return (A @ B).T @ np.ones(2), np.trace(A @ B), A.T + B, (2 * A - B.T) ** 2


@case(real(6))
def windows(x):
    return [sum(x[i : i + 3]) for i in range(len(x) - 2)]


@case(real(4, 4), 2)
def block(A, k):
    return A[:k, k:], A[k], A[-1, -1], A[k:][0]


@case(np.array([2, 0, 1]), real(3))
def gathered(order, x):
    return [x[k] for k in order], sum(x[order[i]] * i for i in range(3))


@case(1.5, True)
def flags(x, flag):
    y = x if flag else -x
    return y + flag, flag and x > 1, not flag or x < 1


@case(real(3))
def early_return_of_tuples(x):
    if x[0] > 100:
        return x, 0
    s = sum(x)
    if s < 0:
        return -x, 1.5
    return x * 2, s


@case(3)
def empty_ranges(n):
    return sum(range(n, 0)), sum(1.0 for _ in range(5, n)), [i for i in range(n, n)], sum(range(n))  # noqa: C416


@case(real(3))
def zips(x):
    return [a * b for a, b in zip(x, x[1:])], [a * b for a, b in zip(x, [1.0, 2.0])]  # noqa: B905, RUF007


@case(real(3))
def array_of_lists(x):
    rows = [[a, a * a] for a in x]
    flat = [b for row in rows for b in row]
    return flat, len(rows[0]), rows[-1][0]


@case(real(3))
def conditional_function(x):
    f = math.sin if len(TABLE) > 1 else math.cos
    return sum(f(a) for a in x)


TABLE = {"a": 1.0, "b": 2.0}


@case(real(3))
def table(x):
    return x[0] * TABLE["a"] + x[1] * TABLE["b"] + sum(v for v in TABLE.values()) + len(TABLE)


@case(4.0)
def default_of_inner(x):
    k = 3

    def f(y, n=k, *, m=2.0):
        return y * n + m

    return f(x) + f(x, 1, m=x)


@case(real(2, 3))
def swapped(A):
    m, n = A.shape
    B = np.zeros((n, m))
    for i in range(m):
        for j in range(n):
            B[j, i] = A[i, j]
    B[0] = A[:, 1]
    return B


@case(real(4))
def while_like(x):
    done = False
    steps = 0
    value = x[0]
    for _ in range(50):
        if not done:
            value = value * 0.9
            steps += 1
            done = value < 0.1
    return steps, value


@case(real(4))
def while_with_jumps(x):
    k, total = 0, 0.0
    while True:
        if k >= len(x):
            break
        k += 1
        if x[k - 1] < 0.0:
            continue
        total += x[k - 1]
    return k, total


@case(real(4))
def while_over_arrays(x):
    y = x.copy()
    k = 0
    while k < len(y) and y[0] < 5.0:
        y[k] += 0.5
        y[0] = y[0] + abs(y[k])
        k += 1
    return y, k


@case(17, 5)
def while_of_integers(n, k):
    while k != 0:
        n, k = k, n % k
    return n


@case(real(3))
def while_in_a_comprehension(x):
    def root(a):
        r = a
        while abs(r * r - a) > 1e-9 * a:
            r = 0.5 * (r + a / r)
        return r

    return [root(a * a + 1.0) for a in x]


@case(real(3))
def mean_and_variance(x):
    m = np.mean(x)
    return m, sum((a - m) ** 2 for a in x) / (len(x) - 1), np.sqrt(np.sum(x**2)), x.dot(x), x.sum() / x.size


@case(real(3))
def numbers_of_numpy(x):
    return np.float64(2) * x[0] + np.pi, np.clip(x, 0.7, 1.5), np.exp(-x), np.abs(-x), np.logaddexp(x[0], x[1])


@case(7, 2)
def integer_functions(n, k):
    return abs(-n), max(n, k), min(n, k, 3), n**k, pow(n, 2), -n % k, divided(n, k), round(n / k), round(n + 0.2)


def divided(n, k):
    return n // k


@case(real(3))
def chained_assignment(x):
    a = b = x[0]
    a += 1
    c, d = e = (a, b)
    return a, b, c + d + e[1]


@case(real(3), fs.function(lambda v: v[0] * 2) and 2.0)
def unused_branches(x, c):
    """Docstrings are skipped."""
    if False:
        return "never"
    if c is None:
        return 0.0
    assert_free: float = c * x[0]
    return assert_free
