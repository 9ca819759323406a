"""Where a captured value comes from: a name in the closure of a function, or in its module."""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType


@dataclass(frozen=True, eq=False)
class Lookup:
    """A name as a function sees it; calling it gives the value of the moment."""

    function: FunctionType
    name: str

    def __call__(self) -> object:
        free = self.function.__code__.co_freevars
        if self.name in free and self.function.__closure__ is not None:
            return self.function.__closure__[free.index(self.name)].cell_contents
        return self.function.__globals__[self.name]
