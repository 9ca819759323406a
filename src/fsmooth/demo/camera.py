"""The camera model of *Bundle Adjustment in the Large* and its derivatives, written as plain Python.

P = R(r) X + t;  p = -P[0:2] / P[2];  p' = f (1 + k1 |p|² + k2 |p|⁴) p.  A camera is r (angle-axis), t, f, k1, k2.
"""

from __future__ import annotations

import math

import fsmooth as fs


def cross(a, b):
    """The vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotate(r, x):
    """`x` turned by the angle |r| about the axis r (Rodrigues); for small angles to first order."""
    square = r[0] ** 2 + r[1] ** 2 + r[2] ** 2
    if square < 1e-30:
        c = cross(r, x)
        return [x[k] + c[k] for k in range(3)]
    angle = math.sqrt(square)
    axis = [r[k] / angle for k in range(3)]
    turn = cross(axis, x)
    along = sum(axis[k] * x[k] for k in range(3)) * (1 - math.cos(angle))
    return [x[k] * math.cos(angle) + turn[k] * math.sin(angle) + axis[k] * along for k in range(3)]


def reproject(camera, point):
    """Where a camera (9 numbers) sees a point (3 numbers): 2 numbers, in pixels."""
    P = rotate(camera[0:3], point) + camera[3:6]
    u = [-P[0] / P[2], -P[1] / P[2]]
    n = u[0] ** 2 + u[1] ** 2
    return [camera[6] * (1 + camera[7] * n + camera[8] * n * n) * u[d] for d in range(2)]


@fs.function
def residuals(cameras, points, camera_of, point_of, observed):
    """Seen minus observed, for every observation: (observations, 2)."""
    return [reproject(cameras[camera_of[k]], points[point_of[k]]) - observed[k] for k in range(len(camera_of))]


@fs.function
def blocks(cameras, points, camera_of, point_of):
    """The blocks of the Jacobian that are not zero: (observations, 2, 9) and (observations, 2, 3)."""
    J = fs.jacobian(reproject, wrt=("camera", "point"))
    return [J(cameras[camera_of[k]], points[point_of[k]]) for k in range(len(camera_of))]
