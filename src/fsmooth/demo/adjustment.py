"""A bundle-adjustment problem, and the file format of *Bundle Adjustment in the Large*."""

from __future__ import annotations

import bz2
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """cameras (n, 9), points (m, 3), and for each of p observations its camera, its point and where it was seen (p, 2).

    Cameras and points are where a solver starts.  `minimum` is the least cost, where that is known.
    """

    cameras: Floats
    points: Floats
    camera_of: Ints
    point_of: Ints
    observed: Floats
    name: str = "a problem"
    minimum: float | None = None


def read(content: bytes, name: str) -> Problem:
    """The problem of a file (.txt or .txt.bz2).

    Raises:
        ValueError: if that is no problem.

    """
    text = bz2.decompress(content) if content[:3] == b"BZh" else content
    numbers: NDArray[Any] = np.array(text.split(), dtype=np.float64)
    if len(numbers) < 3:
        raise ValueError("it does not begin with the numbers of cameras, points and observations")
    n, m, p = (int(x) for x in numbers[:3])
    if len(numbers) != 3 + 4 * p + 9 * n + 3 * m:
        raise ValueError(f"{n} cameras, {m} points and {p} observations are not {len(numbers) - 3} numbers")
    observations, cameras, points = np.split(numbers[3:], [4 * p, 4 * p + 9 * n])
    observations = observations.reshape(p, 4)
    return Problem(
        cameras.reshape(n, 9).copy(),
        points.reshape(m, 3).copy(),
        observations[:, 0].astype(np.int64),
        observations[:, 1].astype(np.int64),
        observations[:, 2:].copy(),
        name,
    )
