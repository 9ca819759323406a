"""An arithmetic that counts how often each primitive is computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fsmooth.core.arithmetic.floats import Floats
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import Type


class Computed(Floats):
    """`counts`: by the names of the primitives."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        self.counts[primitive.name] += 1
        return super().apply(primitive, arguments, type_)
