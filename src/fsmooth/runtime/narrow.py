"""Which arrays of integers among the arguments of a call have 32 bits: a program of their own reads them where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fsmooth.core.narrow import integer_arrays
from fsmooth.core.types import Array, Tuple, Type, unzipped
from fsmooth.runtime.arrays import parts_of
from fsmooth.runtime.foreign import as_numpy


def narrow_arrays(values: Mapping[str, object], types: Mapping[str, Type | object]) -> frozenset[tuple[str, int]]:
    """Those among arguments of these types: the name of the argument, and which of the arrays in it."""
    return frozenset(
        [
            (name, k)
            for name, type_ in types.items()
            if isinstance(type_, Array | Tuple) and integer_arrays(type_)
            for k, is_narrow in enumerate(_in(values[name], unzipped(type_), name))
            if is_narrow
        ]
    )


def _in(value: object, type_: Type, name: str) -> Iterator[bool]:
    """Of each array in a value, in the order of the type: has it integers of 32 bits?"""
    if isinstance(type_, Tuple):
        for part, item in zip(parts_of(value, type_, name), type_.items, strict=True):
            yield from _in(part, item, name)
    elif isinstance(type_, Array):
        found = as_numpy(value, name)
        yield isinstance(found, np.ndarray) and found.dtype == np.int32
