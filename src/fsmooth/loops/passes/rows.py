"""Rows that the iterations of a block read at computed places (a table by camera, say) are read as rows.

`table[31 * c + 7]` with a c that differs from lane to lane is a gather, which is slow.  Where an iteration reads
several scalars of one row, the rows of all lanes are read as they lie and transposed in registers into a tile, so
that the lanes find their scalars side by side.

Before: a block.  After: the same with `rows`, and `vector_body` and `vector_values` that read the tiles.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core.types import INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import without_constant
from fsmooth.loops.arithmetic import integer, key_of, map_loads, parts, plus
from fsmooth.loops.names import Names
from fsmooth.loops.usage import names_in, names_of


class _Row(Struct):
    """Reads of one row: the numbers that are there, where it starts, the columns read in any case, and those read in branches."""

    type: Float
    start: t.Expression
    always: set[int] = field(default_factory=set)
    perhaps: set[int] = field(default_factory=set)


def with_rows(block: t.Block, names: Names, row_sizes: Mapping[str, int]) -> t.Block:
    """The block with the rows that it reads, its vector part reading them from tiles."""
    definitions = {s.name: s for s in block.body if isinstance(s, t.Declare)}
    order = {name: k for k, name in enumerate(definitions)}
    found: dict[object, tuple[str, _Row]] = {}
    values = [v for output in block.outputs for v in output.values.values()]
    for e in [*[d.value for d in definitions.values() if d.value is not None], *values]:
        _collect(e, found)
    tiles: dict[object, tuple[t.BlockRows, int]] = {}
    for key, (buffer, row) in found.items():
        columns = set(row.always)
        if buffer in row_sizes:
            columns |= {c for c in row.perhaps if 0 <= c < row_sizes[buffer]} if columns else set()
        if len(columns) < thresholds.ROW_COLUMNS:
            continue
        lowest, width = min(columns), max(columns) - min(columns) + 1
        if width > thresholds.ROW_WIDTH or width > thresholds.ROW_GAPS * len(columns):
            continue
        needed = _slice(row.start, definitions, order)
        if needed is None or not _differs(row.start, needed, block.index):
            continue
        rows = t.BlockRows(
            buffer,
            row.type,
            needed,
            plus(row.start, integer(lowest)),
            width,
            names.beside(buffer, "at"),
            names.beside(buffer, "rows"),
        )
        tiles[key] = (rows, lowest)
    if not tiles:
        return block

    def read(load: t.Load) -> t.Expression:
        start, column = without_constant(load.index)
        tile = tiles.get((load.buffer, key_of(start)))
        if tile is None or not 0 <= column - tile[1] < tile[0].width:
            return load
        return t.Load(tile[0].tile, plus(t.Name(block.lane, INT), integer((column - tile[1]) * block.lanes)), load.type)

    used: set[str] = set()
    outputs = [replace(o, vector_values={k: map_loads(v, read) for k, v in o.values.items()}) for o in block.outputs]
    for output in outputs:
        for value in output.vector_values.values():
            names_in(value, used)
    body: list[t.Statement] = []
    for s in reversed(block.body):
        assert isinstance(s, t.Declare)
        assert s.value is not None
        if s.name in used:
            value = map_loads(s.value, read)
            names_in(value, used)
            body.append(t.Declare(s.name, s.type, value))
    read_rows = tuple([rows for rows, _ in tiles.values()])
    return replace(block, outputs=tuple(outputs), rows=read_rows, vector_body=tuple(reversed(body)))


def _collect(root: t.Expression, found: dict[object, tuple[str, _Row]]) -> None:
    """Note the loads of an expression."""
    stack = [(root, True)]
    while stack:
        e, always = stack.pop()
        if isinstance(e, t.Load) and isinstance(e.type, Float):
            start, column = without_constant(e.index)
            _, row = found.setdefault((e.buffer, key_of(start)), (e.buffer, _Row(e.type, start)))
            (row.always if always else row.perhaps).add(column)
        for k, part in enumerate(parts(e)):
            stack.append((part, always and not (isinstance(e, t.Conditional) and k > 0)))


def _slice(start: t.Expression, definitions: dict[str, t.Declare], order: dict[str, int]) -> t.Body | None:
    """The definitions that `start` needs, in order."""
    wanted: set[str] = set()
    pending = [start]
    while pending:
        names = names_of(pending.pop())
        for name in names & definitions.keys() - wanted:
            wanted.add(name)
            value = definitions[name].value
            if value is None:
                return None
            pending.append(value)
    chosen = [definitions[name] for name in sorted(wanted, key=order.__getitem__)]
    return tuple(chosen)


def _differs(start: t.Expression, needed: t.Body, index: str) -> bool:
    """Does the row differ from lane to lane?"""
    names = names_of(start)
    for s in needed:
        assert isinstance(s, t.Declare)
        assert s.value is not None
        names_in(s.value, names)
    return index in names
