"""What the interpreter computes: numbers, arrays, tuples, functions, linear maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

from msgspec import Struct

Value = Union[object, "ArrayValue", tuple["Value", ...], Callable[..., "Value"]]


class ArrayValue(Struct, frozen=True):
    """An array: its sizes (outermost first, of all array levels) and its elements."""

    shape: tuple[int, ...]
    items: tuple[Value, ...]


class DataValue(Struct, frozen=True, eq=False):
    """What constructor number `constructor` made of its fields."""

    constructor: int
    fields: tuple[Value, ...]
