"""Captured containers with arrays in them: each part is captured for itself, when the program asks for it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from fsmooth.core.trees import apart
from fsmooth.frontend.lookup import Class, Item, Keys, Lookup, Size, Step
from fsmooth.frontend.python.displays import list_of, tuple_display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.values import Keyed, Listed, Uneven, Value

CONTAINERS = (dict, list, tuple)
Capture = Callable[[Step], Value]
"""What captures a part of a container."""


def has_arrays(value: object) -> bool:
    """Is it a container with an array in it, or in a container or record in it?"""
    return type(value) in CONTAINERS and is_around_array(value)


def is_around_array(value: object) -> bool:
    """Is it an array, or one in it?"""
    if isinstance(value, float | int | str):
        return False
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and value.dtype.kind in "fiub"
    found = apart(value)
    return found is not None and any([is_around_array(part) for part in found.parts])


def captured_container(frame: Frame, fetch: Lookup, value: object, capture: Capture, node: ast.AST) -> Value | None:
    """A dictionary, list or tuple, whose keys or length are compared at each call; None for anything else."""
    readings = frame.shared.readings
    if type(value) not in CONTAINERS:
        return None
    readings.compared(fetch.then(Class()), type(value))
    if isinstance(value, dict):
        readings.compared(fetch.then(Keys()), tuple(value))
        return Keyed(CapturedEntries(tuple(value), capture))
    assert isinstance(value, list | tuple)
    readings.compared(fetch.then(Size()), len(value))
    items = [capture(Item(k)) for k in range(len(value))]
    if isinstance(value, tuple):
        return tuple_display(frame, items)
    kind = Uneven if is_uneven(value) else Listed
    return list_of(frame, tuple(items), kind(tuple(items)), node)


def is_uneven(value: list[object]) -> bool:
    """Is it a list of parts of which NumPy makes no array?"""
    try:
        return np.asarray(value).dtype.kind == "O"
    except ValueError:
        return True


class CapturedEntries(Mapping[object, Value]):
    """The entries of a captured dictionary: what is not asked for is no argument of the program."""

    def __init__(self, keys: tuple[object, ...], capture: Capture) -> None:
        self._keys = keys
        self._capture = capture

    def __getitem__(self, key: object) -> Value:
        if key not in self._keys:
            raise KeyError(key)
        return self._capture(Item(next(own for own in self._keys if own == key)))

    def __iter__(self) -> Iterator[object]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
