"""Linear algebra that NumPy or SciPy have compiled code for: the same function, called by Python and compiled by fsmooth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

import fsmooth as fs

SMALL = 32
"""Up to here fsmooth is to be as fast; above, blocked code in assembly has its advantage."""


@dataclass(frozen=True)
class Factorisation:
    """A function at one size.  `unique`: the parts of its result that have one value, where signs of others are free.
    `compiled` makes what fsmooth is measured by, where that is not the function itself: a derivative that this is by hand.
    """

    name: str
    function: Callable[..., Any]
    size: int
    arguments: tuple[Any, ...]
    unique: Callable[[Any], Any] = lambda result: result
    compiled: Callable[[], fs.Function[..., Any]] | None = None


def solve(a, b):
    return np.linalg.solve(a, b)


def inv(a):
    return np.linalg.inv(a)


def det(a):
    return np.linalg.det(a)


def slogdet(a):
    sign, logarithm = np.linalg.slogdet(a)
    return sign, logarithm


def cholesky(a):
    return np.linalg.cholesky(a)


def qr(a):
    q, r = np.linalg.qr(a)
    return q, r


def eigh(a):
    values, vectors = np.linalg.eigh(a)
    return values, vectors


def svd(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u, s, vt


def lstsq(a, b):
    return np.linalg.lstsq(a, b)[0]


def lstsq_by_hand(a, b):
    return np.linalg.pinv(a)


def whitened(a, b):
    _, s, vt = np.linalg.svd(a, full_matrices=False)
    return vt.T @ (b / s)


def whitened_by_hand(a, b):
    _, s, vt = np.linalg.svd(a, full_matrices=False)
    return vt.T / s


def expm(a):
    return scipy.linalg.expm(a)


def product(a, c):
    return a @ c


def layer(a, c, b):
    return np.tanh(a @ c + b)


def squares(a, c):
    return np.sum((a @ c) ** 2)


def squares_by_hand(a, c):
    r = 2.0 * (a @ c)
    return r @ c.T, a.T @ r


def three_layers(u, v, w, b, x):
    return np.sum((np.tanh(np.tanh(x @ u + b) @ v) @ w) ** 2)


def three_layers_by_hand(u, v, w, b, x):
    first = np.tanh(x @ u + b)
    second = np.tanh(first @ v)
    r = 2.0 * (second @ w)
    s = (r @ w.T) * (1.0 - second * second)
    t = (s @ v.T) * (1.0 - first * first)
    return x.T @ t, first.T @ s, second.T @ r, t.sum(0), t @ u.T


def weighted(x, c):
    n, d = x.shape
    return [[sum(c[i] * x[i, r] * x[i, k] for i in range(n)) for k in range(d)] for r in range(d)]


def weighted_by_hand(x, c):
    return (x.T * c) @ x


def logistic(w, x, y):
    loss = 0.0
    for i in range(len(y)):
        loss += np.log(1.0 + np.exp(-y[i] * (x[i] @ w)))
    return loss


def logistic_by_hand(w, x, y):
    s = 1.0 / (1.0 + np.exp(y * (x @ w)))
    return (x.T * (s * (1.0 - s))) @ x


def factorisations(size: int) -> Iterator[Factorisation]:
    """All of them for matrices of this size; least squares have twice as many rows."""
    rng = np.random.default_rng(size)
    a, b = rng.normal(size=(size, size)) / np.sqrt(size), rng.normal(size=size)
    regular, definite = a + 2.0 * np.eye(size), a @ a.T + np.eye(size)
    tall, seen = rng.normal(size=(2 * size, size)), rng.normal(size=2 * size)
    yield Factorisation("solve", solve, size, (regular, b))
    yield Factorisation("inv", inv, size, (regular,))
    yield Factorisation("det", det, size, (regular,))
    yield Factorisation("slogdet", slogdet, size, (regular,))
    yield Factorisation("cholesky", cholesky, size, (definite,))
    yield Factorisation("qr", qr, size, (a,))
    yield Factorisation("eigh", eigh, size, (definite,), lambda result: result[0])
    yield Factorisation("svd", svd, size, (a,), lambda result: result[1])
    yield Factorisation("lstsq", lstsq, size, (tall, seen))
    jacobian = lambda: fs.jacobian(lstsq, wrt="b")  # noqa: E731
    yield Factorisation("∂ lstsq / ∂ b", lstsq_by_hand, size, (tall, seen), compiled=jacobian)
    by_right_side = lambda: fs.jacobian(whitened, wrt="b")  # noqa: E731
    squared = lambda j: j @ j.T  # noqa: E731
    yield Factorisation("∂ V (b / s) / ∂ b", whitened_by_hand, size, (a, b), squared, by_right_side)
    yield Factorisation("expm", expm, size, (a,))
    yield Factorisation("A @ B", product, size, (a, regular))
    yield Factorisation("np.tanh(A @ B + b)", layer, size, (a, regular, b))
    gradient = lambda: fs.grad(squares, wrt=(0, 1))  # noqa: E731
    yield Factorisation("∇ np.sum((A @ B) ** 2)", squares_by_hand, size, (a, regular), compiled=gradient)
    weights = (a, regular, a.T, b, rng.normal(size=(size, size)))
    layers = lambda: fs.grad(three_layers, wrt=(0, 1, 2, 3, 4))  # noqa: E731
    yield Factorisation("∇ of three layers", three_layers_by_hand, size, weights, compiled=layers)
    rows, labels = rng.normal(size=(20 * size, size)), np.sign(rng.normal(size=20 * size))
    yield Factorisation("Σ c x xᵀ", weighted_by_hand, size, (rows, labels), compiled=lambda: fs.function(weighted))
    hessian = lambda: fs.hessian(logistic, wrt="w")  # noqa: E731
    yield Factorisation("∇² of a logistic loss", logistic_by_hand, size, (0.1 * b, rows, labels), compiled=hessian)
