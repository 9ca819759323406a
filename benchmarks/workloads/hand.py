"""A skinned hand of our own with the sizes of ADBench's, and points that were measured on it in a known pose."""

from __future__ import annotations

import numpy as np

from benchmarks.workloads import in_numpy
from benchmarks.workloads.ht import Complicated, Hand, Simple

SMALL, BIG = (3, 8), (19, 24)
"""Rings of each bone and vertices of each ring: 528 and 10032 vertices."""
REACH = 4
"""A vertex is moved by at most so many bones."""

_PARENTS = np.array([-1, *[p for f in range(5) for p in (0, 4 * f + 1, 4 * f + 2, 4 * f + 3)], 0])
_SPREAD = np.array([-0.7, -0.2, 0.0, 0.2, 0.4])
"""The angles of the fingers in the plane of the palm."""
_LENGTHS = np.array([0.02, *np.outer([0.7, 1.0, 1.1, 1.0, 0.8], [0.09, 0.04, 0.03, 0.02]).ravel(), 0.2])
_RADII = np.array([0.02, *[0.014, 0.009, 0.008, 0.007] * 5, 0.025])
"""In metres, of the wrist, four bones of each finger, and the forearm."""


def mesh(rings: int, sides: int) -> tuple[Hand, np.ndarray]:
    """The hand, whose bones are tubes along their second axes, and its triangles."""
    relatives = _relatives()
    absolutes = np.zeros_like(relatives)
    for i, parent in enumerate(_PARENTS):
        absolutes[i] = relatives[i] if parent == -1 else absolutes[parent] @ relatives[i]
    round_, up = 2.0 * np.pi * np.arange(sides) / sides, np.linspace(0.05, 0.95, rings)
    tube = np.array([[np.cos(a), h, np.sin(a), 1.0] for h in up for a in round_])
    scales = np.stack([_RADII, _LENGTHS, _RADII, np.ones(len(_RADII))], axis=1)
    positions = np.einsum("brc,bc,vc->bvr", absolutes, scales, tube).reshape(-1, 4)
    bones_of, weights = _skin(positions[:, :3], absolutes)
    hand = Hand(_PARENTS, relatives, np.linalg.inv(absolutes), positions, bones_of, weights, mirrored=False)
    return hand, _triangles(rings, sides)


def _relatives() -> np.ndarray:
    """Each bone in the frame of its parent: fingers begin at the wrist, their other bones where the one before ends."""
    relatives = np.tile(np.eye(4), (len(_PARENTS), 1, 1))
    for i, parent in enumerate(_PARENTS[1:], 1):
        relatives[i, 1, 3] = _LENGTHS[parent] if parent else 0.0
    for i, angle in zip([*range(1, 21, 4), 21], [*_SPREAD, np.pi], strict=True):
        relatives[i, :3, :3] = in_numpy.rotation(2, angle)
    return relatives


def _skin(positions: np.ndarray, absolutes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bones nearest to each vertex, and weights that fall with the distance and are zero where they would be small."""
    start, axis = absolutes[:, :3, 3], absolutes[:, :3, 1]
    away = positions[:, None] - start
    along = np.clip((away * axis).sum(axis=2), 0.0, _LENGTHS)
    distance = np.linalg.norm(away - along[:, :, None] * axis, axis=2)
    bones_of = np.argsort(distance, axis=1)[:, :REACH]
    weights = np.take_along_axis(distance, bones_of, axis=1) ** -3.0
    weights /= weights.sum(axis=1)[:, None]
    weights[weights < 0.05] = 0.0
    return bones_of, weights / weights.sum(axis=1)[:, None]


def _triangles(rings: int, sides: int) -> np.ndarray:
    """Two for each side between two rings: (T, 3)."""
    bone, ring, side = [k.ravel() for k in np.indices((len(_PARENTS), rings - 1, sides))]
    below = (bone * rings + ring) * sides
    a, b = below + side, below + (side + 1) % sides
    return np.concatenate([np.stack([a, b, a + sides], axis=1), np.stack([b, b + sides, a + sides], axis=1)])


def simple(N: int, size: tuple[int, int] = SMALL) -> Simple:
    """N points on vertices, with noise of two millimetres; the pose is that of the points but for a tenth of a radian."""
    random = np.random.default_rng(N)
    hand, _ = mesh(*size)
    true, theta = _poses(random)
    vertex_of = random.integers(len(hand.weights), size=N)
    places = in_numpy.hand_positions(true, hand)[vertex_of]
    return Simple(theta, hand, vertex_of, places + 0.002 * random.normal(size=(N, 3)))


def complicated(N: int, size: tuple[int, int] = SMALL) -> Complicated:
    """The same with points in triangles."""
    random = np.random.default_rng(N)
    hand, triangles = mesh(*size)
    true, theta = _poses(random)
    triangle_of, u = random.integers(len(triangles), size=N), random.dirichlet([1.0] * 3, size=N)
    corners = in_numpy.hand_positions(true, hand)[triangles[triangle_of]]
    places = (corners * u[:, :, None]).sum(axis=1) + 0.002 * random.normal(size=(N, 3))
    return Complicated(theta, u[:, :2].copy(), hand, triangles, triangle_of, places)


def _poses(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The pose of the points: turned, moved, with bent fingers; and one near it."""
    bent = np.column_stack(
        [random.uniform(0.0, 0.8, 5), random.uniform(-0.2, 0.2, 5), random.uniform(0.0, 0.8, (5, 2))]
    )
    true = np.concatenate([random.uniform(-1.0, 1.0, 3), random.uniform(-0.3, 0.3, 3), bent.ravel()])
    return true, true + 0.1 * random.normal(size=26)
