"""The arrays in a result, whatever structure it has."""

from __future__ import annotations

import numpy as np


def arrays_of(result: object) -> list[np.ndarray]:
    """From left to right; a number is an array without axes."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, tuple | list):
        return [x for r in result for x in arrays_of(r)]
    return [np.asarray(result)]
