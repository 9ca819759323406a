"""Reads the data of the workloads, which lie in `data/` as they were published, compressed."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data"


def text(name: str) -> str:
    """The contents of a file, given its name without `.xz`."""
    return lzma.decompress((DATA / f"{name}.xz").read_bytes()).decode()


def numbers(name: str) -> np.ndarray:
    """All numbers of a file, in order."""
    return np.array(text(name).split(), dtype=float)


def expected(workload: str) -> dict[str, Any]:
    """What the files of a workload must give: by file, in the order of the files' sizes."""
    found = json.loads(text(f"{workload}/expected.json"))
    return {name.removeprefix(f"{workload}/"): values for name, values in found.items() if name != "_doc"}
