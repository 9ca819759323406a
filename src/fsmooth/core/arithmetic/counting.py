"""Floats that count the weight of what they do (design §5): what core/cost.py predicts, measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fsmooth.core.arithmetic.floats import Floats
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Float, Int, Type


class Counting(Floats):
    """Add, multiply, load, store 1; divide 5; exp 15; …  The arithmetic of indices is free."""

    def __init__(self) -> None:
        self.operations = self.loads = self.stores = 0
        self.calls: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """The weight of everything so far."""
        return self.operations + self.loads + self.stores

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """Count, then compute."""
        if not isinstance(type_, Int):
            self.operations += primitive.weight
        return super().apply(primitive, arguments, type_)

    def add(self, a: object, b: object, type_: Type) -> object:
        """One addition of a sum."""
        self.operations += isinstance(type_, Float)
        return super().add(a, b, type_)

    def multiply(self, a: object, b: object, type_: Type) -> object:
        """One multiplication of a product."""
        self.operations += isinstance(type_, Float)
        return super().multiply(a, b, type_)

    def load(self) -> None:
        """One element was read."""
        self.loads += 1

    def store(self, count: int) -> None:
        """Elements were written."""
        self.stores += count

    def call(self, name: str) -> None:
        """A definition of this name was called."""
        self.calls[name] += 1
