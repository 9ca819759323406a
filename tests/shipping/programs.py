"""Ten functions to ship: loops, arrays that loops need, products, a solve, searches, derivatives, built-in sizes, integers."""

from __future__ import annotations

import numpy as np

import fsmooth as fs


def diffuse(x, steps):
    """Neighbours are averaged, so many times."""
    u = x
    for _ in range(steps):
        u = np.array(
            [0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1] if 0 < i < len(u) - 1 else u[i] for i in range(len(u))]
        )
    return u


def root(a, x):
    k = 0
    while abs(x * x - a) > 1e-12 and k < 60:
        x = 0.5 * (x + a / x)
        k += 1
    return x


def mixture(x, mu, w):
    return sum(np.log(sum(w[k] * np.exp(-0.5 * (x[i] - mu[k]) ** 2) for k in range(len(mu)))) for i in range(len(x)))


def recurrent(x, W):
    h = np.zeros(len(W))
    for k in range(len(x)):
        h = np.tanh(W @ h + x[k])
    return np.sum(h**2)


def medians(x):
    """Of all beginnings of x."""
    return [np.sort(x[: i + 1])[i // 2] for i in range(len(x))]


def either(A, b):
    return np.linalg.solve(A, b)[0] if b[0] > 0 else np.sum(A @ A)


def counts(bins, n):
    found = np.zeros(n, dtype=int)
    for k in range(len(bins)):
        found[bins[k]] += 1
    return found


def lengths(points: fs.Array[n, 3]):  # noqa: F821
    return [np.linalg.norm(p) for p in points]


def narrow(x):
    return np.cumsum(np.exp(-x))


_RNG = np.random.default_rng(4)
_X, _B = _RNG.normal(size=9), _RNG.normal(size=5)
_A = _RNG.normal(size=(5, 5)) + 5 * np.eye(5)

CASES = {
    "diffuse": (diffuse, (_X, 4)),
    "diffuse_dx": (fs.jacobian(diffuse), (_X, 4)),
    "root": (root, (2.0, 1.0)),
    "root_da": (fs.grad(root, method="reverse"), (2.0, 1.0)),
    "mixture_dmu": (fs.value_and_grad(mixture, wrt="mu", method="reverse"), (_X, _B[:3], _B[:3] ** 2)),
    "recurrent_dW": (fs.grad(recurrent, wrt="W", method="reverse"), (_RNG.normal(size=(7, 5)), _A / 9)),
    "medians": (medians, (_X,)),
    "either": (either, (_A, _B)),
    "either_dA": (fs.grad(either, wrt=("A", "b"), method="reverse"), (_A, np.abs(_B))),
    "counts": (counts, (np.array([2, 0, 2, 3, 2]), 5)),
    "lengths_dp": (fs.jacobian(lengths), (_RNG.normal(size=(4, 3)),)),
    "narrow": (narrow, (_X.astype(np.float32),)),
    "product": (lambda A, B: A @ B, (_RNG.normal(size=(40, 30)), _RNG.normal(size=(30, 50)))),
}


def library(memory):
    """All of them, and their examples."""
    functions = {name: f for name, (f, _) in CASES.items()}
    return fs.library("robot", memory=memory, **functions), {name: example for name, (_, example) in CASES.items()}


def results_of(name):
    """What the Python call gives, array by array."""
    f, example = CASES[name]
    value = fs.function(f)(*example)
    parts = value if isinstance(value, tuple) else (value,)
    return [np.asarray(part) for part in parts]
