"""Values with structure as their real numbers: what `fs.check_derivative` computes with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fsmooth.core.nodes.packed import Forest, Packed, packed, taken_apart
from fsmooth.core.trees import apart, is_constant, together


def numbers(value: object) -> Iterator[np.ndarray[Any, Any]]:
    """The real numbers and arrays of them in a value, left to right; integers and truth values are left out."""
    if isinstance(value, np.ndarray | np.floating | float):
        found = np.asarray(value)
        if found.dtype.kind == "f":
            yield found
    else:
        for part in _parts(value):
            yield from numbers(part)


def as_columns(value: Any) -> Any:
    """Lists of numbers as arrays, trees of objects as columns, also in structures."""
    if isinstance(value, list) and is_array(value):
        return np.asarray(value)
    nodes = taken_apart(value)
    if nodes is not None:
        return packed(*nodes)
    found = None if is_constant(value) else apart(value)
    if found is None or not found.parts:
        return value
    return together(found.record, found.names, tuple([as_columns(part) for part in found.parts]))


def holds_trees(value: object) -> bool:
    """Is it a tree or a forest, or is one in it?"""
    return isinstance(value, Packed | Forest) or any([holds_trees(part) for part in _parts(value)])


def like(value: Any, rng: np.random.Generator) -> Any:
    """A random tangent of a value."""
    if isinstance(value, np.ndarray):
        return np.asarray(rng.uniform(-1.0, 1.0, value.shape), value.dtype) if value.dtype.kind == "f" else ()
    if isinstance(value, float | np.floating):
        return type(value)(rng.uniform(-1.0, 1.0))
    found = apart(value)
    if found is None:
        return value if is_constant(value) else ()
    return together(found.record, found.names, tuple([like(part, rng) for part in found.parts]))


def moved(value: Any, direction: Any, step: float) -> Any:
    """value + step · direction."""
    if isinstance(value, np.ndarray):
        return (value + step * direction).astype(value.dtype) if value.dtype.kind == "f" else value
    if isinstance(value, float | np.floating):
        return type(value)(value + step * direction)
    found = apart(value)
    if found is None:
        return value
    new = [moved(part, d, step) for part, d in zip(found.parts, _parts(direction), strict=True)]
    return together(found.record, found.names, tuple(new))


def as_tuples(value: Any) -> Any:
    """A value whose structures are tuples; lists that are arrays are arrays."""
    if is_constant(value):
        return ()
    found = apart(value)
    if found is None or (found.record is list and is_array(value)):
        return value
    return tuple([as_tuples(part) for part in found.parts])


def contracted(a: object, b: object) -> float:
    """The sum of the products of corresponding numbers."""
    pairs = zip(numbers(a), numbers(b), strict=True)
    return sum([float(np.sum(x.astype(float) * y.astype(float))) for x, y in pairs])


def is_array(value: list[object]) -> bool:
    """Does NumPy make an array of numbers of a list?"""
    try:
        return np.asarray(value).dtype.kind in "fiub"
    except ValueError:
        return False


def _parts(value: object) -> Sequence[object]:
    found = apart(value)
    return found.parts if found is not None else ()
