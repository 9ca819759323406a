"""Trees and forests as columns, made once and handed to programs as often as one likes: `fs.pack`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from fsmooth.core.nodes.declaration import Constructor, Declaration, Field, Kind, Nodes
from fsmooth.core.nodes.packing import ALLOWED, WANTED, Column, at_width, cycle_in, packed_columns
from fsmooth.core.nodes.reading import alternatives, declaration_of, declared, is_record
from fsmooth.core.nodes.texts import number_of
from fsmooth.core.nodes.unpacking import objects_of
from fsmooth.errors import ArgumentError


class _Columns:
    """What a tree and a forest have in common: `parts` are the node or nodes, then the columns of the declaration."""

    __slots__ = ("parts", "record")

    def __init__(self, record: Nodes, parts: tuple[Any, ...]) -> None:
        self.record = record
        self.parts = parts

    @property
    def columns(self) -> Mapping[str, Any]:
        """The columns by their names: `"Node.weight"`; of integers and truth values in derivatives ()."""
        return dict(zip(self.record.declaration.columns, self.parts[1:], strict=True))

    def _counted(self) -> str:
        declaration = self.record.declaration
        counts = []
        for tag, c in enumerate(declaration.constructors):
            if c.fields:
                counts.append(f"{rows_of(declaration, tag, self.parts[1:])} {c.name}")
        return ", ".join(counts)


class Packed(_Columns):
    """A tree as columns.

    >>> import fsmooth as fs
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Cell:
    ...     head: float
    ...     tail: "Cell | None" = None
    >>> cells = fs.pack(Cell(1.0, Cell(2.0)))
    >>> cells
    Packed(2 Cell)
    >>> cells.columns["Cell.head"]
    array([1., 2.])
    >>> cells.unpack()
    Cell(head=1.0, tail=Cell(head=2.0, tail=None))
    """

    __slots__ = ()

    @staticmethod
    def of(cls: object, columns: Mapping[str, Mapping[str, Any]], root: int) -> Packed:
        """A tree of columns that are there already, by class and field; `root` and the nodes among the fields are
        `fs.references`.

        Arrays of float64 and float32 are not copied.  The columns of nodes and of lengths are, for what has been checked must
        not change.

        Raises:
            ArgumentError: if a column is missing or too short, a node is not there, or reached from itself.

        """  # noqa: D205
        declaration = declared(alternatives(cls))
        made = given_columns(declaration, columns)
        require_nodes(declaration, np.asarray([root], np.int64), declaration.all_tags, made, "root")
        return Packed(declaration.record(packed), (int(root), *made))

    def unpack(self) -> Any:
        """The tree as objects of the user's classes."""
        return objects(self.record, self.parts)

    def __repr__(self) -> str:
        return f"Packed({self._counted()})"


class Forest(_Columns, Sequence[Packed]):
    """Trees that share columns.

    >>> import fsmooth as fs
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Cell:
    ...     head: float
    ...     tail: "Cell | None" = None
    >>> forest = fs.pack([Cell(1.0), Cell(2.0, Cell(3.0))])
    >>> forest, len(forest), forest[1].unpack()
    (Forest(2 trees: 3 Cell), 2, Cell(head=2.0, tail=Cell(head=3.0, tail=None)))
    """

    __slots__ = ()

    @overload
    def __getitem__(self, k: int) -> Packed: ...
    @overload
    def __getitem__(self, k: slice) -> Forest: ...
    def __getitem__(self, k: int | slice) -> Packed | Forest:
        """A tree, or some of them."""
        roots, *columns = self.parts
        if isinstance(k, slice):
            return Forest(self.record, (steady(roots[k]), *columns))
        return Packed(self.record.declaration.record(self.record.make), (int(roots[k]), *columns))

    def __len__(self) -> int:
        return len(self.parts[0])

    def __iter__(self) -> Iterator[Packed]:
        return iter([self[k] for k in range(len(self))])

    def unpack(self) -> list[Any]:
        """The trees as objects of the user's classes."""
        found = objects(self.record, self.parts)
        assert isinstance(found, list)
        return found

    def __repr__(self) -> str:
        return f"Forest({len(self)} trees: {self._counted()})"


