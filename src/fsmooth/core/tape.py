"""What entries of a tape mean: the tape of the definitional interpreter (paper 003, §8.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from fsmooth.core.arithmetic import Arithmetic
from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.types import F64

Pairs = list[tuple[int, Value]]
"""Operands, each with a slope."""


class Whole(NamedTuple):
    """A region: its number, how many numbers it gave, the places of what it read, and what it saved."""

    number: int
    size: int
    places: tuple[Value, ...]
    saved: tuple[Value, ...]


Back = Callable[[Whole, list[Value]], tuple[list[Value], list[Value]]]
"""Of a region and its cotangents: what is added where, and places besides those of the region."""

_RETAINED: list[list[Pairs]] = []
"""The tapes that were kept, by number, as long as the process lives: only tests keep tapes of the interpreter."""


class Entries:
    """The entries of all scopes that are open; that with id 0 takes what is contributed to constants.

    `entries` and `pairs` count what was made, inputs apart.
    """

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.a = arithmetic
        self._made: list[Pairs] = [[]]
        self._regions: list[tuple[int, Whole]] = []
        self.entries = 0
        self.pairs = 0

    def entered(self, pairs: Pairs) -> int:
        """The id of a new entry."""
        self.entries += 1
        self.pairs += len(pairs)
        self._made.append(pairs)
        return len(self._made) - 1

    def operand(self, entry: int, operand: int, slope: Value) -> None:
        """One more operand of an entry."""
        self.pairs += 1
        self._made[entry].append((operand, slope))

    def region(self, whole: Whole) -> int:
        """The id of the first of the numbers of a region."""
        first = len(self._made)
        self._regions.append((first, whole))
        self._made.extend([[] for _ in range(whole.size)])
        self.entries += whole.size
        self.pairs += sum([len(numbers_of(x)) for x in (*whole.places, *whole.saved)])
        return first

    def opened(self, inputs: int) -> int:
        """The id of the first of so many inputs."""
        start = len(self._made)
        self._made.extend([[] for _ in range(inputs)])
        return start

    def close(self, start: int) -> None:
        """Forget the inputs from `start` on, and the entries after them."""
        del self._made[start:]
        while self._regions and self._regions[-1][0] >= start:
            self._regions.pop()

    @contextmanager
    def scope(self, inputs: int) -> Iterator[int]:
        """The id of the first of so many inputs; what is made until the end is forgotten."""
        start = self.opened(inputs)
        try:
            yield start
        finally:
            self.close(start)

    def retained(self) -> int:
        """A number for this tape as it is; from here on there is another."""
        _RETAINED.append(self._made)
        self._made = [[]]
        return len(_RETAINED) - 1

    def sums(self, tape: int) -> list[object]:
        """No cotangents for the entries of a tape that was retained."""
        return [self.a.constant(0.0, F64) for _ in _RETAINED[tape]]

    def pulled(self, tape: int, size: int, sums: list[object]) -> Sequence[Value]:
        """The cotangents of the inputs of a tape that was retained, from those of its entries."""
        for k in range(len(sums) - 1, size, -1):
            for operand, slope in _RETAINED[tape][k]:
                sums[operand] = self.a.add(sums[operand], self.a.multiply(sums[k], slope, F64), F64)
        return sums[1 : size + 1]

    def swept(self, size: int, start: int, root: int, back: Back) -> Sequence[Value]:
        """The cotangents of so many inputs, from the last entry to the first."""
        sweep = self.sweep(size, start, root)
        while (found := sweep.next()) is not None:
            first, whole = found
            received, others = back(whole, sweep.sums[first : first + whole.size])
            for place, cotangent in zip([*whole.places, *others], received, strict=True):
                sweep.add(place, cotangent)
        return sweep.sums[start : start + size]

    def sweep(self, size: int, start: int, root: int) -> Sweep:
        """The way back from a number to so many inputs."""
        return Sweep(self.a, self._made, [r for r in self._regions if start <= r[0] <= root], start + size, root)


class Sweep:
    """From one region to the next, through the entries before; `sums` are the cotangents of all."""

    def __init__(
        self, arithmetic: Arithmetic, made: list[Pairs], regions: list[tuple[int, Whole]], after: int, root: int
    ) -> None:
        self.a = arithmetic
        self.made = made
        self.regions = regions
        self.after = after
        self.sums: list[Value] = [self.a.constant(0.0, F64) for _ in made]
        self.sums[root] = self.a.constant(1.0, F64)
        self.last = root

    def next(self) -> tuple[int, Whole] | None:
        """The id of the first number of the next region, and that."""
        first, whole = self.regions.pop() if self.regions else (self.after, None)
        end = first if whole is None else first + whole.size
        for k in range(self.last, end - 1, -1):
            for operand, slope in self.made[k]:
                self.sums[operand] = self.a.add(self.sums[operand], self.a.multiply(self.sums[k], slope, F64), F64)
        self.last = first - 1
        return None if whole is None else (first, whole)

    def add(self, place: Value, cotangent: Value) -> None:
        """Add to the cotangents at a place."""
        numbers = numbers_of(cotangent)
        assert isinstance(place, ArrayValue | int)
        at = numbers_of(place) if isinstance(place, ArrayValue) else [place + k for k in range(len(numbers))]
        for d, c in zip(at, numbers, strict=True):
            assert isinstance(d, int)
            self.sums[d] = self.a.add(self.sums[d], c, F64)


def numbers_of(value: Value) -> list[Value]:
    """The numbers in an array, or the one that it is."""
    return [x for part in value.items for x in numbers_of(part)] if isinstance(value, ArrayValue) else [value]
