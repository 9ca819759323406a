"""Indexing, arithmetic on arrays, and NumPy by name."""

# ruff: noqa

from __future__ import annotations


import numpy as np

from tests.frontend.python.cases import CUBE, Cases, FLAGS, MATRIX, PLACES, SQUARE, X

CASES = Cases(
    [
        (
            lambda x: (
                x[0],
                x[-1],
                x[-2],
                x[1:3],
                x[:2],
                x[2:],
                x[:-1],
                x[-2:],
                x[::2],
                x[1::2],
                x[::-1],
                x[1:4:2],
                x[:],
                x[-3:-1],
            ),
            (X,),
        ),
        (
            lambda x, k: (x[k:], x[:k], x[k - 1 : k + 1], x[k]),
            (
                X,
                2,
            ),
        ),
        (
            lambda A: (A[0], A[0, 1], A[0][1], A[:, 1], A[1, :], A[1:, :2], A[-1, -1], A[:, ::-1], A[1:3], A[::2, 1:]),
            (MATRIX,),
        ),
        (lambda T: (T[0, 1, 2], T[0], T[0, 1], T[:, 1], T[:, 1, 2], T[:, :, 0], T[1, 1:, ::2], T[0][1][2]), (CUBE,)),
        (lambda T: (T.T, T.transpose(), np.transpose(T), T.T.shape), (CUBE,)),
        (
            lambda x, k: x[k[0]],
            (
                X,
                PLACES,
            ),
        ),
        (lambda x: (x + x, x - 1, 2 * x, x / 2, x * x, x**2, -x, +x, 1 / x, x // 2, x % 2, abs(x)), (X,)),
        (lambda A: (A + A, A * 2, A / A, -A, A**2, A - 1), (MATRIX,)),
        (lambda x: (x > 0, x == x, x <= 1, (x > 0) * x), (X,)),
        (lambda x: (np.where(x > 0, x, -x), np.where(x > 0, 1.0, 0.0), np.where(x > 0, x, 0)), (X,)),
        (
            lambda x: (
                np.sin(x),
                np.exp(x),
                np.sqrt(np.abs(x)),
                np.log(abs(x)),
                np.maximum(x, 0),
                np.minimum(x, x * 2),
                np.sign(x),
                np.tanh(x),
                np.square(x),
                np.floor(x),
                np.ceil(x),
                np.clip(x, -1, 1),
                np.power(x, 2),
                np.add(x, 1),
                np.multiply(x, x),
                np.subtract(x, x),
                np.divide(x, 2),
                np.negative(x),
                np.absolute(x),
            ),
            (X,),
        ),
        (
            lambda x: (
                x.sum(),
                x.mean(),
                x.max(),
                x.min(),
                x.argmax(),
                x.argmin(),
                x.prod(),
                x.dot(x),
                x.copy(),
                x.T,
                x.shape,
                x.size,
                x.ndim,
                x.std(),
                x.var(),
                x.cumsum(),
            ),
            (X,),
        ),
        (
            lambda A: (
                A.sum(axis=0),
                A.sum(axis=1),
                A.sum(0),
                A.mean(axis=0),
                A.max(axis=1),
                np.sum(A, axis=0),
                np.sum(A),
                np.mean(A, axis=1),
                np.max(A, axis=0),
                np.min(A),
                np.argmax(A),
                np.argmax(A, axis=0),
            ),
            (MATRIX,),
        ),
        (lambda A: (A.ravel(), A.flatten(), A.transpose()), (MATRIX,)),
        (lambda A: A.sum(axis=-1), (MATRIX,)),
        (
            lambda A, x: (
                A @ x[:4],
                x[:3] @ A,
                A @ A.T,
                x @ x,
                A.T @ A,
                np.dot(A, x[:4]),
                np.matmul(A, A.T),
                A.dot(x[:4]),
                np.outer(x, x),
                np.inner(x, x),
                np.vdot(x, x),
            ),
            (
                MATRIX,
                X,
            ),
        ),
        (
            lambda A, x: (
                np.trace(A),
                np.transpose(A),
                np.cross(x[:3], x[2:]),
                np.linalg.norm(x),
                np.eye(3),
                np.diag(A),
                np.diag(x),
            ),
            (
                SQUARE,
                X,
            ),
        ),
        (lambda x: np.concatenate([x, x]), (X,)),
        (lambda x: (np.stack([x, x]), np.vstack([x, x])), (X,)),
        (lambda x: np.hstack([x, x]), (X,)),
        (
            lambda x: (
                np.zeros(3),
                np.zeros((2, 3)),
                np.ones((2, 2)),
                np.full((2, 2), 3.0),
                np.zeros_like(x),
                np.ones_like(x),
                np.full_like(x, 2.0),
            ),
            (X,),
        ),
        (
            lambda x: (
                np.sum(x),
                np.prod(x),
                np.mean(x),
                np.max(x),
                np.min(x),
                np.argmax(x),
                np.argmin(x),
                np.any(x > 0),
                np.all(x > 0),
                np.amax(x),
                np.amin(x),
            ),
            (X,),
        ),
        (lambda x: (np.cumsum(x), np.std(x), np.var(x), np.diff(x)), (X,)),
        (lambda x: np.array([[x[0], x[1]], [x[2], x[3]]]) @ np.array([1.0, 2.0]), (X,)),
        (lambda x: (np.float64(x[0]), np.pi * x[0], np.inf > x[0], np.e, np.int64(3)), (X,)),
        (lambda x: x.astype(int), (X,)),
        (lambda k: (k * 2, k + 0.5, k.sum(), k.mean(), k // 2, np.sqrt(k), k > 1, k**2, -k, k / 2), (PLACES,)),
        (lambda b: (~b, b.sum(), b.any(), b.all(), b & b, np.logical_and(b, b), np.logical_not(b)), (FLAGS,)),
        (lambda b: (b.sum(), b.any(), b.all()), (FLAGS,)),
        (lambda x: (np.logical_and(x > 0, x < 2), np.logical_or(x > 0, x < 2), np.logical_not(x > 0)), (X,)),
        (lambda x: ((x > 0) & (x < 2), (x > 0) | (x < 2), ~(x > 0)), (X,)),
        (lambda x: (np.linalg.norm(x[:3] - x[2:]), np.isnan(x), np.isfinite(x)), (X,)),
        (lambda x: (len(x.shape), x.shape[0], x.shape[-1]), (X,)),
    ]
)


@CASES(MATRIX)
def array_grows_by_rows(A):
    for r in A:
        A = A + r[0]
    return A


@CASES(MATRIX, np.array([0, 2, 1]))
def ranges_as_indices(A, y):
    n = len(y)
    B = A.copy()
    B[range(3), range(3)] += 1.0
    B[range(1, 3), 0] = 2.0 * A[range(2), 1]
    return (A[range(n), y], A[range(2, -1, -1)], A[0][range(0, 4, 2)], B)


@CASES(np.arange(12.0))
def gates(g):
    n = len(g) // 3
    i, f, o = [g[k * n : (k + 1) * n] for k in range(3)]
    all_of_them = np.array([g[k * n : (k + 1) * n] for k in range(3)])
    return (i * f + o, all_of_them[1:] * all_of_them[:-1])


@CASES(X, 2)
@CASES(X, 5)
@CASES(X, 9)
@CASES(X, 0)
def moving_windows(x, w):
    return np.array([x[i : i + w] for i in range(len(x) - w + 1)]).sum()


@CASES(X)
def uneven_parts(x):
    parts = [x[:k] for k in range(1, 4)]
    a, b, c = parts
    return (np.sum(a) + np.sum(b) * np.sum(c), parts[2], sum(np.sum(q * q) for q in parts))


@CASES(SQUARE)
def shortest_paths(D):
    D = D.copy()
    for k in range(len(D)):
        D = np.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
    return D


@CASES(SQUARE, 2)
def one_column_at_a_time(D, n):
    total = 0.0
    for k in range(n):
        total += np.sum(D * D[:, k : k + 1])
    return total


@CASES(X, FLAGS)
def places_of_truth_values(x, b):
    return (np.argmax(x > 2), np.argmin(b), np.argmax(b), x[np.argmax(x < 0)], np.argmax(np.array([x > 0, b]), axis=0))


@CASES(X)
def starred_parts_of_tuples(x):
    first, *rest = (x, x[1:], x[2:])
    n, *numbers = (x[0], x[1], x[2])
    return (np.sum(first) * np.sum(rest[0]), sum(np.sum(v) for v in rest), len(rest), sum(numbers) + max(numbers) * n)


TRUTHS = np.array([False, True, True, True, False])


@CASES(FLAGS, TRUTHS)
def truth_values(b, c):
    return (
        b < c,
        b >= c,
        b + c,
        b * c,
        np.sum(b * c),
        (b + c).sum(),
        b * 2.0,
        b + 1,
        b[0] < c[0],
        np.sort(b),
        np.argsort(c),
    )


@CASES(FLAGS, TRUTHS)
def extrema_of_truth_values(b, c):
    return (np.max(b), np.min(c), np.max(np.array([b, c]), axis=0), b.max(), sorted(b))


def _not_numbers():
    x = np.array([1.0, np.nan, 3.0, -2.0])
    return x, np.array([x, np.arange(4.0)])


@CASES(*_not_numbers())
def medians_of_what_is_not_a_number(x, A):
    return (np.median(x), np.percentile(x, 30.0), np.quantile(x, 0.5), np.nanmedian(x), np.median(A, axis=1))


@CASES(*_not_numbers())
def extrema_without_what_is_not_a_number(x, A):
    return (np.fmax(x, 0.0), np.fmin(x[0], x[1]), np.fmax(x[1], x[0]), np.fmax(A, 1.5), np.fmin(x, x))


@CASES(SQUARE[:2, :2], 3)
@CASES(SQUARE[:2, :2], 0)
@CASES(SQUARE[:2, :2], -2)
def powers_of_matrices(M, n):
    return (np.linalg.matrix_power(M, n), np.linalg.matrix_power(M, 3))


@CASES(X)
def copies_of_numbers(x):
    first = x[0].copy()
    return sum([v.copy() ** 2 + np.copy(v) for v in x]) + first