def pack(value: object, cls: object = None) -> Packed | Forest:
    """A tree of objects, or a list of trees, as columns; `cls` says which classes there may be: `Leaf | Node`.

    Classes are dataclasses or NamedTuples whose annotations say which fields are numbers, arrays, texts, nodes and lists of
    these.  An object that is met twice is one node.

    >>> import fsmooth as fs
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Cell:
    ...     value: float
    ...     rest: "Cell | None"
    >>> def total(c):
    ...     return 0.0 if c is None else c.value + total(c.rest)
    >>> fs.function(total)(fs.pack(Cell(1.0, Cell(2.0, None))))
    3.0

    Raises:
        ArgumentError: for an object of another class, a field of another type, and for cycles; named by its path.

    """
    if isinstance(value, Packed | Forest):
        return value
    is_forest = isinstance(value, list)
    roots: list[Any] = value if is_forest else [value]  # type: ignore[assignment]
    if cls is not None:
        declaration = declared(alternatives(cls))
    elif roots:
        for k, root in enumerate(roots):
            if not is_record(type(root)) and root is not None:
                where = f"trees[{k}]" if is_forest else "tree"
                hint = "give an object of a dataclass or a NamedTuple, or a list of them"
                raise ArgumentError(f"{where} is a {type(root).__name__}\n  hint: {hint}")
        declaration = declared(classes_of(roots))
    else:
        raise ArgumentError("a list without trees says nothing of their classes\n  hint: fs.pack([], Leaf | Node)")
    return _made(declaration, roots, is_forest=is_forest, make=packed)


