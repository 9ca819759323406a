"""Declarations of data types: which classes the nodes of a tree may have, and which columns hold their fields.

A node is an integer: its row among the nodes of its class, and in the lowest bits the number of the class (its tag).  None
is a class without fields; beside a single other class, as in lists, it is -1, and the nodes of that class are their rows.  A
field is one column with an element for each row, or two where rows have different lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

Integers = np.ndarray[Any, np.dtype[np.int64]]
Make = Callable[..., object]


class Kind(Enum):
    """What a field is, and so which columns it has."""

    NUMBER = "a number"
    NODE = "a node"
    EQUAL = "an array of the same size in all nodes"
    """A column of one more axis."""
    RAGGED = "an array"
    """Two columns: where each begins, with the end of the last, and all elements."""
    CHILDREN = "a list of nodes"
    """Two columns, as those of a ragged array."""
    TEXT = "a text"
    """A column of numbers that stand for texts (fsmooth.core.nodes.texts)."""


class Field(Struct, frozen=True):
    """A field of a class: `leaf` is what its numbers are (None: what the data are), `tags` which classes its nodes may have."""

    name: str
    kind: Kind
    leaf: type | None = None
    rank: int = 0
    tags: frozenset[int] = frozenset()

    @property
    def width(self) -> int:
        """How many columns it has."""
        return 2 if self.kind in (Kind.RAGGED, Kind.CHILDREN) else 1


class Constructor(Struct, frozen=True):
    """A class of nodes; of None there is one node, which has no fields."""

    cls: type
    fields: tuple[Field, ...]

    @property
    def name(self) -> str:
        """The name of the class."""
        return "None" if self.cls is type(None) else self.cls.__name__

    def field(self, name: str) -> Field | None:
        """The field of this name."""
        return next((field for field in self.fields if field.name == name), None)


@dataclass(eq=False)
class Declaration:
    """All classes that can be reached from one another; the tag of a class is its position."""

    constructors: tuple[Constructor, ...]

    @property
    def name(self) -> str:
        """As a user would say it: `Leaf | Node`."""
        return " | ".join([c.name for c in self.constructors])

    @cached_property
    def bits(self) -> int:
        """How many of the lowest bits of a node are its tag."""
        return 0 if self.nothing is not None else (len(self.constructors) - 1).bit_length()

    @cached_property
    def nothing(self) -> int | None:
        """The tag of None where there is one other class, so that None is -1; None elsewhere."""
        return self.tags.get(type(None)) if len(self.constructors) == 2 else None

    @cached_property
    def tags(self) -> dict[type, int]:
        """The tag of each class."""
        return {c.cls: k for k, c in enumerate(self.constructors)}

    @property
    def all_tags(self) -> frozenset[int]:
        """The tags of all classes."""
        return frozenset(range(len(self.constructors)))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple([name for c in self.constructors for f in c.fields for name in _names(c, f)])

    def place(self, tag: int, name: str) -> int:
        """The position of the first column of a field."""
        constructor = self.constructors[tag]
        before = sum([f.width for c in self.constructors[:tag] for f in c.fields])
        own = constructor.fields
        position = [f.name for f in own].index(name)
        return before + sum([f.width for f in own[:position]])

    def is_structure(self, place: int) -> bool:
        """Does a column say which nodes there are, and where they are: references, and where rows begin?"""
        return self._structure[place]

    @cached_property
    def _structure(self) -> tuple[bool, ...]:
        result: list[bool] = []
        for c in self.constructors:
            for f in c.fields:
                if f.width == 2:
                    result += [True, f.kind is Kind.CHILDREN]
                else:
                    result.append(f.kind is Kind.NODE)
        return tuple(result)

    def record(self, make: Make) -> Nodes:
        """The record of a tree, one object for each way to give it back."""
        return self._records.setdefault((make, False), Nodes(self, False, make))

    def forest(self, make: Make) -> Nodes:
        """The record of a forest."""
        return self._records.setdefault((make, True), Nodes(self, True, make))

    @cached_property
    def _records(self) -> dict[tuple[Make, bool], Nodes]:
        return {}

    def reference(self, tag: int, row: int) -> int:
        """The node in a row of a class."""
        if self.nothing is not None:
            return -1 if tag == self.nothing else row
        return row << self.bits | tag

    def references(self, tag: int, rows: Integers) -> Integers:
        """The nodes in these rows of a class."""
        if self.nothing is not None:
            return np.full_like(rows, -1) if tag == self.nothing else rows
        return rows << self.bits | tag

    def tag_of(self, node: int) -> int:
        """The tag of a node."""
        if self.nothing is not None:
            return self.nothing if node < 0 else 1 - self.nothing
        return node & ((1 << self.bits) - 1)

    def tags_of(self, nodes: Integers) -> Integers:
        """The tags of nodes."""
        if self.nothing is not None:
            return np.where(nodes < 0, self.nothing, 1 - self.nothing)
        return nodes & ((1 << self.bits) - 1)

    def row_of(self, node: int) -> int:
        """The row of a node among those of its class."""
        return node >> self.bits

    def named(self, tags: Sequence[int] | frozenset[int]) -> str:
        """Classes as a user would say them."""
        return " or ".join([self.constructors[k].name for k in sorted(tags)])


def _names(constructor: Constructor, field: Field) -> list[str]:
    name = f"{constructor.name}.{field.name}"
    return [f"{name}.start", name] if field.width == 2 else [name]


class Nodes(Struct, frozen=True):
    """The record of a node, or of a forest of them, which `make` makes of parts: the node(s), then the columns.

    Of one declaration objects and packed trees are values of one type to a program.
    """

    declaration: Declaration
    is_forest: bool
    make: Make

    def __call__(self, *parts: object) -> object:
        """The tree, or the forest."""
        return self.make(self, parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts, as programs are printed with them."""
        own = [name.replace(".", "_") for name in self.declaration.columns]
        return ("nodes" if self.is_forest else "node", *own)

    @property
    def __name__(self) -> str:
        """As a user would say it."""
        return f"forest of {self.declaration.name}" if self.is_forest else self.declaration.name

    def is_like(self, other: object) -> bool:
        """Is it the record of the same thing, however it is to be given back?"""
        return isinstance(other, Nodes) and other.declaration is self.declaration and other.is_forest is self.is_forest
