"""Where a captured value comes from: a name in the closure of a function or in its module, and the parts taken of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from types import CellType, FunctionType


@dataclass(frozen=True)
class Attribute:
    """`.name`"""

    name: str

    def of(self, value: object) -> object:
        """The attribute of `value`."""
        return getattr(value, self.name)


@dataclass(frozen=True)
class Item:
    """`[key]`"""

    key: Hashable

    def of(self, value: object) -> object:
        """The item of `value`."""
        return value[self.key]  # type: ignore[index]


Step = Attribute | Item


@dataclass(frozen=True, eq=False)
class Lookup:
    """A name as a function sees it, and the steps to a part of it; calling it gives the value of the moment."""

    function: FunctionType
    name: str
    steps: tuple[Step, ...] = ()

    def __call__(self) -> object:
        value = self._cell().cell_contents if self._closed_over() else self.function.__globals__[self.name]
        for step in self.steps:
            value = step.of(value)
        return value

    def then(self, step: Step) -> Lookup:
        """A part of what this finds."""
        return Lookup(self.function, self.name, (*self.steps, step))

    def owner(self) -> Lookup:
        """That of which this finds a part."""
        return Lookup(self.function, self.name, self.steps[:-1])

    def place(self) -> tuple[object, ...]:
        """The same for all functions that see the same variable: the cell or module, the name, the steps."""
        owner = self._cell() if self._closed_over() else self.function.__globals__
        return (id(owner), self.name, self.steps)

    def _closed_over(self) -> bool:
        return self.name in self.function.__code__.co_freevars and self.function.__closure__ is not None

    def _cell(self) -> CellType:
        closure = self.function.__closure__
        assert closure is not None
        return closure[self.function.__code__.co_freevars.index(self.name)]
