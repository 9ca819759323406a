"""Bundle adjustment: reprojection errors of p observations, and their Jacobian in 2 x 15 blocks (ADBench `ba`).

A camera has 11 parameters: rotation r (angle-axis), centre C, focal length f, principal point x0, radial distortion kappa.

Source: microsoft/ADBench (MIT).  Its files have one camera, point, weight and feature, which stand for equal ones.
"""

import math
from typing import NamedTuple

import numpy as np

import fsmooth as fs
from benchmarks.workloads import files, in_numpy


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotate(r, x):
    """x turned about r by the length of r."""
    squared = dot(r, r)
    if squared == 0.0:
        turned = cross(r, x)
        return [x[k] + turned[k] for k in range(3)]
    angle = math.sqrt(squared)
    cosine, sine = math.cos(angle), math.sin(angle)
    v = [r[k] / angle for k in range(3)]
    turned = cross(v, x)
    along = dot(v, x) * (1.0 - cosine)
    return [x[k] * cosine + turned[k] * sine + v[k] * along for k in range(3)]


def project(cam: fs.Array[11], X: fs.Array[3]):
    """Where a camera sees a point: (2)."""
    P = rotate(cam[0:3], [X[k] - cam[3 + k] for k in range(3)])
    u = [P[0] / P[2], P[1] / P[2]]
    squared = u[0] ** 2 + u[1] ** 2
    distortion = 1.0 + cam[9] * squared + cam[10] * squared**2
    return [cam[6] * distortion * u[d] + cam[7 + d] for d in range(2)]


def residual(cam, X, w, feat):
    """The weighted reprojection error of one observation: (2)."""
    seen = project(cam, X)
    return [w * (seen[d] - feat[d]) for d in range(2)]


@fs.function
def objective(
    cams: fs.Array["n", 11],
    X: fs.Array["m", 3],
    w: fs.Array["p"],
    feats: fs.Array["p", 2],
    cam_of: fs.Array["p", fs.Index["n"]],
    point_of: fs.Array["p", fs.Index["m"]],
):
    """Reprojection errors (p, 2) and errors of the weights (p)."""
    errors = [residual(cams[cam_of[i]], X[point_of[i]], w[i], feats[i]) for i in range(len(w))]
    return errors, [1.0 - w[i] ** 2 for i in range(len(w))]


@fs.function
def blocks(
    cams: fs.Array["n", 11],
    X: fs.Array["m", 3],
    w: fs.Array["p"],
    feats: fs.Array["p", 2],
    cam_of: fs.Array["p", fs.Index["n"]],
    point_of: fs.Array["p", fs.Index["m"]],
):
    """The blocks of the Jacobian by camera, point and weight, (p, 2, 15); and the derivatives (p) of the weights' errors."""

    def block(i):
        by_cam, by_point, by_weight = fs.jacobian(residual, wrt=("cam", "X", "w"))(
            cams[cam_of[i]], X[point_of[i]], w[i], feats[i]
        )
        return [
            [by_cam[d, k] if k < 11 else by_point[d, k - 11] if k < 14 else by_weight[d] for k in range(15)]
            for d in range(2)
        ]

    return [block(i) for i in range(len(w))], [fs.grad(lambda v: 1.0 - v**2)(w[i]) for i in range(len(w))]


class Instance(NamedTuple):
    """The arguments of `objective` and `blocks`."""

    cams: np.ndarray
    X: np.ndarray
    w: np.ndarray
    feats: np.ndarray
    cam_of: np.ndarray
    point_of: np.ndarray


def replicate(n: int, m: int, p: int, cam: object, x: object, w: float, feat: object) -> Instance:
    """n equal cameras, m equal points and p equal observations, of cameras and points in turn."""
    each = np.arange(p)
    cams, X, feats = (np.tile(np.asarray(one, dtype=float), (k, 1)) for one, k in ((cam, n), (x, m), (feat, p)))
    return Instance(cams, X, np.full(p, float(w)), feats, each % n, each % m)


def load(name: str) -> Instance:
    """A file of ADBench: `n m p`, a camera, a point, a weight, a feature."""
    numbers = files.numbers(f"ba/{name}")
    n, m, p = numbers[:3].astype(int)
    return replicate(n, m, p, numbers[3:14], numbers[14:17], numbers[17], numbers[18:20])


def made(n: int, m: int, p: int) -> Instance:
    """Different cameras around one place, different points there, seen with noise: n cameras, m points, p observations."""
    random = np.random.default_rng(p)
    normal = random.normal
    cams = np.hstack(
        [
            normal(size=(n, 3)) * 0.1,
            normal(size=(n, 3)) + [0.0, 0.0, -20.0],
            normal(400.0, 5.0, (n, 1)),
            normal(size=(n, 2)),
            normal(size=(n, 2)) * [0.02, 0.005],
        ]
    )
    X, w, each = normal(size=(m, 3)), random.random(p), np.arange(p)
    cam_of, point_of = random.permutation(each % n), each % m
    exact = Instance(cams, X, np.ones(p), np.zeros((p, 2)), cam_of, point_of)
    return exact._replace(w=w, feats=in_numpy.reprojections(exact) + normal(size=(p, 2)))


def compressed_rows(problem: Instance, J: np.ndarray, dw: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row pointers, columns and values of the sparse Jacobian of 2p errors and p errors of weights, as ADBench lays it out."""
    n, m, p = len(problem.cams), len(problem.X), len(problem.w)
    columns = np.empty((p, 2, 15), dtype=np.int64)
    columns[:, :, :11] = (11 * problem.cam_of[:, None] + np.arange(11))[:, None, :]
    columns[:, :, 11:14] = (11 * n + 3 * problem.point_of[:, None] + np.arange(3))[:, None, :]
    weights = 11 * n + 3 * m + np.arange(p)
    columns[:, :, 14] = weights[:, None]
    rows = np.concatenate([15 * np.arange(2 * p + 1), 30 * p + 1 + np.arange(p)])
    return rows, np.concatenate([columns.ravel(), weights]), np.concatenate([J.ravel(), dw])
