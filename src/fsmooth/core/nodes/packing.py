"""Objects to columns: each is met once, a child right behind its parent, and what is met twice is one node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, NoReturn

import numpy as np

from fsmooth.core.nodes.declaration import Constructor, Declaration, Field, Kind
from fsmooth.core.nodes.texts import number_of
from fsmooth.errors import ArgumentError

Column = np.ndarray[Any, np.dtype[Any]]

_DTYPES: dict[type | None, Any] = {float: np.float64, int: np.int64, bool: np.bool_}


def packed_columns(roots: Sequence[object], declaration: Declaration) -> tuple[list[int], list[Column]]:
    """The nodes of these objects, and all columns.

    Raises:
        ArgumentError: for an object or a field that the declaration does not allow, named by its path, and for a cycle.

    """
    met = _Met(roots, declaration)
    columns = [
        column for tag, c in enumerate(declaration.constructors) for f in c.fields for column in met.columns(tag, c, f)
    ]
    if met.is_shared:
        cycle = cycle_in(declaration, columns)
        if cycle is not None:
            tag, row = declaration.tag_of(cycle), declaration.row_of(cycle)
            met.fail(met.rows[tag][row], "is reached from itself", "data that programs take have no cycles")
    return [met.nodes[id(root)] for root in roots], columns


_LARGEST = np.iinfo(np.int64).max

ALLOWED: dict[type | None, str] = {float: "fiu", int: "iu", bool: "b", None: "fiub"}
WANTED: dict[type | None, str] = {float: "a number", int: "an integer", bool: "True or False", None: "a number"}


def at_width(column: Column, leaf: type | None) -> Column:
    """Numbers as the leaf says; real ones keep their width."""
    if leaf is None or (leaf is float and column.dtype in (np.float32, np.float64)):
        return column
    return column.astype(_DTYPES[leaf], copy=False)


_Fields = list[tuple[str, bool]]


class _Met:
    """The objects that have been met, by their classes, and the node of each."""

    def __init__(self, roots: Sequence[object], declaration: Declaration) -> None:
        self.roots = roots
        self.declaration = declaration
        self.rows: list[list[Any]] = [[] for _ in declaration.constructors]
        self.nodes: dict[int, int] = {}
        self.is_shared = False
        tags, bits = declaration.tags, declaration.bits
        nodes, rows = self.nodes, self.rows
        below = {
            cls: (declaration.reference(tag, 0), rows[tag], *_reading(declaration.constructors[tag]))
            for cls, tag in tags.items()
        }
        if type(None) in tags:
            nodes[id(None)] = declaration.reference(tags[type(None)], 0)
            rows[tags[type(None)]].append(None)
        pending = list(reversed(roots))
        while pending:
            value = pending.pop()
            key = id(value)
            if key in nodes:
                self.is_shared = self.is_shared or value is not None
                continue
            found = below.get(type(value))
            if found is None:
                self.fail(value, f"is {_said(value)}", f"expected {declaration.named(declaration.all_tags)}")
            first, own, several, one, others = found
            nodes[key] = len(own) << bits | first
            own.append(value)
            if several is not None:
                pending += several(value)
            elif one is not None:
                pending.append(one(value))
            elif others:
                pending += self._children(value, others)

    def _children(self, value: object, fields: _Fields) -> list[object]:
        """The children of a node that has lists of them, the last one first."""
        found: list[object] = []
        for name, is_list in fields:
            child = getattr(value, name)
            if not is_list:
                found.append(child)
                continue
            if not isinstance(child, list | tuple) or is_named(child):
                path = path_to(self.roots, value, self.declaration)
                raise ArgumentError(f"{path}.{name} is {_said(child)}\n  hint: expected a list of nodes")
            found.extend(reversed(child))
        return found

    def columns(self, tag: int, constructor: Constructor, field: Field) -> list[Column]:
        """The columns of a field."""
        values = list(map(attrgetter(field.name), self.rows[tag]))
        if field.kind not in (Kind.NODE, Kind.CHILDREN) and _are_nothing(values):
            nothing: Any = ()  # the tangents of integers and texts
            return [_starts(values), nothing] if field.width == 2 else [nothing]
        match field.kind:
            case Kind.NUMBER:
                return [self._numbers(values, tag, field)]
            case Kind.TEXT:
                for k, value in enumerate(values):
                    if not isinstance(value, str):
                        self._fail_field(tag, k, field, f"is {_said(value)}", "expected a text")
                return [np.array([number_of(v) for v in values], np.int64)]
            case Kind.NODE:
                return [self._references(values, tag, field)]
            case Kind.EQUAL:
                return [self._stacked(values, constructor, tag, field)]
            case Kind.RAGGED:
                arrays = [self._array(v, tag, k, field) for k, v in enumerate(values)]
                return [
                    _starts(arrays),
                    np.concatenate(arrays) if arrays else np.empty(0, _DTYPES[field.leaf or float]),
                ]
            case Kind.CHILDREN:
                flat = [child for value in values for child in value]
                return [_starts(values), self._references(flat, tag, field)]

    def _numbers(self, values: list[Any], tag: int, field: Field) -> Column:
        if not values:
            return np.empty(0, _DTYPES[field.leaf or float])
        try:
            column = np.array(values)
        except (ValueError, TypeError, OverflowError):
            column = np.empty(0, object)
        if column.ndim != 1 or column.dtype.kind not in ALLOWED[field.leaf]:
            for k, value in enumerate(values):
                if np.asarray(value).dtype.kind not in ALLOWED[field.leaf] or np.ndim(value) > 0:
                    self._fail_field(tag, k, field, f"is {_said(value)}", f"expected {WANTED[field.leaf]}")
        if field.leaf is int and column.dtype == np.uint64 and bool(np.any(column > _LARGEST)):
            k = int(np.argmax(column > _LARGEST))
            self._fail_field(tag, k, field, f"is {_said(int(column[k]))}", "integers here have 64 bits")
        return at_width(column, field.leaf)

    def _array(self, value: object, tag: int, row: int, field: Field) -> Column:
        try:
            array = np.asarray(value)
        except (ValueError, TypeError):
            array = np.empty((), object)
        if array.ndim != field.rank or (array.size and array.dtype.kind not in ALLOWED[field.leaf]):
            wanted = f"expected an array of {field.rank} axes, of numbers"
            self._fail_field(tag, row, field, f"is {_said(value)}", wanted)
        return at_width(array, field.leaf or float)

    def _stacked(self, values: list[Any], constructor: Constructor, tag: int, field: Field) -> Column:
        arrays = [self._array(v, tag, k, field) for k, v in enumerate(values)]
        if not arrays:
            return np.empty((0,) * (field.rank + 1), _DTYPES[field.leaf or float])
        for array in arrays:
            if array.shape != arrays[0].shape:
                one, other = [s[0] if len(s) == 1 else s for s in (arrays[0].shape, array.shape)]
                raise ArgumentError(
                    f"{constructor.name}.{field.name} has {one} numbers in one node and {other} in another\n"
                    '  hint: annotate the field with np.ndarray, or fs.Array["*"], if its size differs'
                )
        return np.stack(arrays)

    def _references(self, values: list[Any], tag: int, field: Field) -> Column:
        nodes, declaration = self.nodes, self.declaration
        column = np.fromiter(map(nodes.__getitem__, map(id, values)), np.int64, len(values))
        allowed = field.tags
        if allowed != declaration.all_tags and len(column):
            wrong = np.flatnonzero(~np.isin(declaration.tags_of(column), sorted(allowed)))
            if len(wrong):
                value = values[int(wrong[0])]
                self.fail(value, f"is {_said(value)}", f"expected {declaration.named(allowed)}")
        return column

    def _fail_field(self, tag: int, row: int, field: Field, message: str, hint: str) -> NoReturn:
        path = path_to(self.roots, self.rows[tag][row], self.declaration)
        raise ArgumentError(f"{path}.{field.name} {message}\n  hint: {hint}")

    def fail(self, value: object, message: str, hint: str) -> NoReturn:
        """Raise, naming the path to an object."""
        raise ArgumentError(f"{path_to(self.roots, value, self.declaration)} {message}\n  hint: {hint}")


def _are_nothing(values: Sequence[object]) -> bool:
    """Are they empty tuples, all of them?"""
    return bool(values) and type(values[0]) is tuple and all([type(v) is tuple and not v for v in values])


def _reading(constructor: Constructor) -> tuple[attrgetter[Any] | None, attrgetter[Any] | None, _Fields]:
    """What reads the nodes in several fields of an object, or the one in it; the fields, if there are lists among them."""
    fields = _children_of(constructor)
    if any([is_list for _, is_list in fields]):
        return None, None, fields
    names = [name for name, _ in fields]
    return attrgetter(*names) if len(names) > 1 else None, attrgetter(*names) if len(names) == 1 else None, []


def _children_of(constructor: Constructor) -> list[tuple[str, bool]]:
    """The fields that hold nodes, the last one first, and whether they hold a list of them."""
    kinds = (Kind.NODE, Kind.CHILDREN)
    return [(f.name, f.kind is Kind.CHILDREN) for f in reversed(constructor.fields) if f.kind in kinds]


def is_named(value: object) -> bool:
    """Is it a NamedTuple, which is a node and no list of nodes?"""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _starts(rows: Sequence[Any]) -> Column:
    """Where each row begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64))).astype(np.int64)


