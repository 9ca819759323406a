"""Sizes that are built in: what a caller gives has to be the same, which Python looks up and C has to be told."""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.types import Array, parts_in, rank_of, unzipped
from fsmooth.loops import tree as t

OTHER_SIZE = 5
"""What a function returns where a size is another one than the one that is built in."""


def named(program: t.Program, sizes: Mapping[tuple[int, int], int]) -> dict[str, int]:
    """By the names of the parameters of C, sizes that are given by the position of a parameter of the program and an axis."""
    names = iter([q.name for q in program.kernel.parameters if not q.output])
    found: dict[str, int] = {}
    for position, type_ in enumerate(program.parameters):
        for leaf in parts_in(unzipped(type_)):
            next(names)
            for axis in range(rank_of(leaf)):
                name = next(names)
                if isinstance(type_, Array) and (position, axis) in sizes:
                    found[name] = sizes[position, axis]
    return found


def refused(name: str, size: int) -> list[str]:
    """The lines that refuse another size."""
    return [
        f"    if ({name} != {size}) {{ /* the size that is built in */",
        f"        *error = (fs_error){{-1, 0, {{{name}, {size}}}}};",
        f"        return {OTHER_SIZE};",
        "    }",
    ]
