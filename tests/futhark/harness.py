"""Programs of Futhark, read and run by the reader, beside what the interpreter of fsmooth says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fsmooth.core.types import Array, Bool, Float, Int, Tuple, Type, leaf_of, unzipped
from tests.futhark.reader.checker import check
from tests.futhark.reader.evaluator import Program
from tests.futhark.reader.parsing import parsed

_TYPES = {Float(64): np.float64, Float(32): np.float32, Int(): np.int64, Bool(): np.bool_}


class Read:
    """A program that the reader has accepted, and its entry point."""

    def __init__(self, text: str) -> None:
        tree = parsed(text)
        self.types = check(tree)
        self.entry = str(tree.children[-1].children[0])
        self._program = Program(tree)

    def run(self, arguments: list[Any]) -> list[Any]:
        """Its results."""
        return self._program.run(self.entry, arguments)


def flat(given: object, type_: Type) -> Iterator[Any]:
    """What a caller of Futhark hands over for a value: its arrays and numbers, one after the other."""
    type_ = unzipped(type_)
    if isinstance(type_, Tuple):
        assert isinstance(given, tuple | list)
        for x, t in zip(given, type_.items, strict=True):
            yield from flat(x, t)
        return
    make = _TYPES[leaf_of(type_)]  # type: ignore[index]  (what remains are scalars)
    yield np.asarray(given, dtype=make) if isinstance(type_, Array) else make(given)


def flat_arguments(arguments: object, types: list[Type]) -> list[Any]:
    """All arguments."""
    return list(flat(arguments, Tuple(tuple(types))))


def numbers(value: Any) -> list[Any]:
    """All numbers of nested lists."""
    return [y for x in value for y in numbers(x)] if isinstance(value, list) else [value]


def agree(found: list[Any], wanted: list[Any], tolerance: float) -> None:
    """Results of Futhark are those that are wanted, of the same sizes."""
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        listed = y.tolist() if isinstance(y, np.ndarray) else y
        assert _sizes(x) == _sizes(listed)
        of_x, of_y = [np.asarray(numbers(v), dtype=float) for v in (x, listed)]
        np.testing.assert_allclose(of_x, of_y, rtol=tolerance, atol=tolerance)


def _sizes(value: Any) -> list[int]:
    """The sizes of nested lists, as far as there are elements."""
    return [len(value), *(_sizes(value[0]) if value else [])] if isinstance(value, list) else []
