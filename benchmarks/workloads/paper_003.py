"""The programs of Table 1 of paper 003, and the particles beside them upstream, on arrays.

The rotation by a quaternion is 2 (u·v) u + (s² - u·u) v + 2 s u×v.  Upstream (tomsmeding/ad-dualrev-th, bench/Main.hs) the second
component of the cross product a×b is wrong: az·bz - ax·bz instead of az·bx - ax·bz.  `rotate_as_upstream` is as there; it is
not a rotation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

STEPS, DT = 1000, 0.05


def multiply(x, y):
    return x * y


def dot(x, y):
    return sum(x[i] * y[i] for i in range(len(x)))


def sum_of_product(A, x):
    """The sum of a matrix times a vector."""
    return sum(sum(A[i, j] * x[j] for j in range(len(x))) for i in range(len(A)))


def _turned(v, q, uxv):
    u, s = q[:3], q[3]
    uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    return [2.0 * uv * u[k] + (s * s - uu) * v[k] + 2.0 * s * uxv[k] for k in range(3)]


def rotate(v, q):
    """v turned by the quaternion q = (x, y, z, w) of length 1."""
    return _turned(v, q, [q[1] * v[2] - q[2] * v[1], q[2] * v[0] - q[0] * v[2], q[0] * v[1] - q[1] * v[0]])


def rotate_as_upstream(v, q):
    """What upstream computes."""
    return _turned(v, q, [q[1] * v[2] - q[2] * v[1], q[2] * v[2] - q[0] * v[2], q[0] * v[1] - q[1] * v[0]])


def rotations(v, q, w):
    """The sum with weights of vectors that are turned."""
    total = 0.0
    for i in range(len(v)):
        turned = rotate(v[i], q[i])
        total += w[i, 0] * turned[0] + w[i, 1] * turned[1] + w[i, 2] * turned[2]
    return total


def particles(p, v, steps):
    """Of particles in a force field with friction, the sum over them of x·y after the steps."""
    total = 0.0
    for k in range(len(p)):
        x, y, vx, vy = p[k, 0], p[k, 1], v[k, 0], v[k, 1]
        for _ in range(steps):
            ax, ay = -0.5 * x - 0.2 * vx, -0.5 * y - 0.2 * vy
            x, y, vx, vy = x + DT * vx, y + DT * vy, vx + DT * ax, vy + DT * ay
        total += x * y
    return total


@dataclass(frozen=True)
class Case:
    """A program, its arguments, by which the derivative is, the right value and derivative, and how many elements there are."""

    program: Callable[..., Any]
    arguments: tuple[Any, ...]
    wrt: tuple[str, ...]
    value: float
    right: tuple[Any, ...]
    elements: int


def cases(n: int) -> dict[str, Case]:
    """All of them on about n numbers; an element of the particles is a step of one of them."""
    rng = np.random.default_rng(n)
    x, y, m = rng.normal(size=n), rng.normal(size=n), int(n**0.5)
    A, z = rng.normal(size=(m, m)), rng.normal(size=m)
    v, q, w = rng.normal(size=(n, 3)), rng.normal(size=(n, 4)), rng.normal(size=(n, 3))
    q /= np.linalg.norm(q, axis=1)[:, None]
    p, velocities = np.array([[0.5 * i, 0.1] for i in range(1, 5)]), np.ones((4, 2))
    turned = sum([float(wi @ matrix(qi) @ vi) for vi, qi, wi in zip(v, q, w, strict=True)])
    last = _last(p, velocities)
    moved, by_p = float(np.sum(last[:, 0] * last[:, 1])), moved_back(p, velocities)
    return {
        "scalar multiplication": Case(multiply, (1.5, -2.5), ("x", "y"), -3.75, (-2.5, 1.5), 1),
        "dot product": Case(dot, (x, y), ("x", "y"), float(x @ y), (y, x), n),
        "sum of matrix times vector": Case(
            sum_of_product, (A, z), ("A", "x"), float(A.sum(axis=0) @ z), (np.tile(z, (m, 1)), A.sum(axis=0)), m * m
        ),
        "vectors turned by quaternions": Case(rotations, (v, q, w), ("v", "q"), turned, turned_back(v, q, w), n),
        "particles": Case(particles, (p, velocities, STEPS), ("p", "v"), moved, by_p, 4 * STEPS),
    }


def matrix(q: np.ndarray) -> np.ndarray:
    """The map that `rotate` is, for quaternions of any length."""
    x, y, z, w = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def turned_back(v: np.ndarray, q: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of `rotations`, by the matrices: quadratic in q, whose derivative along e is (M(q+e) - M(q-e)) / 2."""
    by_v = np.stack([matrix(qi).T @ wi for qi, wi in zip(q, w, strict=True)])
    along = [(np.moveaxis(matrix((q + e).T) - matrix((q - e).T), 2, 0)) / 2.0 for e in np.eye(4)]
    return by_v, np.stack([np.einsum("ij,ijk,ik->i", w, M, v) for M in along], axis=1)


_MAP = np.linalg.matrix_power(np.array([[1.0, DT], [-0.5 * DT, 1.0 - 0.2 * DT]]), STEPS)
"""What the steps do with a coordinate and its velocity."""


def _last(p: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _MAP[0, 0] * p + _MAP[0, 1] * v


def moved_back(p: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of `particles`."""
    last = _last(p, v)
    return _MAP[0, 0] * last[:, ::-1], _MAP[0, 1] * last[:, ::-1]
