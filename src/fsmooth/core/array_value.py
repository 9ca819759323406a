"""What the interpreter computes: numbers, arrays, tuples, functions, linear maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

Value = Union[object, "ArrayValue", tuple["Value", ...], Callable[..., "Value"]]


@dataclass(frozen=True)
class ArrayValue:
    """An array: its sizes (outermost first, of all array levels) and its elements."""

    shape: tuple[int, ...]
    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False, slots=True)
class DataValue:
    """What constructor number `constructor` made of its fields."""

    constructor: int
    fields: tuple[Value, ...]
