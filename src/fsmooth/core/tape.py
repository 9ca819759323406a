"""What entries of a tape mean: the tape of the definitional interpreter (paper 003, §8.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fsmooth.core.arithmetic import Arithmetic
from fsmooth.core.array_value import Value
from fsmooth.core.types import F64

Pairs = list[tuple[int, Value]]
"""Operands, each with a slope."""


_RETAINED: list[list[Pairs]] = []
"""The tapes that were kept, by number, as long as the process lives: only tests keep tapes of the interpreter."""


class Entries:
    """The entries of all scopes that are open; that with id 0 takes what is contributed to constants.

    `entries` and `pairs` count what was made, inputs apart.
    """

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.a = arithmetic
        self._made: list[Pairs] = [[]]
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

    def opened(self, inputs: int) -> int:
        """The id of the first of so many inputs."""
        start = len(self._made)
        self._made.extend([[] for _ in range(inputs)])
        return start

    def close(self, start: int) -> None:
        """Forget the inputs from `start` on, and the entries after them."""
        del self._made[start:]

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

    def swept(self, size: int, start: int, root: int) -> Sequence[Value]:
        """The cotangents of so many inputs, from the last entry to the first."""
        sums: list[object] = [self.a.constant(0.0, F64) for _ in range(max(root, start + size - 1) + 1)]
        sums[root] = self.a.constant(1.0, F64)
        for k in range(root, start + size - 1, -1):
            for operand, slope in self._made[k]:
                sums[operand] = self.a.add(sums[operand], self.a.multiply(sums[k], slope, F64), F64)
        return sums[start : start + size]
