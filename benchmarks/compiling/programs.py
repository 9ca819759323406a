"""Small programs as users write them, from many fields, and a long one without loops."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import fsmooth as fs

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
BARS = np.array([[0, 2], [1, 3], [0, 3], [1, 2], [2, 3], [0, 1]])
"""A square, with its diagonals."""


@dataclass(frozen=True)
class Example:
    """A function of real numbers of which the first argument, an array, is differentiated by."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def logistic(w, X, y):
    """Regression with a penalty."""
    loss = 0.0
    for i in range(len(y)):
        margin = y[i] * (X[i] @ w)
        loss += np.log(1.0 + np.exp(-margin))
    return loss / len(y) + 0.01 * (w @ w)


def pendulum(p, angles, step):
    """A damped pendulum by the mid-point rule, against what was seen."""
    angle, speed = p[0], p[1]
    loss = 0.0
    for k in range(len(angles)):
        middle = speed + 0.5 * step * (-p[2] * np.sin(angle) - p[3] * speed)
        angle += step * middle
        speed += step * (-p[2] * np.sin(angle) - p[3] * middle)
        loss += (angle - angles[k]) ** 2
    return loss


def reach(q, goal):
    """An arm in the plane: how far its end is from a goal."""
    x, y, turned = 0.0, 0.0, 0.0
    for k in range(len(q)):
        turned += q[k]
        x += np.cos(turned)
        y += np.sin(turned)
    return (x - goal[0]) ** 2 + (y - goal[1]) ** 2 + 0.01 * np.sum(q**2)


def epidemic(p, cases):
    """Susceptible, infected, recovered: one step of a day each, against the counts."""
    s, i, misfit = 1.0 - p[2], p[2], 0.0
    for day in range(len(cases)):
        new = p[0] * s * i
        if new > s:
            new = s
        s, i = s - new, i + new - p[1] * i
        misfit += (i - cases[day]) ** 2 / (0.01 + cases[day])
    return misfit


def network(w, X, y):
    """A layer of four, its weights in one array."""
    loss = 0.0
    for i in range(len(X)):
        out = w[16]
        for j in range(4):
            hidden = w[12 + j]
            for k in range(3):
                hidden += w[3 * j + k] * X[i, k]
            out += np.tanh(hidden)
        loss += (out - y[i]) ** 2
    return loss / len(X)


def springs(x, length, stiffness):
    """Masses on a line, each held by its neighbours and kept away by a wall."""
    energy = 0.0
    for i in range(1, len(x)):
        energy += 0.5 * stiffness * (x[i] - x[i - 1] - length) ** 2
    for i in range(len(x)):
        if x[i] < 0.0:
            energy += 10.0 * x[i] ** 2
    return energy


def gaussian(theta, points):
    """The likelihood of points under a covariance that is written down by its Cholesky factor."""
    a, b, c = np.exp(theta[2]), theta[3], np.exp(theta[4])
    total = 0.0
    for i in range(len(points)):
        u = (points[i, 0] - theta[0]) / a
        v = (points[i, 1] - theta[1] - b * u) / c
        total += 0.5 * (u * u + v * v) + np.log(a) + np.log(c)
    return total


def mixture(p, x):
    """Three bells in a row."""
    total = 0.0
    for i in range(len(x)):
        density = 0.0
        for k in range(3):
            z = (x[i] - p[k]) * np.exp(-p[3 + k])
            density += np.exp(-0.5 * z * z - p[3 + k])
        total -= np.log(density / 3.0)
    return total


def option(p, steps):
    """A binomial tree, from the leaves back."""
    up = np.exp(p[1] * np.sqrt(1.0 / steps))
    chance = (np.exp(p[2] / steps) - 1.0 / up) / (up - 1.0 / up)
    values = np.zeros(steps + 1)
    for i in range(steps + 1):
        values[i] = max(p[0] * up ** (2 * i - steps) - 1.0, 0.0)
    for step in range(steps):
        for i in range(steps - step):
            values[i] = np.exp(-p[2] / steps) * (chance * values[i + 1] + (1.0 - chance) * values[i])
    return values[0]


def factored(p, A, b):
    """A linear system with a ridge, by elimination without pivots."""
    n = len(b)
    M = A.copy()
    x = b.copy()
    for i in range(n):
        M[i, i] += np.exp(p[0])
        x[i] *= p[1]
    for k in range(n):
        for i in range(k + 1, n):
            factor = M[i, k] / M[k, k]
            for j in range(k, n):
                M[i, j] -= factor * M[k, j]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= M[k, j] * x[j]
        x[k] /= M[k, k]
    return np.sum(x * x)


