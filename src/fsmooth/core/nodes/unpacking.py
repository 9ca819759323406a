"""Columns to objects: each node is one object, wherever it is reached from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fsmooth.core.nodes.declaration import Constructor, Declaration, Field, Kind
from fsmooth.core.nodes.packing import Below
from fsmooth.core.nodes.texts import text_of

Made = dict[int, object]
"""The objects that are there already, by their nodes."""

Read = Callable[[int, Made], object]
"""The value of a field in a row."""


def objects_of(nodes: Sequence[int], declaration: Declaration, columns: Sequence[Any]) -> list[object]:
    """The objects of these nodes; children are made before their parents, without a call of the user's constructors."""
    below = Below(declaration, columns)
    fields = [
        [(f.name, _reader(f, declaration.place(tag, f.name), columns)) for f in c.fields]
        for tag, c in enumerate(declaration.constructors)
    ]
    made: Made = {}
    for root in nodes:
        pending = [root]
        while pending:
            node = pending[-1]
            if node not in made:
                missing = [child for child in below(node) if child not in made]
                if missing:
                    pending.extend(reversed(missing))
                    continue
                tag, row = declaration.tag_of(node), declaration.row_of(node)
                values = [(name, read(row, made)) for name, read in fields[tag]]
                made[node] = _object(declaration.constructors[tag], values)
            pending.pop()
    return [made[node] for node in nodes]


def _object(constructor: Constructor, values: list[tuple[str, object]]) -> object:
    cls = constructor.cls
    if cls is type(None):
        return None
    if issubclass(cls, tuple):
        return tuple.__new__(cls, [value for _, value in values])
    result: object = object.__new__(cls)
    for name, value in values:
        object.__setattr__(result, name, value)
    return result


def _reader(field: Field, place: int, columns: Sequence[Any]) -> Read:
    column = columns[place]
    if field.kind is Kind.RAGGED:
        starts, elements = column.tolist(), columns[place + 1]
        if isinstance(elements, tuple):
            return lambda row, made: ()
        return lambda row, made: elements[starts[row] : starts[row + 1]]
    if isinstance(column, tuple):  # the tangents of integers and texts
        return lambda row, made: ()
    values = column.tolist() if column.ndim == 1 else column
    match field.kind:
        case Kind.NODE:
            return lambda row, made: made[values[row]]
        case Kind.CHILDREN:
            flat = columns[place + 1].tolist()
            return lambda row, made: [made[node] for node in flat[values[row] : values[row + 1]]]
        case Kind.TEXT:
            return lambda row, made: text_of(values[row])
        case _:
            return lambda row, made: values[row]
