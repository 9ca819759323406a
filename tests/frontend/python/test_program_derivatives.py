"""Derivatives of programs of every kind, against central differences."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs

# ruff: noqa: B905

Y = np.array([0.5, 1.5, 2.0, 0.7])
STEP = 1e-6


class Pair(NamedTuple):
    u: float
    v: float

    def product(self):
        return self.u * self.v


def list_carried(x):
    h = [0.0] * 3
    for a in x:
        h = [h[1] * a, h[2] + a, h[0] * 0.5 + a * a]
    return h


def matrix_filled(x):
    B = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            B[i, j] = x[i] * x[j + 1]
    B[0] = B[1] * 2
    return B


def swapped(x):
    y = x.copy()
    for i in range(len(x) - 1):
        if y[i] > y[i + 1]:
            y[i], y[i + 1] = (y[i + 1], y[i] * y[i])
    return y


def carried(x, n):
    z = x
    for _ in range(n):
        z = z * z + x
    return z


def record_carried(x):
    r = Pair(x[0], x[1])
    for a in x:
        r = Pair(r.v * a, r.product())
    return r.u + r.v


CASES = [
    (lambda x: [a * a for a in x], ()),
    (lambda x: [a * a for a in x if a > 0.6], ()),
    (lambda x: max(a * a for a in x), ()),
    (lambda x: max(a * a for a in x if a < 1.9), ()),
    (lambda x: max((a * a for a in x if a > 100), default=x[0] * 3), ()),
    (lambda x: (x[0] and x[1]) * x[2], ()),
    (lambda x: (x[0] or x[1]) * x[2], ()),
    (lambda x: np.concatenate((x[1:] * 2, x[:1])), ()),
    (lambda x: [x[0]] + [a * a for a in x[1:]], ()),
    (lambda x: [x[0] * x[1]] * 3, ()),
    (list_carried, ()),
    (matrix_filled, ()),
    (swapped, ()),
    (carried, (3,)),
    (carried, (0,)),
    (record_carried, ()),
    (lambda x: fs.ifold(lambda s, i: s * x[i] + 1, 1.0, len(x)), ()),
    (lambda x: fs.fold(lambda s, a: s * a + 1, 1.0, x), ()),
    (lambda x: fs.build(3, lambda i: x[i] * x[i + 1]), ()),
    (lambda x: fs.cond(x[0] > 0, lambda: x[1] * x[2], lambda: x[0]), ()),
    (lambda x: x[0] % 0.3, ()),
    (lambda x: x[0] * (x[1] // 0.4), ()),
    (lambda x: divmod(x[0], 0.3)[1], ()),
    (lambda x: x[0] * int(x[1] * 3), ()),
    (lambda x: [abs(a - 1) for a in x], ()),
    (lambda x: np.where(x > 1, x * x, -x), ()),
    (lambda x: np.clip(x, 0.6, 1.6), ()),
    (lambda x: np.cumsum(x * x), ()),
    (lambda x: np.linalg.norm(x), ()),
    (lambda x: x.std(), ()),
    (lambda x: np.outer(x, x) @ x, ()),
    (lambda x: sum((a * w for a, w in zip(x, (1.0, 2.0, 3.0)))), ()),
    (lambda x: sum((i * a * a for i, a in enumerate(x, 1))), ()),
    (lambda x: [a * b for a, b in zip(x, reversed(x))], ()),
    (lambda x: [[a * b for a in x] for b in x], ()),
    (lambda x: [a * b for a in x for b in x], ()),
    (lambda x: [a * b for i, a in enumerate(x) for b in x[i:]], ()),
    (lambda x: x[::2] * x[1::2], ()),
    (lambda x: x[-1] * x[-2] * x[::-1], ()),
    (lambda x: x[0] if any(a > 1.9 for a in x) else x[1], ()),
    (lambda x: math.prod(a + 1 for a in x), ()),
    (lambda x: sum((a * a for a in x), x[0]), ()),
]


NAMES = [
    "sq",
    "filter",
    "max",
    "maxfilter",
    "default",
    "and",
    "or",
    "concat",
    "lists",
    "rep",
    "loop list",
    "matrix upd",
    "swap",
    "carried",
    "carried0",
    "record loop",
    "ifold",
    "fold",
    "build",
    "cond",
    "mod",
    "floordiv",
    "divmod",
    "int",
    "abs",
    "where",
    "clip",
    "cumsum",
    "norm",
    "std",
    "matmul",
    "zip const",
    "enumerate",
    "reversed",
    "nested",
    "flat",
    "tri",
    "slice",
    "neg",
    "any",
    "prod",
    "start",
]


def central(f, x, *others):
    """The Jacobian of f at x by central differences."""
    columns = []
    for place in range(len(x)):
        d = STEP * np.eye(len(x))[place]
        columns.append((np.asarray(f(x + d, *others), float) - np.asarray(f(x - d, *others), float)) / (2 * STEP))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize(("f", "others"), CASES, ids=NAMES)
def test_jacobian(f, others) -> None:
    found = fs.jacobian(f)(Y, *others)
    expected = central(f, Y, *others)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_second_derivatives_through_a_loop_over_records() -> None:
    expected = central(lambda x: central(record_carried, x), Y)
    np.testing.assert_allclose(fs.hessian(record_carried)(Y), expected, atol=2e-3)
    np.testing.assert_allclose(fs.hessian(record_carried)(Y), fs.jacobian(fs.grad(record_carried))(Y))
