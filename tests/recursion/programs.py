"""Functions that call themselves, each with arguments; as Python they are their own specification."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def power(x, k):
    """Linear recursion."""
    if k == 0:
        return 1.0
    return x * power(x, k - 1)


def saving(x, k):
    """Linear recursion whose arguments must be saved, of a real number and an integer, after a name that is used twice."""
    if k < 1:
        return x
    y = np.sin(x) + k
    return y * saving(0.5 * x + 1.0 / y, k // 2) + x


def known(x, n):
    """Linear recursion that counts up, and reads an array at what it counts."""

    def rest(v, i):
        if i >= len(v):
            return 1.0
        tail = rest(v, i + 2)
        return v[i] * tail if tail < 3.0 else v[i] + tail

    return rest(np.array([x, 2.0 * x, x * x, 0.5, 1.0 - x, x]), n)


def fibonacci(n):
    """Two calls."""
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def even(n):
    """Mutual recursion, through `or`."""
    return n == 0 or odd(n - 1)


def odd(n):
    """The other one, through `and`."""
    return n != 0 and even(n - 1)


def ackermann(m, n):
    """A call as an argument of a call."""
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def determinant(a):
    """A call in a loop, with an array made for it."""
    n = len(a)
    if n == 1:
        return a[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.array([[a[i + 1, k if k < j else k + 1] for k in range(n - 1)] for i in range(n - 1)])
        total += (-1.0) ** j * a[0, j] * determinant(minor)
    return total


def column(a, j):
    """The column of a matrix is handed over, which has gaps, and a row of it, which has none."""

    def total(v, w, i):
        return 0.0 if i == len(v) else v[i] * w[i] + total(v, w, i + 1)

    return total(a[:, j], a[j], 0)


def captured(x, k):
    """A local function with what it captures, which is made on the way."""
    y = x * x

    def inner(i):
        return 0.0 if i == 0 else y * x + inner(i - 1)

    return inner(k) * y


def nested(x, k):
    """A definition in a definition, which calls the one around it."""

    def outer(i, scale):
        def inner(j):
            if j == 0:
                return scale * x
            return inner(j - 1) + 0.5 * outer(i - 1, scale + 1.0)

        return x if i == 0 else inner(2)

    return outer(k, 1.0)


def both(x, k):
    """A pair."""
    if k == 0:
        return x, 1.0
    a, b = both(x, k - 1)
    return a * b + x, a - b


def widened(x, k):
    """An integer in one branch, a real number in another."""
    if k == 0:
        return 1
    return x if k == 1 else widened(x, k - 1) + widened(x, k - 2)


def branching(x, k):
    """A call in a branch that does not return."""
    total = x
    if k > 0:
        total = branching(0.5 * x, k - 1) + x
    return total


def integral(x, tolerance):
    """A function that is given a function."""

    def rule(f, a, b):
        return (b - a) / 6 * (f(a) + 4 * f(0.5 * (a + b)) + f(b))

    def adapted(f, a, b, eps):
        m = 0.5 * (a + b)
        halves = rule(f, a, m) + rule(f, m, b)
        if abs(halves - rule(f, a, b)) < eps:
            return halves
        return adapted(f, a, m, 0.5 * eps) + adapted(f, m, b, 0.5 * eps)

    return adapted(lambda s: np.sin(s * x) * np.exp(-s), 0.0, 3.0, tolerance)


def newton(x, k):
    """A tail call, of which the test is short."""
    return _newton(1.0, x, k)


def _newton(guess, x, k):
    return guess if k == 0 else _newton(0.5 * (guess + x / guess), x, k - 1)


def bisection(x, tolerance):
    """Two tail calls, after a name that both use."""

    def between(low, high):
        if high - low < tolerance:
            return low + 0.25 * x * (high - low)
        middle = 0.5 * (low + high)
        if middle * middle < x:
            return between(middle, high)
        return between(low, middle)

    return between(0.0, 4.0)


def iterated(x, tolerance):
    """A tail call, of which the test is dear."""

    def step(y):
        new = sum([np.cos(y + 0.1 * k) for k in range(5)]) * 0.1 + 0.1 * x
        if abs(new - y) < tolerance:
            return new
        return step(new)

    return step(x)


def gcd(a, b):
    """A tail call with integers."""
    return a if b == 0 else gcd(b, a % b)


def horner(x, c):
    """A tail call that hands an array on."""

    def rest(i, total):
        return total if i == len(c) else rest(i + 1, total * x + c[i])

    return rest(0, 0.0)


def doubled(x, n):
    """An array of the size of an argument."""
    return x if n == 0 else doubled(x * 2.0, n - 1) + x


def fourier(x, n):
    """A pair of arrays, of a half of each argument and then of the other."""

    def transform(re, im):
        n = len(re)
        if n == 1:
            return re, im
        a, b = transform(re[::2], im[::2])
        c, d = transform(re[1::2], im[1::2])
        h = n // 2
        angles = 2 * np.pi * np.arange(h) / n
        p, q = np.cos(angles) * c + np.sin(angles) * d, np.cos(angles) * d - np.sin(angles) * c
        return np.concatenate([a + p, a - p]), np.concatenate([b + q, b - q])

    re, im = transform(x, 0.0 * x)
    return re[n] + im[n]


def merged(x):
    """Its size is that of its argument, as a loop over what both calls give shows only when it runs."""
    n = len(x)
    if n <= 1:
        return x.copy()
    a, b = merged(x[: n // 2]), merged(x[n // 2 :])
    out = np.zeros(n)
    i, j = 0, 0
    for k in range(n):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


def repeated(x, n):
    """A state of a loop is handed to a call and is what it gives."""
    y = x
    for _ in range(3):
        y = 0.1 * doubled(y, n)
    return np.sum(y * y)


V = np.array([0.3, -1.2, 0.8, 0.1, 2.0, -0.4, 0.9, 1.1])
A = np.array([[2.0, 0.5, -1.0, 0.3], [0.1, 1.5, 0.7, 0.2], [0.6, -0.4, 1.1, 0.9], [0.8, 0.3, -0.2, 1.7]])
PROGRAMS: dict[Callable[..., object], tuple[object, ...]] = {
    power: (1.3, 7),
    saving: (0.7, 45),
    known: (1.3, 1),
    fibonacci: (12,),
    even: (7,),
    odd: (7,),
    ackermann: (2, 3),
    determinant: (A,),
    column: (A, 2),
    captured: (1.3, 5),
    nested: (1.3, 4),
    both: (1.3, 6),
    widened: (1.3, 6),
    branching: (1.3, 6),
    integral: (2.0, 1e-6),
    newton: (2.0, 5),
    bisection: (2.0, 1e-6),
    iterated: (0.4, 1e-9),
    gcd: (48, 36),
    doubled: (V, 3),
    fourier: (V, 3),
    merged: (V,),
    repeated: (V, 2),
    horner: (1.3, np.array([1.0, -2.0, 0.5, 3.0])),
}
LOOPS = (
    *(power, column, captured, both, branching, saving, known),
    *(even, odd, newton, bisection, iterated, gcd, horner),
)
"""Those that take no stack."""
REAL = tuple([f for f in PROGRAMS if f not in (fibonacci, even, odd, ackermann, gcd)])
"""Those whose first argument has real numbers."""
