"""Programs whose derivatives are made by a tape, each with arguments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import fsmooth as fs
from fsmooth.core.term import Lam, Method, Verb
from tests.reverse.routes import derivative, made
from tests.strategies import FLOATS


def taped(program: Lam) -> Lam:
    """Value and gradient of a random program by a tape."""
    return made(derivative(program, FLOATS, Verb.VALUE_AND_GRAD, Method.TAPE))


def product_of_sines(v):
    """An entry for each element, one after the other."""
    p = 1.0
    for x in v:
        p = p * (1.0 + 0.001 * fs.sin(x)) + 0.001 * x
    return p


def inner(x, t):
    """Differentiated in a loop, in what is differentiated."""
    return fs.sin(x * t)


def nested(x, v):
    """Tapes in a tape."""
    slopes = [fs.grad(inner, method="tape")(0.5, t) for t in v]
    return x * sum(slopes) + x * x


V, M = np.array([0.5, -1.5, 2.0]), np.array([[1.0, 2.0, -1.0], [0.5, -0.25, 3.0], [2.0, 1.0, 4.0]])


def windowed(v):
    out = np.zeros(len(v))
    for i in range(1, len(v)):
        out[i] = out[i - 1] * v[i] + v[0]
    return out


def halving(x):
    while x > 1.0:
        x = 0.5 * x
    return x


def branches(x, v):
    if x > 0.0:
        y = fs.exp(x) * v[0]
    else:
        y = v[1]
    return y * y + 2.0


squared = fs.custom_derivative(lambda x: x * x, jvp=lambda x, dx: 2.0 * x * dx)
norm_squared = fs.custom_derivative(lambda v: fs.sum(v * v), vjp=lambda v, c: 2.0 * v * c)
squares = fs.custom_derivative(lambda v: v * v, vjp=lambda v, c: 2.0 * v * c)


def unrelated(v):
    return 3.0 if v[0] > 1.0 else 4.0


GRADIENTS: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "constant": (lambda x: 2.0, (1.0,)),
    "itself": (lambda x: x, (1.5,)),
    "shared": (lambda x: (x * x) * (x * x) + x, (1.5,)),
    "doublings": (lambda x: sum([x, x, x]) * x, (1.5,)),
    "dot": (lambda a, b: sum(a[i] * b[i] for i in range(len(a))), (V, 2.0 * V)),
    "nested sums": (lambda m, v: sum(sum(m[i, j] * v[j] for j in range(len(v))) for i in range(len(m))), (M, V)),
    "products": (lambda v: fs.prod(v) + fs.prod(v[1:]), (V,)),
    "a zero factor": (lambda v: fs.prod(v), (np.array([2.0, 0.0, 3.0]),)),
    "largest": (lambda v: fs.max(v) * fs.min(v), (V,)),
    "matrix": (lambda m, v: fs.sum(fs.tanh(m @ v)), (M, V)),
    "norm": (lambda v: fs.norm(v) / (1.0 + fs.norm(v)), (V,)),
    "logsumexp": (lambda v: fs.logsumexp(v), (V,)),
    "solved": (lambda m, v: sum(np.linalg.solve(m, v)), (M, V)),
    "determined": (lambda m: np.linalg.det(m), (M,)),
    "assigned": (lambda v: sum(windowed(v)), (V,)),
    "while": (halving, (37.0,)),
    "taken": (branches, (0.3, V)),
    "not taken": (branches, (-0.3, V)),
    "depends only by a test": (unrelated, (V,)),
    "sorted": (lambda v: np.sort(v)[1] ** 2, (V,)),
    "cumulated": (lambda v: np.cumsum(v) @ v, (V,)),
    "record": (lambda p: p["a"] * sum(p["b"]), ({"a": 2.0, "b": V},)),
    "powers": (lambda x, y: x**y + x**3.0 + 2.0**y, (1.5, 2.5)),
    "eigenvalues": (lambda a: fs.sum(np.linalg.eigvalsh(a @ a.T) ** 2), (M,)),
    "factor": (lambda a: fs.sum(np.linalg.cholesky(a @ a.T + np.eye(3))), (M,)),
    "a rule of forward mode": (lambda v: sum(squared(x) for x in v), (V,)),
    "a rule of reverse mode": (lambda v: fs.sin(norm_squared(v)) * v[0], (V,)),
    "a rule for arrays": (lambda v: fs.sum(fs.sin(squares(v))), (V,)),
    "stopped": (lambda v: fs.sum(fs.stop_gradient(v) * v), (V,)),
    "chosen": (lambda v: fs.sum(np.where(v > 0, v * v, -v)), (V,)),
    "ties": (lambda v: np.max(v) * np.min(np.abs(v)), (np.array([1.0, 1.0, -1.0]),)),
    "empty": (lambda v: sum(x * x for x in v) + 1.0, (np.zeros(0),)),
}


def by_sign(v):
    y = np.sin(v)
    return y[y > 0], y[y < 0]


ARRAYS: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "matrix times vector": (lambda v, m: (m @ v, fs.sum(m)), (V, M)),
    "assigned": (windowed, (V,)),
    "outer": (lambda v, x: fs.outer(v, v) * x, (V, 2.0)),
    "list": (lambda v: [v[0] * v[1], v[0] + v[1]], (V,)),
    "inverse": (lambda m: np.linalg.inv(m), (M,)),
    "twice": (lambda x: (x, x), (2.0,)),
    "selected": (by_sign, (np.arange(1.0, 8.0),)),
}
