"""Bundle-adjustment problems in the format of *Bundle Adjustment in the Large*."""

from __future__ import annotations

import bz2
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """cameras (n, 9), points (m, 3), and for each of p observations its camera, its point and where it was seen (p, 2)."""

    cameras: Floats
    points: Floats
    camera_of: Ints
    point_of: Ints
    observed: Floats


def load(path: str | Path | None = None) -> Problem:
    """Read a problem file (.txt or .txt.bz2); by default the Ladybug problem that comes with fsmooth."""
    if path is None:
        name = "problem-49-7776-pre.txt.bz2"
        content = resources.files("fsmooth.demo").joinpath("data", name).read_bytes()
    else:
        content = Path(path).read_bytes()
    text = bz2.decompress(content) if content[:3] == b"BZh" else content
    numbers: NDArray[Any] = np.array(text.split(), dtype=np.float64)
    n, m, p = (int(x) for x in numbers[:3])
    observations = numbers[3 : 3 + 4 * p].reshape(p, 4)
    rest = numbers[3 + 4 * p :]
    return Problem(
        rest[: 9 * n].reshape(n, 9).copy(),
        rest[9 * n : 9 * n + 3 * m].reshape(m, 3).copy(),
        observations[:, 0].astype(np.int64),
        observations[:, 1].astype(np.int64),
        observations[:, 2:].copy(),
    )
