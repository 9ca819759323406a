"""A made scene with the numbers of the Ladybug problem, whose least cost is known.

Cameras go round a building and see points of its walls, with noise and with outliers, as matching leaves them.  The
errors are made orthogonal to the Jacobian at the true cameras and points, so that those are a minimum.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from fsmooth.demo.adjustment import Floats, Ints, Problem
from fsmooth.demo.solver import System

CAMERAS, POINTS, OBSERVATIONS = 49, 7776, 31843
FEWEST, WINDOW = 3, 9
"""A point is seen by at least three of the nine cameras nearest to it."""
NOISE, OUTLIERS, OUTLYING = 0.5, 0.01, 8.0
"""The deviation of an error in pixels; the share of observations that are wrong, and by how many pixels."""
AWAY = np.array([*[0.015] * 3, *[0.15] * 3, 6.0, 3e-3, 3e-3])
"""How far from the true cameras a solver starts: radians, metres, pixels, and the distortions."""


class Scene(NamedTuple):
    """The problem as a solver starts, and with the true cameras and points."""

    start: Problem
    true: Problem


def made(seed: int = 0) -> Scene:
    """49 cameras, 7776 points and 31843 observations."""
    random = np.random.default_rng(seed)
    angles = 2.0 * np.pi * (np.arange(CAMERAS) + random.uniform(-0.2, 0.2, CAMERAS)) / CAMERAS
    cameras, points = _cameras(random, angles), _building(random)
    camera_of, point_of = _sightings(random, angles, points)
    exact = seen(cameras[camera_of], points[point_of])
    true = Problem(cameras, points, camera_of, point_of, exact, f"a made scene (seed {seed})")
    errors = _orthogonal(true, _errors(random))
    true = replace(true, observed=exact - errors, minimum=0.5 * float(np.vdot(errors, errors)))
    moved = cameras + AWAY * random.normal(size=cameras.shape), points + 0.15 * random.normal(size=points.shape)
    return Scene(replace(true, cameras=moved[0], points=moved[1]), true)


def seen(cameras: Floats, points: Floats) -> Floats:
    """Where each camera (p, 9) sees its point (p, 3): (p, 2), the model of demo/camera.py for many at a time."""
    r, x = cameras[:, :3], points
    angle = np.sqrt((r * r).sum(axis=1))[:, None]
    axis = r / angle
    along = (axis * x).sum(axis=1)[:, None] * axis
    P = x * np.cos(angle) + np.cross(axis, x) * np.sin(angle) + along * (1.0 - np.cos(angle)) + cameras[:, 3:6]
    u = -P[:, :2] / P[:, 2:]
    n = (u * u).sum(axis=1)[:, None]
    return np.asarray(cameras[:, 6:7] * (1.0 + cameras[:, 7:8] * n + cameras[:, 8:9] * n * n) * u)


def blocks(problem: Problem) -> tuple[Floats, Floats]:
    """The derivatives of `seen` by complex steps: (p, 2, 9) and (p, 2, 3)."""
    step = 1e-30
    cameras = problem.cameras[problem.camera_of].astype(complex)
    points = problem.points[problem.point_of].astype(complex)
    by_camera = [seen(cameras + 1j * step * unit, points).imag / step for unit in np.eye(9)]
    by_point = [seen(cameras, points + 1j * step * unit).imag / step for unit in np.eye(3)]
    return np.stack(by_camera, axis=2), np.stack(by_point, axis=2)


def _cameras(random: np.random.Generator, angles: Floats) -> Floats:
    """Ten to twelve metres from the middle, looking at it, but for a hand that is not steady: (n, 9)."""
    n = len(angles)
    outward = np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1)
    right = np.stack([-np.sin(angles), np.cos(angles), np.zeros(n)], axis=1)
    centres = outward * random.uniform(10.0, 12.0, (n, 1)) + [0.0, 0.0, 1.7] + random.normal(size=(n, 3)) * 0.1
    turned = np.stack([right, np.tile([0.0, 0.0, 1.0], (n, 1)), outward], axis=1)  # a camera looks along -z
    rotations = Rotation.from_rotvec(0.05 * random.normal(size=(n, 3))) * Rotation.from_matrix(turned)
    focal = random.normal(400.0, 5.0, (n, 1))
    distortions = random.normal(size=(n, 2)) * [2e-2, 5e-3]
    return np.hstack([rotations.as_rotvec(), -rotations.apply(centres), focal, distortions])


def _building(random: np.random.Generator) -> Floats:
    """Points of four walls, six metres long and five high, with bays: (m, 3)."""
    wall, along = random.integers(4, size=POINTS), random.uniform(-3.0, 3.0, POINTS)
    depth = 3.0 + 0.4 * (np.sin(4.0 * along) > 0.0) + random.normal(size=POINTS) * 0.02
    turn = 0.5 * np.pi * wall
    x = depth * np.cos(turn) - along * np.sin(turn)
    y = depth * np.sin(turn) + along * np.cos(turn)
    return np.stack([x, y, random.uniform(0.0, 5.0, POINTS)], axis=1)


def _sightings(random: np.random.Generator, angles: Floats, points: Floats) -> tuple[Ints, Ints]:
    """By which camera which point is seen: (p), (p)."""
    direction = np.arctan2(points[:, 1], points[:, 0])
    away = np.abs((direction[:, None] - angles + np.pi) % (2.0 * np.pi) - np.pi)
    nearest = np.argsort(away, axis=1)[:, :WINDOW]
    more = random.permutation(POINTS * (WINDOW - FEWEST)) < OBSERVATIONS - POINTS * FEWEST
    count = FEWEST + more.reshape(POINTS, -1).sum(axis=1)
    order = random.permuted(np.tile(np.arange(WINDOW), (POINTS, 1)), axis=1)
    point_of, place = np.nonzero(order < count[:, None])
    return nearest[point_of, place], point_of.copy()  # a column of a table, which C by hand could not read


def _errors(random: np.random.Generator) -> Floats:
    """Normal, with outliers in all directions: (p, 2) pixels."""
    errors = NOISE * random.normal(size=(OBSERVATIONS, 2))
    wrong = random.random(OBSERVATIONS) < OUTLIERS
    errors[wrong] += OUTLYING * random.normal(size=(wrong.sum(), 2))
    return errors


def _orthogonal(problem: Problem, errors: Floats) -> Floats:
    """What is left of the errors when no step of cameras and points lowers them to first order."""
    by_camera, by_point = blocks(problem)
    system = System(problem)
    for _ in range(3):
        system.assemble(by_camera, by_point, errors)
        of_cameras, of_points = system.solve(1e-9)
        errors = errors + (by_camera @ of_cameras[problem.camera_of, :, None])[:, :, 0]
        errors = errors + (by_point @ of_points[problem.point_of, :, None])[:, :, 0]
    return errors
