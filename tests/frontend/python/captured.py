"""Values captured from the module, and expressions with them."""

# ruff: noqa

from __future__ import annotations

import math

import numpy as np

from tests.frontend.python.cases import Cases, MATRIX, X


W = np.array([1.0, 2.0])
K = 3
F = 2.5
Z = np.array(3.0)
L = [1.0, 2.0, 3.0]
T = (1, 2.0)
D = {"a": 1.0, "w": W}
LL = [[1.0, 2.0], [3.0, 4.0]]
LA = [W, W * 2]
WI = np.array([1, 2, 0])


class Settings:
    k = 3
    w = np.array([1.0, 2.0])


cfg = Settings()


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w * x)

    def twice(self, x):
        return self(self(x))


layer, layers = Layer(0.5), [Layer(W), Layer(2.0)]


def through(x):
    for f in layers:
        x = f(x)
    return x


def mk(a, n):
    def f(x):
        return sum(v * a for v in x) * n

    return f


g6 = mk(1.0, 4)

CASES = Cases(
    [
        (lambda x: x[0] * W[1] + K * F, (X,)),
        (lambda x: (layer(x), layer.twice(x[0]), through(x[:2]), [a for a in map(layer, x)]), (X,)),
        (
            lambda x: (
                L[0] * x[0] + T[1] * T[0],
                sum(L),
                [a * 2 for a in L],
                len(L),
                D["a"] * x[0],
                D["w"][0],
                LL[1][0],
                sum((r[0] for r in LL)),
                LA[1][0],
            ),
            (X,),
        ),
        (
            lambda x, i: (L[i] * x[i], LL[i][i], W[i], WI[i], [W[k] for k in [0, 1]], T[1]),
            (
                X,
                1,
            ),
        ),
        (
            lambda x, i: LA[i][0],
            (
                X,
                1,
            ),
        ),
        (lambda x: cfg.k * x[0], (X,)),
        (lambda x: cfg.w[0] * x[0], (X,)),
        (lambda x: mk(2.0, 3)(x), (X,)),
        (lambda x: g6(x), (X,)),
        (
            lambda x, a, b: (x[a:b], len(x[a:b])),
            (
                X,
                4,
                2,
            ),
        ),
        (
            lambda x, a, b: (
                [x[i - 1] for i in range(a, b, -1)],
                [i for i in range(a, b, -2)],
                [i for i in range(b, a, 3)],
            ),
            (
                X,
                5,
                1,
            ),
        ),
        (lambda x: [[i * j for j in range(3)] for i in range(2)], (X,)),
        (lambda x: (max((x[i] for i in range(1, len(x)))), min(x[:2])), (X,)),
        (lambda x: sum((x[i] * x[j] for i, j in [(0, 1), (1, 2)])), (X,)),
        (lambda x: (lambda a, b: a * b)(x[0], x[1]), (X,)),
        (lambda x: x[0] if x[0] > 0 else x[1] if x[1] > 0 else x[2], (X,)),
        (lambda x: math.sqrt(x[0]) if x[0] > 0 else 0, (X,)),
        (lambda x: [math.log(a) if a > 0 else 0.0 for a in x], (X,)),
        (
            lambda a, b: (a and b, a or b, not a),
            (
                2,
                3,
            ),
        ),
        (lambda x: (x.shape == (5,), x.shape[0] == 5), (X,)),
        (lambda x: (1.0, 2.0) == (1.0, 2.0), (X,)),
        (lambda x: (1000.0, 1000, 16, 0.001 * x[0], True, 5), (X,)),
        (lambda x: (float("inf") > x[0], float("nan") != x[0]), (X,)),
        (lambda x: (-(x[0] ** 2), 2 ** (-1), 2**0.5, (-2) ** 2, 7 // 2, -7 // 2, 7 % -3, 2**10, 0**0), (X,)),
        (lambda x: (np.array([x, x]), np.array([[1, 2], [3, 4]]), np.array(x), np.array([1, 2.5])), (X,)),
        (lambda x: ((x * 2)[0], [1.0, 2.0][1], (1.0, x)[1], [a * 2 for a in x][0], x[1:][0], x[1:][1:][0]), (X,)),
        (lambda A: (A[0][1:][0], A[1:][0], A.T[0], A.T[1, 2], (A * 2)[0, 0], (A @ A.T)[0, 1]), (MATRIX,)),
        (lambda x: (x.sum() + x.max() * np.mean(x), sum(x) / len(x), max(x) - min(x)), (X,)),
        (lambda x: x * 2 if x[0] > 0 else x * 3, (X,)),
        (lambda x: (x[0], x) if x[0] > 0 else (x[1], x * 2), (X,)),
        (lambda x: (abs(x).max(), np.abs(x).sum(), (x**2).sum() ** 0.5, (x > 0).any(), (x * x).mean()), (X,)),
        (lambda x: [a * b for a, b in zip(x, x, strict=True)], (X,)),
        (lambda x: (np.sum(x * x, axis=0), np.max(x, axis=0)), (X,)),
        (lambda x: (np.where(x > 0, x, x * 2).sum(), np.where(x[0] > 0, 1.0, 2.0), np.where(x[0] > 0, x, x * 2)), (X,)),
        (lambda x: (x[np.argmax(x)], x[x.argmin()], x[len(x) // 2], x[int(1.5)]), (X,)),
    ]
)
