"""Captured values that are part of a program: kept as they were, compared with what they are at a call."""

from __future__ import annotations

import numpy as np


def copied(value: object) -> object:
    """`value` as it is now: containers and their arrays are copied, everything else is itself."""
    if isinstance(value, list):
        return [copied(item) for item in value]
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if type(value) is tuple:
        return tuple([copied(item) for item in value])
    if isinstance(value, np.ndarray):
        return value.copy()
    return value


def same(value: object, before: object) -> bool:
    """Is `value` what it was when it was copied?

    >>> same([1, (2.0, "a")], copied([1, (2.0, "a")])), same([1], [1.0])
    (True, False)
    """
    if value is before:
        return True
    if type(value) is not type(before):
        return False
    if isinstance(value, list | tuple) and isinstance(before, list | tuple):
        return len(value) == len(before) and all([same(a, b) for a, b in zip(value, before, strict=True)])
    if isinstance(value, dict) and isinstance(before, dict):
        return list(value) == list(before) and all([same(value[key], before[key]) for key in value])
    if isinstance(value, np.ndarray) and isinstance(before, np.ndarray):
        return value.dtype == before.dtype and np.array_equal(value, before, equal_nan=value.dtype.kind == "f")
    try:
        return bool(value == before)
    except (ValueError, TypeError):
        return False