def references(cls: object, of: type, rows: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The nodes in these rows of a class, as `Packed.of` wants them; `cls` says which classes there are."""
    declaration = declared(alternatives(cls))
    tag = declaration.tags.get(of)
    if tag is None:
        raise ArgumentError(f"{of.__name__} is not among {declaration.name}")
    return declaration.references(tag, np.asarray(rows, np.int64))


def taken_apart(value: object) -> tuple[Nodes, tuple[Any, ...]] | None:
    """A tree, a forest, an object or a list of objects, as columns; None for everything else."""
    if isinstance(value, Packed | Forest):
        return value.record, value.parts
    is_forest = isinstance(value, list)
    if is_forest and not value:
        return None
    first = value[0] if is_forest else value  # type: ignore[index]
    if not hasattr(type(first), "__annotations__"):
        return None
    declaration = declaration_of(type(first))
    if declaration is None:
        return None
    roots: list[Any] = value if is_forest else [value]  # type: ignore[assignment]
    if is_forest:
        declaration = declared(classes_of(roots))
    made = _made(declaration, roots, is_forest=is_forest, make=objects)
    return made.record, made.parts


def classes_of(roots: Sequence[object]) -> tuple[type, ...]:
    """The classes of these objects, and those of the data types that they are of."""
    own = [c for c in dict.fromkeys(map(type, roots)) if c is type(None) or is_record(c)]
    known = [d for d in [declaration_of(c) for c in own] if d is not None]
    return tuple(dict.fromkeys([*own, *[c.cls for d in known for c in d.constructors]], 0))


def packed(record: Nodes, parts: tuple[Any, ...]) -> Packed | Forest:
    """What programs give back where they were given packed trees."""
    return (Forest if record.is_forest else Packed)(record, parts)


def objects(record: Nodes, parts: tuple[Any, ...]) -> object:
    """What programs give back where they were given objects."""
    nodes, *columns = parts
    if isinstance(nodes, tuple):
        return packed(record, parts)  # a tangent, whose nodes are those of what it is a tangent of
    if not record.is_forest:
        return objects_of([int(nodes)], record.declaration, columns)[0]
    return objects_of([int(node) for node in nodes], record.declaration, columns)


def with_nodes_of(argument: Any, tangent: Any) -> Any:
    """A tangent of a tree with the nodes of the tree; anything else as it is."""
    if not isinstance(tangent, Packed | Forest) or not isinstance(tangent.parts[0], tuple):
        return tangent
    found = taken_apart(argument)
    assert found is not None
    record, own = found
    columns = record.declaration
    parts = [
        mine if k == 0 or columns.is_structure(k - 1) else part
        for k, (part, mine) in enumerate(zip(tangent.parts, own, strict=True))
    ]
    return record(*parts)


def _made(declaration: Declaration, roots: list[Any], *, is_forest: bool, make: Any) -> Packed | Forest:
    nodes, columns = packed_columns(roots, declaration)
    kept = [steady(c) if declaration.is_structure(k) else c for k, c in enumerate(columns)]
    if is_forest:
        return Forest(declaration.forest(make), (steady(np.array(nodes, np.int64)), *kept))
    return Packed(declaration.record(make), (nodes[0], *kept))


def steady(column: Column) -> Column:
    """A copy that nobody can change: kernels trust what has been checked once."""
    return np.frombuffer(column.astype(np.int64).tobytes(), np.int64)


# -- columns that are there already ------------------------------------------------------------------------------------


def given_columns(declaration: Declaration, given: Mapping[str, Mapping[str, Any]]) -> list[Column]:
    """The columns of a declaration among those that a caller has."""
    known = {c.name for c in declaration.constructors if c.fields}
    for name in given:
        if name not in known:
            raise ArgumentError(f"there is no class {name}\n  hint: the classes are {', '.join(sorted(known))}")
    columns: list[Column] = []
    for c in declaration.constructors:
        own = given.get(c.name, {})
        for f in c.fields:
            columns += _given(c, f, own)
    for tag, c in enumerate(declaration.constructors):
        counts = {f.name: _rows(f, columns, declaration.place(tag, f.name)) for f in c.fields}
        if len(set(counts.values())) > 1:
            raise ArgumentError(f"{c.name}: its columns have different lengths, {counts}")
    for tag, c in enumerate(declaration.constructors):
        for f in c.fields:
            if f.kind in (Kind.NODE, Kind.CHILDREN):
                place = declaration.place(tag, f.name) + f.width - 1
                require_nodes(declaration, columns[place], f.tags, columns, f"{c.name}.{f.name}")
    if cycle_in(declaration, columns) is not None:
        raise ArgumentError("a node is reached from itself\n  hint: data that programs take have no cycles")
    return columns


def _given(constructor: Constructor, field: Field, own: Mapping[str, Any]) -> list[Column]:
    name = f"{constructor.name}.{field.name}"
    if field.name not in own:
        if not own:
            return [np.zeros(1, np.int64)] * (field.width - 1) + [_empty(field)]
        raise ArgumentError(f"{name} is missing\n  hint: give a column for each field")
    value = own[field.name]
    if field.width == 2:
        if not isinstance(value, tuple) or len(value) != 2:
            raise ArgumentError(
                f"{name}: expected two arrays, where each row begins (and the last ends), and all elements"
            )
        starts = steady(_integers(value[0], name))
        flat = steady(_integers(value[1], name)) if field.kind is Kind.CHILDREN else _numbers(value[1], field, name)
        if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(flat) or bool(np.any(np.diff(starts) < 0)):
            raise ArgumentError(f"{name}: rows begin at 0, go on without gaps, and end with the elements")
        return [starts, flat]
    if np.ndim(value) != field.rank + 1:
        raise ArgumentError(f"{name}: expected an array of {field.rank + 1} axes, found {np.ndim(value)}")
    if field.kind is Kind.NODE:
        return [steady(_integers(value, name))]
    if field.kind is Kind.TEXT:
        texts = np.asarray(value)
        if texts.dtype.kind != "U":
            raise ArgumentError(f"{name}: expected texts, found {texts.dtype}")
        return [np.array([number_of(text) for text in texts.tolist()], np.int64)]
    return [_numbers(value, field, name)]


def _integers(value: Any, name: str) -> Column:
    array = np.asarray(value)
    if array.size and array.dtype.kind not in "iu":
        raise ArgumentError(f"{name}: expected integers, found {array.dtype}\n  hint: make nodes with fs.references")
    return array


def _numbers(value: Any, field: Field, name: str) -> Column:
    array = np.asarray(value)
    if array.size and array.dtype.kind not in ALLOWED[field.leaf]:
        raise ArgumentError(f"{name}: expected {WANTED[field.leaf]} in each row, found {array.dtype}")
    return at_width(array, field.leaf)


def _empty(field: Field) -> Column:
    dtype = np.int64 if field.kind in (Kind.NODE, Kind.CHILDREN, Kind.TEXT) or field.leaf is int else np.float64
    return np.empty((0,) * (field.rank + 1 if field.kind is Kind.EQUAL else 1), dtype)


def require_nodes(
    declaration: Declaration, nodes: Column, tags: frozenset[int], columns: Sequence[Column], name: str
) -> None:
    """Are these nodes there, and of classes that the annotation allows?"""
    found, rows = declaration.tags_of(nodes), nodes >> declaration.bits
    wrong = ~np.isin(found, sorted(tags))
    for tag in tags:
        low = -1 if tag == declaration.nothing else 0
        wrong |= (found == tag) & ((rows < low) | (rows >= rows_of(declaration, tag, columns)))
    if bool(np.any(wrong)):
        k = int(np.flatnonzero(wrong)[0])
        raise ArgumentError(
            f"{name}: {int(nodes[k])} at {k} is no node of {declaration.named(tags)}\n"
            "  hint: make nodes with fs.references"
        )


def rows_of(declaration: Declaration, tag: int, columns: Sequence[Any]) -> int:
    """How many nodes there are of a class."""
    c = declaration.constructors[tag]
    for f in c.fields:
        place = declaration.place(tag, f.name)
        if not isinstance(columns[place], tuple):
            return _rows(f, columns, place)
    return 0 if c.fields else ANY


ANY = 2**62
"""The number of nodes of a class without fields: there is no column to look into."""


def _rows(field: Field, columns: Sequence[Column], place: int) -> int:
    return len(columns[place]) - (field.width - 1)
