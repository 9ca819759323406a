"""What `fs.Array["n", 3]` says of an argument or a field, and `fs.Index["n"]` and `fs.Offsets["m"]` of integers in it."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

ANY = "*"
"""A size of which nothing is said."""


class IndexAnnotation(Struct, frozen=True):
    """An integer that is an index into `size` elements: from 0 to less than the size."""

    size: int | str

    def __repr__(self) -> str:
        return f"fs.Index[{self.size!r}]"


class OffsetsAnnotation(Struct, frozen=True):
    """Integers that say where parts of `size` elements begin and end: from 0 to the size, none less than the one before it."""

    size: int | str

    def __repr__(self) -> str:
        return f"fs.Offsets[{self.size!r}]"


Places = IndexAnnotation | OffsetsAnnotation
"""What integers are places in."""


@dataclass(frozen=True)
class ArrayAnnotation:
    """An array with these sizes (a number, or a text: frontend/annotated_sizes.py) and elements, perhaps `places`."""

    sizes: tuple[int | str, ...]
    leaf: type
    places: Places | None = None

    def __repr__(self) -> str:
        parts = [repr(s) for s in self.sizes]
        if self.places is not None:
            parts.append(repr(self.places))
        elif self.leaf is not float:
            parts.append(self.leaf.__name__)
        return f"fs.Array[{', '.join(parts)}]"
