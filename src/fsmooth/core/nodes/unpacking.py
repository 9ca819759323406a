"""Columns to objects: each node is one object, wherever it is reached from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsmooth.core.nodes.declaration import Declaration, Kind
from fsmooth.core.nodes.packing import Below, Column
from fsmooth.core.nodes.texts import text_of


def objects_of(nodes: Sequence[int], declaration: Declaration, columns: Sequence[Any]) -> list[object]:
    """The objects of these nodes; children are made before their parents, without a call of the user's constructors."""
    below = Below(declaration, columns)
    rows = _Rows(declaration, columns)
    made: dict[int, object] = {}
    for node in nodes:
        pending = [node]
        while pending:
            top = pending[-1]
            missing = [] if top in made else [child for child in below(top) if child not in made]
            if missing:
                pending.extend(reversed(missing))
                continue
            pending.pop()
            if top not in made:
                made[top] = rows.object(top, made)
    return [made[node] for node in nodes]


class _Rows:
    """The rows of columns as objects."""

    def __init__(self, declaration: Declaration, columns: Sequence[Any]) -> None:
        self.declaration = declaration
        ragged = [
            declaration.place(tag, f.name) + 1
            for tag, c in enumerate(declaration.constructors)
            for f in c.fields
            if f.kind is Kind.RAGGED
        ]
        self._columns: list[Any] = [
            column if isinstance(column, tuple) or k in ragged else _plain(column) for k, column in enumerate(columns)
        ]

    def object(self, node: int, made: dict[int, object]) -> object:
        """The object of a node whose children are made."""
        tag, row = self.declaration.tag_of(node), self.declaration.row_of(node)
        constructor = self.declaration.constructors[tag]
        cls = constructor.cls
        if cls is type(None):
            return None
        values = {f.name: self._value(f.kind, self.declaration.place(tag, f.name), row, made) for f in constructor.fields}
        if issubclass(cls, tuple):
            return tuple.__new__(cls, values.values())
        result: object = object.__new__(cls)
        for name, value in values.items():
            object.__setattr__(result, name, value)
        return result

    def _value(self, kind: Kind, place: int, row: int, made: dict[int, object]) -> object:
        column = self._columns[place]
        match kind:
            case Kind.NODE:
                return made[column[row]]
            case Kind.CHILDREN:
                return [made[child] for child in self._columns[place + 1][column[row] : column[row + 1]]]
            case Kind.RAGGED:
                elements = self._columns[place + 1]
                return elements if isinstance(elements, tuple) else elements[column[row] : column[row + 1]]
            case _ if isinstance(column, tuple):
                return ()
            case Kind.TEXT:
                return text_of(column[row])
            case _:
                return column[row]


def _plain(column: Column) -> Any:
    """Numbers as Python's own, which classes are written for; arrays stay."""
    return column.tolist() if column.ndim == 1 else column
