"""What `fs.Array["n", 3]` says of an argument or a field."""

from __future__ import annotations

from dataclasses import dataclass

ANY = "*"
"""A size of which nothing is said."""


@dataclass(frozen=True)
class ArrayAnnotation:
    """An array with these sizes (a number, or a text: frontend/annotated_sizes.py) and elements."""

    sizes: tuple[int | str, ...]
    leaf: type

    def __repr__(self) -> str:
        parts = [repr(s) for s in self.sizes]
        return f"fs.Array[{', '.join(parts if self.leaf is float else [*parts, self.leaf.__name__])}]"