def newton(p, steps):
    """The root of a cubic by Newton's method, as far as it has to go."""
    x, count = p[0], 0
    while abs(x**3 + p[1] * x - p[2]) > 1e-9 and count < steps:
        x -= (x**3 + p[1] * x - p[2]) / (3.0 * x * x + p[1])
        count += 1
    return x


def path(weights, lengths):
    """The cost of the best way through a grid, softly."""
    n, m = lengths.shape
    best = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            here = lengths[i, j] * weights[0]
            if i > 0 and j > 0:
                a, b = best[i - 1, j], best[i, j - 1]
                here += weights[1] * -np.log(np.exp(-a) + np.exp(-b))
            elif i > 0:
                here += best[i - 1, j]
            elif j > 0:
                here += best[i, j - 1]
            best[i, j] = here
    return best[n - 1, m - 1]


def evidence(theta, X, y):
    """The evidence of a Gaussian process, as whole arrays, with two linear systems."""
    width, height, noise = np.exp(theta)
    apart = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    K = height**2 * np.exp(-0.5 * apart / width**2) + noise**2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    weights = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ weights + np.sum(np.log(np.diag(L)))


def truss(areas: fs.Array["m"], nodes: fs.Array["n", 2], bars: fs.Array["m", 2, fs.Index["n"]], load):
    """How far a truss gives way to its load; its first two nodes are held."""
    n = len(nodes)
    K = np.zeros((2 * n, 2 * n))
    for b in range(len(bars)):
        i, j = bars[b, 0], bars[b, 1]
        along = nodes[j] - nodes[i]
        length = np.sqrt(along @ along)
        along = along / length
        stiff = areas[b] / length * np.outer(along, along)
        for k in range(2):
            for m in range(2):
                K[2 * i + k, 2 * i + m] += stiff[k, m]
                K[2 * j + k, 2 * j + m] += stiff[k, m]
                K[2 * i + k, 2 * j + m] -= stiff[k, m]
                K[2 * j + k, 2 * i + m] -= stiff[k, m]
    return load @ np.linalg.solve(K[4:, 4:], load)


def examples() -> dict[str, Example]:
    """By name."""
    rng = np.random.default_rng(0)
    r = rng.random
    system = r((6, 6)) + 6.0 * np.eye(6)
    return {
        "logistic": Example(logistic, (r(5), r((20, 5)), np.sign(r(20) - 0.5))),
        "pendulum": Example(pendulum, (np.array([0.5, 0.0, 9.8, 0.1]), r(30), 0.05)),
        "reach": Example(reach, (r(5), np.array([2.0, 1.0]))),
        "epidemic": Example(epidemic, (np.array([0.4, 0.1, 0.01]), r(25))),
        "network": Example(network, (r(17), r((12, 3)), r(12))),
        "springs": Example(springs, (np.arange(10.0) + 0.1 * r(10), 1.0, 2.0)),
        "gaussian": Example(gaussian, (r(5), r((15, 2)))),
        "mixture": Example(mixture, (r(6), r(20))),
        "option": Example(option, (np.array([1.1, 0.2, 0.05]), 12)),
        "elimination": Example(factored, (np.array([0.1, 1.5]), system, r(6))),
        "newton": Example(newton, (np.array([1.0, 2.0, 3.0]), 30)),
        "path": Example(path, (np.array([1.0, 0.9]), r((5, 6)))),
        "evidence": Example(evidence, (np.array([0.1, 0.2, -1.0]), r((12, 2)), r(12))),
        "truss": Example(truss, (1.0 + r(6), CORNERS, BARS, np.array([0.0, -1.0, 0.5, 0.0]))),
    }


def long_program(statements: int) -> Example:
    """A function of so many statements, each of which uses two earlier ones."""
    lines = ["import math", "", "def long(x):", "    t0 = x[0]", "    t1 = x[1]"]
    lines += [f"    t{k} = 0.5 * t{k - 1} + math.sin(t{k // 2}) * t{k - 2}" for k in range(2, statements)]
    folder = Path(tempfile.mkdtemp())
    file = folder / "long_program.py"
    file.write_text("\n".join([*lines, f"    return t{statements - 1}", ""]))
    spec = importlib.util.spec_from_file_location("long_program", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Example(module.long, (np.array([0.3, 0.7]),))