def path_to(roots: Sequence[object], wanted: object, declaration: Declaration) -> str:
    """How an object is reached, as a user would write it: `tree.left.right`."""
    pending = [(root, "tree" if len(roots) == 1 else f"trees[{k}]") for k, root in enumerate(roots)]
    seen: set[int] = set()
    for value, path in pending:
        if value is wanted:
            return path
        if id(value) in seen:
            continue
        seen.add(id(value))
        pending.extend(_below(value, path, declaration))
    return "a node"


def _below(value: object, path: str, declaration: Declaration) -> Iterator[tuple[object, str]]:
    tag = declaration.tags.get(type(value))
    for name, is_list in _children_of(declaration.constructors[tag]) if tag is not None else ():
        child = getattr(value, name)
        if is_list:
            yield from [(c, f"{path}.{name}[{k}]") for k, c in enumerate(child)]
        else:
            yield child, f"{path}.{name}"


def _said(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the text {value!r}"[:80]
    if isinstance(value, float | int):
        return f"the {type(value).__name__} {value!r}"[:80]
    return f"an array of {value.ndim} axes" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def cycle_in(declaration: Declaration, columns: Sequence[Column]) -> int | None:
    """A node that is reached from itself; None if none is."""
    below = Below(declaration, columns)
    state: dict[int, bool] = {}
    for start in below.nodes():
        pending = [(start, False)]
        while pending:
            node, is_done = pending.pop()
            if is_done:
                state[node] = True
            elif node not in state:
                state[node] = False
                pending.append((node, True))
                for child in below(node):
                    if state.get(child) is False:
                        return child
                    if child not in state:
                        pending.append((child, False))
    return None


class Below:
    """The children of a node, by the columns of a declaration."""

    def __init__(self, declaration: Declaration, columns: Sequence[Column]) -> None:
        self.declaration = declaration
        self._fields: list[list[tuple[list[int] | None, list[int]]]] = []
        for tag, c in enumerate(declaration.constructors):
            own: list[tuple[list[int] | None, list[int]]] = []
            for f in c.fields:
                place = declaration.place(tag, f.name)
                if f.kind is Kind.NODE:
                    own.append((None, columns[place].tolist()))
                elif f.kind is Kind.CHILDREN:
                    own.append((columns[place].tolist(), columns[place + 1].tolist()))
            self._fields.append(own)

    def __call__(self, node: int) -> list[int]:
        """The children of a node, from the first field to the last."""
        row = self.declaration.row_of(node)
        result: list[int] = []
        for starts, references in self._fields[self.declaration.tag_of(node)]:
            if starts is None:
                result.append(references[row])
            else:
                result.extend(references[starts[row] : starts[row + 1]])
        return result

    def nodes(self) -> Iterator[int]:
        """All nodes that have children."""
        for tag, own in enumerate(self._fields):
            for starts, references in own[:1]:
                count = len(references) if starts is None else len(starts) - 1
                yield from [self.declaration.reference(tag, row) for row in range(count)]
