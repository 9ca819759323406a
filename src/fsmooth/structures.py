"""Values with structure as their real numbers: what `fs.check_derivative` computes with."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np


def numbers(value: object) -> Iterator[np.ndarray[Any, Any]]:
    """The real numbers and arrays of them in a value, left to right; integers and truth values are left out."""
    if isinstance(value, np.ndarray | np.floating | float):
        found = np.asarray(value)
        if found.dtype.kind == "f":
            yield found
    else:
        for part in _parts(value):
            yield from numbers(part)


def like(value: Any, rng: np.random.Generator) -> Any:
    """A random tangent of a value."""
    if isinstance(value, np.ndarray):
        return np.asarray(rng.uniform(-1.0, 1.0, value.shape), value.dtype) if value.dtype.kind == "f" else ()
    if isinstance(value, float | np.floating):
        return type(value)(rng.uniform(-1.0, 1.0))
    return tuple([like(part, rng) for part in _parts(value)])


def moved(value: Any, direction: Any, step: float) -> Any:
    """value + step · direction."""
    if isinstance(value, np.ndarray):
        return (value + step * direction).astype(value.dtype) if value.dtype.kind == "f" else value
    if isinstance(value, float | np.floating):
        return type(value)(value + step * direction)
    parts = _parts(value)
    if not parts:
        return value
    new = [moved(part, d, step) for part, d in zip(parts, direction, strict=True)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return dataclasses.replace(value, **dict(zip(names, new, strict=True)))
    return type(value)(*new) if hasattr(value, "_fields") else tuple(new)


def as_tuples(value: Any) -> Any:
    """A value whose records are tuples."""
    parts = _parts(value)
    return tuple([as_tuples(part) for part in parts]) if parts else value


def contracted(a: object, b: object) -> float:
    """The sum of the products of corresponding numbers."""
    pairs = zip(numbers(a), numbers(b), strict=True)
    return sum([float(np.sum(x.astype(float) * y.astype(float))) for x, y in pairs])


def _parts(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple([getattr(value, field.name) for field in dataclasses.fields(value)])
    return ()
