"""Loops: what they carry, and arrays that they change."""

# ruff: noqa

from __future__ import annotations

import math

import numpy as np

import fsmooth as fs
from tests.frontend.python.cases import Cases, MATRIX, PLACES, SQUARE, X

CASES = Cases([])


@CASES(X)
def summed(x):
    s = 0
    for a in x:
        s += a
    return s


@CASES(X)
def three_carried(x):
    s, p, n = (0.0, 1.0, 0)
    for i, a in enumerate(x):
        s += a
        p *= a
        n += i
    return (s, p, n)


@CASES(X)
def filled(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * 2
    return y


@CASES(X)
def running_sum(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] + x[i]
    return y


@CASES(X)
def updated_in_place(x):
    y = x.copy()
    for i in range(len(y) - 1):
        y[i + 1] += y[i]
    return y


@CASES(MATRIX)
def transposed_by_elements(A):
    B = np.zeros((4, 3))
    for i in range(3):
        for j in range(4):
            B[j, i] = A[i, j]
    return B


@CASES(MATRIX)
def two_brackets(A):
    B = np.zeros(A.shape)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i][j] = A[i][j] + i * j
    return B


@CASES(MATRIX)
def diagonal_changed(A):
    B = A * 1.0
    for i in range(3):
        B[i, i] -= 1.0
    return B


@CASES(MATRIX)
def rows_assigned(A):
    B = np.zeros_like(A)
    for i in range(3):
        B[i] = A[i] * 2
    return B


@CASES(X)
def constant_places(x):
    y = np.zeros(5)
    y[-1] = 2.0
    y[-2] += x[0]
    return y


@CASES(X)
def fibonacci(x):
    a, b = (0.0, 1.0)
    for _ in range(10):
        a, b = (b, a + b)
    return a


@CASES(X)
def branches_in_loop(x):
    s = 0.0
    for i in range(len(x)):
        t = x[i] * 2
        if t > 0:
            s += t
        elif t < -5:
            s -= 1
        else:
            s += 0.5
    return s


@CASES(X)
def triangle_of_loops(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s += x[i] * x[j]
    return s


@CASES(X)
def horner_backwards(x):
    s = 0.0
    for i in range(len(x) - 1, -1, -1):
        s = s * 0.5 + x[i]
    return s


@CASES(X)
def horner_reversed(x):
    s = 0.0
    for a in reversed(x):
        s = s * 0.5 + a
    return s


@CASES(X, MATRIX)
def enumerated_zip(x, A):
    s = 0.0
    for i, (a, r) in enumerate(zip(x, A)):
        s += a * sum(r) * i
    return s


@CASES(X)
def best_and_place(x):
    best, arg = (x[0], 0)
    for i in range(1, len(x)):
        if x[i] > best:
            best, arg = (x[i], i)
    return (best, arg)


@CASES(X)
def over_a_tuple(x):
    s = 0.0
    for k in (1, 2, 3):
        s += x[k] * k
    return s


@CASES(X)
def unrolled(x):
    s = 0.0
    for i in fs.unroll(range(3)):
        s += x[i] * i
    return s


@CASES(X)
def array_rebuilt(x):
    h = np.array([0.0, 1.0])
    for a in x:
        h = np.array([h[1], h[0] + a])
    return h


@CASES(X)
def list_rebuilt(x):
    h = [0.0, 1.0]
    for a in x:
        h = [h[1], h[0] + a]
    return h


@CASES(X)
def tuple_rebuilt(x):
    h = (0.0, 1.0)
    for a in x:
        h = (h[1], h[0] + a)
    return h


@CASES(PLACES)
def counted_by_index(k):
    c = np.zeros(5, dtype=int)
    for i in k:
        c[i] += 1
    return c


@CASES(PLACES, X)
def scattered(k, x):
    c = np.zeros(5)
    for i, a in zip(k, x):
        c[i] += a
    return c


@CASES(X)
def list_filled(x):
    y = [0.0 for _ in x]
    for i in range(len(x)):
        y[i] = x[i]
    return y


@CASES(X)
def local_in_loop(x):
    s = 0.0
    for i in range(len(x)):
        last = x[i]
        s += last
    return s


@CASES(SQUARE)
def cholesky(A):
    L = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1):
            s = A[i, j] + 10 * (i == j)
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                L[i, j] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L


@CASES(X)
def argument_changed(x):
    x = x * 1.0
    x[0] = 5.0
    return x


@CASES(X.copy())
def empty_filled(x):
    y = np.empty(5)
    for i in range(5):
        y[i] = i
    return y


@CASES(X)
def made_by_numpy(x):
    y = np.ones(3)
    z = np.full(2, 7.0)
    w = np.eye(3)
    v = np.arange(4)
    u = np.arange(1, 7, 2)
    t = np.linspace(0, 1, 5)
    return (y, z, w, v, u, t)


@CASES(X)
def mean_of_some(x):
    s = 0.0
    n = 0
    for i in range(len(x)):
        if x[i] > 0:
            s += x[i]
            n += 1
    return s / n
