"""Hand tracking: errors of a skinned hand's vertices, and their Jacobian by its pose (ADBench `hand`, GradBench `ht`).

The hand has 22 bones (parents before children) and M vertices, each moved by at most a few bones.  The pose θ (26): rotation of
the whole (angle-axis), translation, and four angles for each of five fingers.  N points correspond to vertices (simple) or to
points u inside triangles (complicated).

Source: microsoft/ADBench (MIT).
"""

import math
from typing import NamedTuple

import numpy as np

import fsmooth as fs
from benchmarks.workloads import files

FINGERS = 5


class Hand(NamedTuple):
    """A model; every vertex lists the bones that move it, padded with weights of 0."""

    parents: fs.Array["bones", int]  # -1 for none
    base_relatives: fs.Array["bones", 4, 4]
    inverse_base_absolutes: fs.Array["bones", 4, 4]
    base_positions: fs.Array["M", 4]
    bones_of: fs.Array["M", "width", int]
    weights: fs.Array["M", "width"]
    mirrored: bool


def rotation_by_angles(x, y, z):
    """Rz(z) Ry(y) Rx(x)."""
    cx, sx, cy, sy, cz, sz = math.cos(x), math.sin(x), math.cos(y), math.sin(y), math.cos(z), math.sin(z)
    return [
        [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
        [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
        [-sy, sx * cy, cx * cy],
    ]


def rotation_by_axis(r):
    """The rotation about r by its length; the identity if that is below 1e-4."""
    squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    if squared < 1e-8:
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    angle = math.sqrt(squared)
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    s, c = math.sin(angle), math.cos(angle)
    return [
        [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
        [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
        [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c],
    ]


def after_rotation(A, R):
    """A (4, 4) times [R 0; 0 1]."""
    return [[sum(A[i, k] * R[k][j] for k in range(3)) if j < 3 else A[i, 3] for j in range(4)] for i in range(4)]


def angles_of_bone(theta, i):
    """The angles by x, y and z of bone i: only the bones of fingers turn, the first of each finger in two directions."""
    if i < 1 or i > 4 * FINGERS:
        return 0.0, 0.0, 0.0
    finger, joint = (i - 1) // 4, (i - 1) % 4
    first = 6 + 4 * finger
    if joint == 0:
        return 0.0, 0.0, 0.0
    if joint == 1:
        return theta[first], 0.0, theta[first + 1]
    return theta[first + joint], 0.0, 0.0


def transforms(theta, hand):
    """How each bone moves what is fixed to it: (bones, 4, 4)."""
    absolute = np.zeros((len(hand.parents), 4, 4))
    for i in range(len(hand.parents)):
        x, y, z = angles_of_bone(theta, i)
        relative = after_rotation(hand.base_relatives[i], rotation_by_angles(x, y, z))
        parent = hand.parents[i]
        absolute[i] = relative if parent == -1 else absolute[parent] @ relative
    return [absolute[i] @ hand.inverse_base_absolutes[i] for i in range(len(hand.parents))]


def positions(theta, hand):
    """Where the vertices are: (M, 3)."""
    T = transforms(theta, hand)
    R = rotation_by_axis(theta[0:3])
    side = -1.0 if hand.mirrored else 1.0

    def moved(v, row):
        """A coordinate of vertex v before the rotation of the whole."""
        return sum(
            hand.weights[v, b] * sum(T[hand.bones_of[v, b], row, c] * hand.base_positions[v, c] for c in range(4))
            for b in range(hand.weights.shape[1])
        )

    def position(v):
        x, y, z = side * moved(v, 0), moved(v, 1), moved(v, 2)
        return [R[k][0] * x + R[k][1] * y + R[k][2] * z + theta[3 + k] for k in range(3)]

    return [position(v) for v in range(len(hand.weights))]


def simple_errors(theta: fs.Array[26], hand, vertex_of: fs.Array["N", fs.Index["hand.M"]], points: fs.Array["N", 3]):
    """Points minus vertices: (N, 3)."""
    V = positions(theta, hand)
    return [[points[i, k] - V[vertex_of[i], k] for k in range(3)] for i in range(len(points))]


def errors_on_triangles(u, V, triangles, triangle_of, points):
    """Points minus points of triangles, which u places between their corners: (N, 3)."""

    def error(i, k):
        a, b, c = triangles[triangle_of[i]]
        return points[i, k] - (u[i, 0] * V[a, k] + u[i, 1] * V[b, k] + (1.0 - u[i, 0] - u[i, 1]) * V[c, k])

    return [[error(i, k) for k in range(3)] for i in range(len(points))]


def complicated_errors(
    theta: fs.Array[26],
    u: fs.Array["N", 2],
    hand,
    triangles: fs.Array["T", 3, fs.Index["hand.M"]],
    triangle_of: fs.Array["N", fs.Index["T"]],
    points: fs.Array["N", 3],
):
    """The errors of points on triangles: (N, 3)."""
    return errors_on_triangles(u, positions(theta, hand), triangles, triangle_of, points)


simple = fs.function(simple_errors)
complicated = fs.function(complicated_errors)


@fs.function
def simple_columns(theta: fs.Array[26], hand, vertex_of: fs.Array["N", fs.Index["hand.M"]], points: fs.Array["N", 3]):
    """The derivative of the errors by each component of θ: (26, N, 3), a column of the Jacobian after the other."""

    def column(r):
        direction = [1.0 if k == r else 0.0 for k in range(26)]
        along = fs.jvp(simple_errors, wrt="theta")
        return along(theta, hand, vertex_of, points, tangent=direction)[1]

    return [column(r) for r in range(26)]


@fs.function
def complicated_columns(
    theta: fs.Array[26],
    u: fs.Array["N", 2],
    hand,
    triangles: fs.Array["T", 3, fs.Index["hand.M"]],
    triangle_of: fs.Array["N", fs.Index["T"]],
    points: fs.Array["N", 3],
):
    """The derivatives by u, (2, N, 3), and by θ, (26, N, 3).  No two errors share a u: all move at once."""
    V = positions(theta, hand)

    def column_of_u(r):
        direction = [[1.0 if k == r else 0.0 for k in range(2)] for _ in range(len(u))]
        along = fs.jvp(errors_on_triangles, wrt="u")
        return along(u, V, triangles, triangle_of, points, tangent=direction)[1]

    def column(r):
        direction = [1.0 if k == r else 0.0 for k in range(26)]
        along = fs.jvp(complicated_errors, wrt="theta")
        return along(theta, u, hand, triangles, triangle_of, points, tangent=direction)[1]

    return [column_of_u(r) for r in range(2)], [column(r) for r in range(26)]


class Simple(NamedTuple):
    """The arguments of `simple_errors`."""

    theta: np.ndarray
    hand: Hand
    vertex_of: np.ndarray
    points: np.ndarray

    def errors(self) -> np.ndarray:
        """(N, 3)."""
        return simple(*self)

    def jacobian(self) -> np.ndarray:
        """(N, 3, 26)."""
        return np.moveaxis(simple_columns(*self), 0, 2)


class Complicated(NamedTuple):
    """The arguments of `complicated_errors`."""

    theta: np.ndarray
    u: np.ndarray
    hand: Hand
    triangles: np.ndarray
    triangle_of: np.ndarray
    points: np.ndarray

    def errors(self) -> np.ndarray:
        """(N, 3)."""
        return complicated(*self)

    def jacobian(self) -> np.ndarray:
        """(N, 3, 28): by u, then by θ."""
        return np.moveaxis(np.concatenate(complicated_columns(*self)), 0, 2)


def load_hand(size: str) -> tuple[Hand, np.ndarray]:
    """A model and its triangles (T, 3); size is `small` or `big`.  The bones and triangles of both are the same."""
    bones = [line.split(":") for line in files.text("hand/model_small/bones.txt").split()]
    matrices = np.array([[float(v) for v in bone[2:]] for bone in bones]).reshape(-1, 2, 4, 4)
    vertices = [line.split(":") for line in files.text(f"hand/model_{size}/vertices.txt").split()]
    weights = np.zeros((len(vertices), len(bones)))
    for vertex, fields in zip(weights, vertices, strict=True):
        for bone, weight in zip(fields[9::2], fields[10::2], strict=True):
            vertex[int(bone)] = float(weight)
    base_positions = np.array([[*map(float, fields[:3]), 1.0] for fields in vertices])
    parents = np.array([int(bone[1]) for bone in bones])
    triangles = [line.split(":") for line in files.text("hand/model_small/triangles.txt").split()]
    hand = Hand(parents, matrices[:, 0], matrices[:, 1], base_positions, *bones_and_weights(weights), mirrored=False)
    return hand, np.array(triangles, dtype=np.int64)


def bones_and_weights(dense: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bones that move each vertex and their weights, of a matrix (M, bones) that is mostly zero."""
    width = int(np.max(np.sum(dense != 0.0, axis=1)))
    bones_of = np.argsort(dense == 0.0, axis=1, kind="stable")[:, :width]
    return np.ascontiguousarray(bones_of), np.take_along_axis(dense, bones_of, axis=1)


def load(name: str) -> Simple | Complicated:
    """A file of ADBench: `N 26`, N lines of an index and a point, N lines of u if complicated, θ."""
    hand, triangles = load_hand("big" if "big" in name else "small")
    numbers = files.numbers(f"hand/{name}")
    N, numbers = int(numbers[0]), numbers[2:]
    indices, points = np.split(numbers[: 4 * N].reshape(N, 4), [1], axis=1)
    of, points = indices[:, 0].astype(np.int64), points.copy()
    rest, theta = np.split(numbers[4 * N :], [-26])
    if rest.size:
        return Complicated(theta, rest.reshape(N, 2), hand, triangles, of, points)
    return Simple(theta, hand, of, points)
