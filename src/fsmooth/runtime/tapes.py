"""A tape that a pullback keeps: memory of the library that made it, which gets it back when the pullback ends."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsmooth.runtime.library import Library


class KeptTape:
    """The owner of a tape, by its number; copies of a pullback share it."""

    def __init__(self, library: Library, number: int) -> None:
        free = getattr(library.handle, f"{library.code.name}_free_tape")
        free.argtypes, free.restype = [ctypes.c_int64], None
        measure = getattr(library.handle, f"{library.code.name}_tape_bytes")
        measure.argtypes, measure.restype = [ctypes.c_int64], ctypes.c_int64
        self.size: int = measure(number)
        weakref.finalize(self, free, number)

    def __copy__(self) -> KeptTape:
        return self

    def __deepcopy__(self, memo: object) -> KeptTape:
        return self

    def __reduce__(self) -> str:
        raise TypeError("a pullback that keeps a tape cannot be pickled")
