"""Comprehensions and generators as people write them."""

# ruff: noqa

from __future__ import annotations

import math

import numpy as np

from tests.frontend.python.cases import Cases, FLAGS, MATRIX, PLACES, SQUARE, X

CASES = Cases(
    [
        (lambda x: [a * b for i, a in enumerate(x) for b in x[i:]], (X,)),
        (lambda x: [[x[i] * x[j] for j in range(i + 1)][i] for i in range(len(x))], (X,)),
        (lambda x: [a for a in x if a > 0 if a < 2], (X,)),
        (lambda x: [a + b for a in x if a > 0 for b in x if b < 0], (X,)),
        (lambda x: [i for i in range(len(x)) if x[i] > 0], (X,)),
        (lambda A: [a for row in A for a in row], (MATRIX,)),
        (lambda A: [a for row in A for a in row if a > 3], (MATRIX,)),
        (lambda A: [sum((A[i, j] for j in range(A.shape[1]))) for i in range(A.shape[0])], (MATRIX,)),
        (lambda A: [[A[i][j] for i in range(len(A))] for j in range(len(A[0]))], (MATRIX,)),
        (lambda x: sum((a * b for a in x for b in x if a < b)), (X,)),
        (lambda x: max((a * b for a in x for b in x)), (X,)),
        (lambda x: max((a * b for i, a in enumerate(x) for j, b in enumerate(x) if i != j)), (X,)),
        (lambda x: min((a for a in x if a > 0)), (X,)),
        (lambda x: (any((a > b for a in x for b in x)), all((a > b for a in x for b in x))), (X,)),
        (lambda x: (any([a > 2 for a in x]), all([a < 7 for a in x])), (X,)),
        (lambda x: (sum([a for a in x]), max([a for a in x]), min([abs(a) for a in x])), (X,)),
        (lambda x: (sum(x), max(x), min(x)), (X,)),
        (lambda x: [a if a > 0 else -a for a in x], (X,)),
        (lambda x: [(a, i) for i, a in enumerate(x)][2], (X,)),
        (lambda x: [x[i] - x[i - 1] for i in range(1, len(x))], (X,)),
        (lambda x: [x[i] for i in range(len(x) - 1, -1, -1)], (X,)),
        (lambda x: [x[i] for i in range(0, len(x), 2)], (X,)),
        (lambda x: [x[i] for i in range(len(x) - 1, 0, -2)], (X,)),
        (lambda x: [a * b * c for a in x for b in x for c in x[:2]], (X,)),
        (
            lambda x, A: [a + b for a, b in zip(x, A[0])],
            (
                X,
                MATRIX,
            ),
        ),
        (
            lambda x, A: [a + sum(r) for a, r in zip(x, A)],
            (
                X,
                MATRIX,
            ),
        ),
        (lambda x: [a - b for a, b in zip(x[1:], x[:-1])], (X,)),
        (lambda x: [a - b for a, b in zip(x, reversed(x))], (X,)),
        (lambda x: [i * a for i, a in enumerate(reversed(x))], (X,)),
        (lambda x: [i * a for i, a in reversed(list(enumerate(x)))], (X,)),
        (lambda x: [i * a + j * b for (i, a), (j, b) in zip(enumerate(x), enumerate(x, 1))], (X,)),
        (lambda x: [i + a * b for i, (a, b) in enumerate(zip(x, x))], (X,)),
        (lambda x: max(x, default=0.0), (X,)),
        (lambda x: max(x, default=0.0), (np.zeros(0),)),
        (lambda x: max((a for a in x if a > 100), default=-1.0), (X,)),
        (lambda x: sum((a for a in x), start=2.0), (X,)),
        (lambda x: sum((a for a in x), 2.0), (X,)),
        (lambda x: (math.prod((a for a in x)), math.fsum(x), math.prod(x)), (X,)),
        (lambda x: sum((a * a for a in x)) ** 0.5, (X,)),
        (lambda x: list(map(lambda a: a * a, x)), (X,)),
        (lambda x: sum(map(math.sin, x)), (X,)),
        (lambda x: (max(x[0], x[1]), min(x[0], x[1], x[2]), max(1, 2), max(x[0], 0)), (X,)),
        (lambda x: (len(x), len([a for a in x if a > 0]), len(range(3)), len([1, 2])), (X,)),
        (
            lambda A: np.zeros(2, dtype=A.dtype) + A[0, :2].astype(A.dtype) * (2.0 if A.dtype == np.float32 else 3.0),
            (MATRIX,),
        ),
        (lambda A: (A.shape, A.shape[0], A.size, A.ndim, len(A), len(A[0])), (MATRIX,)),
        (lambda x: sum((x[i] for i in range(len(x)) if i % 2 == 0)), (X,)),
        (lambda x: sum((1 if a > 0 else 0 for a in x)), (X,)),
        (lambda x: sum((a > 0 for a in x)), (X,)),
        (lambda x: [sum(x[:i]) for i in range(len(x))], (X,)),
        (lambda x: [max(x[: i + 1]) for i in range(len(x))], (X,)),
        (
            lambda k: (sum(k), max(k), [a + 1 for a in k], [a / 2 for a in k], [a // 2 for a in k], [a % 3 for a in k]),
            (PLACES,),
        ),
        (lambda b: (sum(b), any(b), all(b), [not a for a in b], [1.0 if a else 2.0 for a in b]), (FLAGS,)),
        (
            lambda x, k: [x[i] for i in k],
            (
                X,
                PLACES,
            ),
        ),
        (
            lambda x, b: [a for a, c in zip(x, b) if c],
            (
                X,
                FLAGS,
            ),
        ),
        (lambda x: ([0.0 for _ in x], [1 for _ in range(3)], [True for _ in range(2)]), (X,)),
        (lambda x: [[0.0] * 3 for _ in range(2)], (X,)),
        (lambda x: [0.0] * len(x), (X,)),
        (lambda x: [1.0, 2.0] + [3.0], (X,)),
        (lambda x: [x[0]] + [a for a in x[1:]], (X,)),
        (lambda x: (sum((a for a in (x[0], x[1]))), sum((a for a in [x[0], x[1]]))), (X,)),
        (lambda x: [k * a for k, a in [(1, x[0]), (2, x[1])]], (X,)),
        (lambda x: sum((k * x[i] for i, k in enumerate([1, 2, 3]))), (X,)),
        (lambda x: sum((k * a for k, a in zip((1, 2, 3), x))), (X,)),
        (lambda A: ([max(r) for r in A], max((max(r) for r in A)), [min(r) + max(r) for r in A]), (MATRIX,)),
        (lambda A: [sum(c) for c in A.T], (MATRIX,)),
        (lambda x: [[a * b for a in x if a > 0] for b in x], (X,)),
        (
            lambda x: (
                np.array([a * 2 for a in x]),
                np.asarray([[1.0, 2.0], [3.0, 4.0]]),
                np.array([1, 2], dtype=float),
            ),
            (X,),
        ),
        (lambda x: [a for i, a in enumerate(x) if i in (0, 2)], (X,)),
        (lambda x: sum((a for i, a in enumerate(x) if i != 1)), (X,)),
        (lambda x: sum((sum((x[j] for j in range(i))) for i in range(len(x)))), (X,)),
        (lambda x: sum((x[i] * x[j] for i in range(len(x)) for j in range(i))), (X,)),
        (lambda x: max((x[i] * x[j] for i in range(1, len(x)) for j in range(i))), (X,)),
        (lambda x: [x[i] * x[j] for i in range(len(x)) for j in range(i)], (X,)),
        (lambda x: sum((a * w for a, w in zip(x, [0.1, 0.2, 0.3, 0.4, 0.5]))), (X,)),
    ]
)


@CASES(MATRIX)
def shape_unpacked(A):
    n, m = A.shape
    return sum((A[i, j] * (i + j) for i in range(n) for j in range(m)))


@CASES(MATRIX)
def shape_partly_used(A):
    n, _ = A.shape
    return n


@CASES(SQUARE)
def patches_of_an_image(X):
    return np.array([X[i : i + 2, j : j + 2].ravel() for i in range(2) for j in range(2)])


@CASES(MATRIX, 2)
@CASES(MATRIX, 3)
def patches_of_any_size(X, n):
    return np.stack([X[i : i + n, j : j + n] for i in range(4 - n) for j in range(5 - n)])


@CASES(MATRIX)
def windows_along_the_second_axis(X):
    return np.stack([X[0:2, j : j + 3] for j in range(2)])


@CASES(MATRIX)
def windows_for_each_of_two_indices(X):
    return np.array([X[i : i + 2, 0] * j for i in range(2) for j in range(3)])
