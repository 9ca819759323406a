"""The measured programs, in fsmooth (paper 000: micro benchmarks, Fig. 10, Fig. 11)."""

from __future__ import annotations

import math

import numpy as np

import fsmooth as fs

ABLATIONS = ("NONE", "LF", "LN", "LICM", "DPS", "DEFAULT")
"""The schedules of the paper's ablations, each with the rules of those before, and the compiler's own."""


def dot(a, b):
    return sum(a[i] * b[i] for i in range(len(a)))


def largest(v):
    return max(v[i] for i in range(len(v)))


def add(a, b):
    return [a[i] + b[i] for i in range(len(a))]


def scale(v, s):
    return [x * s for x in v]


def nnmf(u, v, A):
    """Fig. 10: the gradient in u of a factorisation's cost."""
    return sum(fs.log(u[i] * v[j]) + A[i, j] / (u[i] * v[j]) for i in range(len(u)) for j in range(len(v)))


def nnmf_by_matrices(u, v, A):
    """The same in terms of matrices, as a user of M̃ writes it: what the ablation of Fig. 10 has to fuse."""
    UV = fs.outer(u, v)
    return np.sum(fs.log(UV) + A / UV)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rodrigues(r, x):
    angle = math.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
    w = [r[k] / angle for k in range(3)]
    turn = cross(w, x)
    along = sum(w[k] * x[k] for k in range(3)) * (1 - math.cos(angle))
    return [x[k] * math.cos(angle) + turn[k] * math.sin(angle) + w[k] * along for k in range(3)]


def project_one(camera, point):
    """Fig. 12: 11 camera parameters (r, C, f, x0, kappa) and a point."""
    P = rodrigues(camera[0:3], [point[k] - camera[3 + k] for k in range(3)])
    u = [P[0] / P[2], P[1] / P[2]]
    n = u[0] ** 2 + u[1] ** 2
    return [camera[6] * (1 + camera[9] * n + camera[10] * n * n) * u[d] + camera[7 + d] for d in range(2)]


def project(camera, points):
    """Fig. 11: the Jacobian by the camera for every point, (N, 2, 11)."""
    J = fs.jacobian(project_one, wrt="camera")
    return [J(camera, points[k]) for k in range(len(points))]
