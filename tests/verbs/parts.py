"""Values with structure, as their arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def arrays(value: object) -> Iterator[np.ndarray[Any, Any]]:
    """The leaves, left to right."""
    if isinstance(value, tuple):
        for part in value:
            yield from arrays(part)
    else:
        yield np.asarray(value)


def assert_same(found: object, expected: object, tolerance: float = 1e-12) -> None:
    """The same structure, the same shapes, nearly the same numbers."""
    assert isinstance(found, tuple) == isinstance(expected, tuple)
    if isinstance(found, tuple) and isinstance(expected, tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b, tolerance)
        return
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
