"""The real numbers in Python objects, and the objects with others: what derivatives with respect to trees are tested against.

It knows nothing of columns: an object that is met twice is one, its numbers count once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def fields_of(value: Any) -> list[str] | None:
    """The fields of a dataclass or a NamedTuple; None for other values."""
    if dataclasses.is_dataclass(value):
        return [f.name for f in dataclasses.fields(value)]
    return list(value._fields) if isinstance(value, tuple) and hasattr(value, "_fields") else None


def reals(value: Any, met: set[int] | None = None) -> list[float]:
    """All real numbers, left to right."""
    met = set() if met is None else met
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype.kind == "f" else []
    if isinstance(value, float | np.floating):
        return [float(value)]
    names = fields_of(value)
    if names is not None:
        if id(value) in met:
            return []
        met.add(id(value))
        return [x for name in names for x in reals(getattr(value, name), met)]
    if isinstance(value, list | tuple):
        return [x for part in value for x in reals(part, met)]
    if isinstance(value, dict):
        return [x for part in value.values() for x in reals(part, met)]
    return []


def with_reals(value: Any, numbers: Iterator[float], made: dict[int, Any] | None = None) -> Any:
    """The same objects with other numbers."""
    made = {} if made is None else made
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array([next(numbers) for _ in range(value.size)]).reshape(value.shape)
    if isinstance(value, float | np.floating):
        return next(numbers)
    names = fields_of(value)
    if names is not None:
        if id(value) not in made:
            parts = [with_reals(getattr(value, name), numbers, made) for name in names]
            if isinstance(value, tuple):
                new = tuple.__new__(type(value), parts)
            else:
                new = object.__new__(type(value))
                for name, part in zip(names, parts, strict=True):
                    object.__setattr__(new, name, part)
            made[id(value)] = new
        return made[id(value)]
    if type(value) in (list, tuple):
        return type(value)([with_reals(part, numbers, made) for part in value])
    if isinstance(value, dict):
        return {key: with_reals(part, numbers, made) for key, part in value.items()}
    return value


def differences(f: Callable[..., Any], arguments: tuple[Any, ...], k: int, step: float = 1e-4) -> list[float]:
    """The gradient in one argument by central differences, extrapolated once, of f as Python runs it."""
    at = reals(arguments[k])

    def moved(j: int, by: float) -> float:
        there = with_reals(arguments[k], iter([x + by * (i == j) for i, x in enumerate(at)]))
        return float(f(*arguments[:k], there, *arguments[k + 1 :]))

    def slope(j: int, h: float) -> float:
        return (moved(j, h) - moved(j, -h)) / (2 * h)

    return [(4 * slope(j, step / 2) - slope(j, step)) / 3 for j in range(len(at))]


def is_alike(gradient: Any, value: Any) -> bool:
    """Is a gradient of the same classes as a value, with () in the place of what has no derivative, and shared alike?"""
    seen: dict[int, Any] = {}

    def alike(g: Any, v: Any) -> bool:
        names = fields_of(v)
        if names is not None:
            if id(v) in seen:
                return seen[id(v)] is g
            seen[id(v)] = g
            return type(g) is type(v) and all([alike(getattr(g, n), getattr(v, n)) for n in names])
        if v is None:
            return g is None
        if isinstance(v, str) and g == v:
            return True  # in a record, which is no node, a text is known while compiling
        if isinstance(v, bool | int | str) or (isinstance(v, np.ndarray) and v.dtype.kind != "f"):
            return isinstance(g, tuple) and g == ()
        if isinstance(v, list | tuple) and v and isinstance(v[0], float):
            return len(g) == len(v)
        if isinstance(v, list | tuple):
            return len(g) == len(v) and all([alike(a, b) for a, b in zip(g, v, strict=True)])
        if isinstance(v, dict):
            return list(g) == list(v) and all([alike(g[key], v[key]) for key in v])
        return np.shape(g) == np.shape(v)

    return alike(gradient, value)
