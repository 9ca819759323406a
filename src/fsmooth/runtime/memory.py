"""How much memory there is.  Linux gives more than that, and kills the process that writes to it."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

_COUNTED = ("MemTotal:", "SwapTotal:")


@functools.cache
def of_machine() -> float:
    """Bytes of memory and swap; infinity where that is not known."""
    try:
        lines = [line.split() for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines()]
        return 1024.0 * sum([int(line[1]) for line in lines if line and line[0] in _COUNTED])
    except (OSError, ValueError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")


class Memory(Struct):
    """What a call may still take for its results, in bytes."""

    left: float

    @staticmethod
    def beside(arguments: list[object]) -> Memory:
        """What the machine has beside these."""
        return Memory(of_machine() - sum([a.nbytes for a in arguments if isinstance(a, np.ndarray)]))

    def empty(self, sizes: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
        """A new array.

        Raises:
            MemoryError: if there is no memory for it.
            ValueError: where the number of its bytes has no 64 bits.

        """
        made: np.ndarray[Any, Any] = np.empty(sizes, dtype)
        self.left -= made.nbytes
        if self.left < 0:
            raise MemoryError
        return made
