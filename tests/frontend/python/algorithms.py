"""Small algorithms: nested loops, branches, arrays."""

# ruff: noqa

from __future__ import annotations

import math

import numpy as np

import fsmooth as fs
from tests.frontend.python.cases import MATRIX, PLACES, SQUARE, Cases, X

CASES = Cases(
    [
        (lambda x: [[x[i + j] for j in range(2)] for i in range(len(x) - 1)], (X,)),
        (lambda x: sum(([x[i + j] for j in range(2)][0] for i in range(len(x) - 1))), (X,)),
        (
            lambda A: [[A[i, j] for i in range(A.shape[0]) if A[i, j] > 100 or i < 2][0] for j in range(A.shape[1])],
            (MATRIX,),
        ),
        (
            lambda A: (
                [sum((a for a in row if a > 1)) for row in A],
                [max((a for a in row if a > 0)) for row in A],
                [len([a for a in row if a > 5]) for row in A],
            ),
            (MATRIX,),
        ),
        (
            lambda A, x: sum((A[i, j] * x[j] for i in range(len(A)) for j in range(len(A[i])) if i < j)),
            (
                MATRIX,
                X,
            ),
        ),
        (lambda x: (x if len(x) > 3 else x * 2).sum(), (X,)),
        (
            lambda x, n: (sum((x[i] for i in range(n))), [x[i] for i in range(n)], x[:n], x[n:], x[n - 1], x[-1]),
            (
                X,
                3,
            ),
        ),
        (lambda x: ([math.exp(-a) if a > 0 else math.exp(a) for a in x], [1 / a if a != 0 else 0.0 for a in x]), (X,)),
        (lambda x: ((x[0], (x[1], [x[2], x[3]])), [x[0]]), (X,)),
        (lambda A: A[1:, 1:] @ A.T[1:, :1], (MATRIX,)),
        (lambda x: (x @ x, x * 2 @ x, x @ (x + 1)), (X,)),
        (lambda x: (sum((v for v in (a * a for a in x))), max((v for v in [a * a for a in x]))), (X,)),
        (lambda x: sum((i * v for i, v in enumerate((a * a for a in x)))), (X,)),
        (lambda x: (np.array([a * a for a in x]).sum(), np.array(x)[1:].max()), (X,)),
        (
            lambda x: (
                fs.build(3, lambda i: x[i] * 2),
                fs.ifold(lambda s, i: s + x[i], 0.0, 4),
                fs.fold(lambda s, a: s * 0.5 + a, 0.0, x),
                fs.sum(3, lambda i: x[i]),
                fs.sum(x),
                fs.cond(x[0] > 0, lambda: x[1], lambda: x[2]),
            ),
            (X,),
        ),
        (lambda x: fs.build(2, lambda i: fs.build(3, lambda j: x[i] * x[j])), (X,)),
    ]
)


@CASES(X)
def bounds_carried(x):
    lo, hi = (x[0], x[0])
    for a in x[1:]:
        lo = min(lo, a)
        hi = max(hi, a)
    return (lo, hi)


@CASES(X, PLACES)
def scattered_by_enumerate(x, k):
    y = np.zeros(len(x))
    for i, j in enumerate(k):
        y[j] += x[i]
    return y


@CASES(X)
def bubble_sort(x):
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = (y[j + 1], y[j])
    return y


@CASES(SQUARE)
def determinant(A):
    B = A.copy()
    for k in range(3):
        for i in range(k + 1, 3):
            f = B[i, k] / B[k, k]
            for j in range(k, 3):
                B[i, j] -= f * B[k, j]
    d = 1.0
    for k in range(3):
        d *= B[k, k]
    return d


@CASES(X)
def array_inside_loop(x):
    s = 0.0
    for i in range(len(x)):
        y = [a * i for a in x]
        for b in y:
            s += b
    return s


@CASES(X)
def repeated_list_filled(x):
    a = [0.0] * 3
    for i in range(3):
        a[i] = x[i] ** 2
    return a


@CASES(X)
def list_of_lists_filled(x):
    c = [[0.0] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            c[i][j] = x[i] * x[j]
    return c


@CASES(X)
def place_of_the_best(x):
    best = 0
    for i in range(len(x)):
        if x[i] > x[best]:
            best = i
    return (best, x[best])


@CASES(X)
def unpacked_slices(x):
    a, b, c = x[:3]
    d, (e, f) = (x[3], (x[4], x[0]))
    return a + b * c + d - e * f


@CASES(X)
def products_without_one(x):
    p = np.ones(len(x))
    for i in range(len(x)):
        for j in range(len(x)):
            if j != i:
                p[i] *= x[j]
    return p


@CASES(X)
def sign_changes(x):
    total = 0.0
    for i in range(1, len(x)):
        prev = x[i - 1]
        cur = x[i]
        if prev * cur < 0:
            total += abs(prev - cur)
    return total


@CASES(X)
def alternating_sum(x):
    s = x[0] * 0
    k = 0
    for a in x:
        if k % 2 == 0:
            s += a
        else:
            s -= a
        k += 1
    return (s, k)


@CASES(0.5)
def runge_kutta(t):
    y = np.array([1.0, 0.0])
    h = 0.1

    def f(y):
        return np.array([y[1], -y[0]])

    for _ in range(10):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y * t


@CASES(X)
def keyword_only(x):

    def loss(a, *, w=2.0):
        return a * w

    return loss(x[0], w=3.0) + loss(x[1])


@CASES(X, 3)
def size_as_argument(x, n):
    y = np.zeros(n)
    for i in range(n):
        y[i] = x[i]
    return y


@CASES(X)
def index_arithmetic(x):
    i = 1
    i += 1
    j = i * 2
    return (x[i], x[j - 1], x[i:j], x[-i])


@CASES(X)
def lambda_over_closure(x):
    f = lambda n: sum((x[i] for i in range(n)))
    return [f(k) for k in range(4)]


@CASES(8)
@CASES(1)
def reversed_bits(n):
    """The order of an FFT: the condition and the step of a loop ask for the same bits."""
    places, j = np.zeros(n), 0
    for i in range(1, n):
        bit = n // 2
        while j & bit:
            j ^= bit
            bit = bit // 2
        j ^= bit
        places[i] = j
    return places


@CASES(5, 4)
def common_bits(j, bit):
    while (j & bit) != 0:
        j = j ^ bit
    return j
