"""Arrays of other libraries, as NumPy's: without a copy where they lie in memory of the processor.

An object is an array by `__array__` (pandas, PyTorch, JAX), by `__dlpack__`, or by the buffer protocol (memoryview, array.array,
ctypes), looked for in this order.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from fsmooth.errors import ArgumentError

_NO_ARRAYS = (np.generic, int, float, list, tuple, str, type(None))


def as_numpy(value: Any, name: str) -> Any:
    """An array of another library, or of a subclass of NumPy's, as a NumPy array; other values as they are.

    Raises:
        ArgumentError: if it cannot be one: it lies on another device, say, or is part of another differentiation.

    """
    kind: type = type(value)
    way = _way(kind)
    if way is None:
        return value
    try:
        return way(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise ArgumentError(f"{name}: this {type(value).__name__} cannot be read as an array ({error})") from error


@functools.lru_cache(maxsize=256)
def _way(kind: type) -> Callable[[Any], Any] | None:
    """How the objects of a class become arrays; None if they stay what they are."""
    if kind is np.ndarray or issubclass(kind, _NO_ARRAYS) or dataclasses.is_dataclass(kind):
        return None
    if issubclass(kind, np.ndarray):
        return None if hasattr(kind, "mask") else np.asarray
    if hasattr(kind, "__array__"):
        return _of_tensor if hasattr(kind, "__torch_function__") else np.asarray
    return np.from_dlpack if hasattr(kind, "__dlpack__") else _of_buffer


def _of_tensor(value: Any) -> Any:
    """By a method of PyTorch's tensors, in two thirds of the time that `np.asarray` takes for them."""
    return value.numpy()


def _of_buffer(value: Any) -> Any:
    try:
        view = memoryview(value)
    except TypeError:
        return value
    return np.asarray(view)
