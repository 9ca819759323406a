"""Loops over blocks of iterations with transposed stores (lower/blocking.py says when and why)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fsmooth.backend.c.lanes import suffix_of
from fsmooth.backend.c.names import element_type
from fsmooth.core.types import INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus, times
from fsmooth.loops.usage import mentioned, names_in

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter

_NARROW = 4
_LANES = 8
"""Lanes of `helpers.TRANSPOSE`."""


def write_block(writer: StatementWriter, block: t.Block) -> None:
    """The blocks, then what remains of the iterations."""
    writer.site(block.site)
    size, start = writer.e.write(block.size, 5), block.start
    writer.line("{")
    writer.depth += 1
    writer.line(f"int64_t {start} = 0;")
    writer.line(f"for (; {start} + {block.lanes} <= {size}; {start} += {block.lanes}) {{")
    writer.depth += 1
    for rows in block.rows:
        _rows(writer, block, rows)
    _tiles(writer, block)
    for output in block.outputs:
        _transpose(writer, block, output)
    writer.depth -= 1
    writer.line("}")
    writer.features.add("scalar")
    writer.line("FS_SCALAR")
    writer.line(f"for (int64_t {block.index} = {start}; {block.index} < {size}; ++{block.index}) {{")
    stores = [store for output in block.outputs for store in _stores(block, output, output.values)]
    writer.nested([*block.body, *stores])
    writer.line("}")
    writer.depth -= 1
    writer.line("}")


def _rows(writer: StatementWriter, block: t.Block, rows: t.BlockRows) -> None:
    """Read the rows of all lanes."""
    suffix = suffix_of(rows.type)
    writer.features.add(f"transpose{suffix}")
    writer.line(f"int64_t {rows.places}[{block.lanes}];")
    writer.line(f"{element_type(rows.type)} {rows.tile}[{rows.width * block.lanes}] __attribute__((aligned(64)));")
    writer.line(f"for (int64_t {block.lane} = 0; {block.lane} < {block.lanes}; ++{block.lane}) {{")
    writer.depth += 1
    writer.line(f"const int64_t {block.index} = {block.start} + {block.lane};")
    writer.body(rows.body)
    writer.line(f"{rows.places}[{block.lane}] = {writer.e.write(rows.start)};")
    writer.depth -= 1
    writer.line("}")
    writer.line(f"fs_rows{suffix}({rows.buffer}, {rows.places}, {rows.tile}, {rows.width});")


def _tiles(writer: StatementWriter, block: t.Block) -> None:
    """Compute `lanes` iterations into tiles; few stores go straight to their place."""
    for output in block.outputs:
        if not _direct(output):
            type_ = element_type(output.type)
            writer.line(f"{type_} {output.tile}[{output.width}][{block.lanes}] __attribute__((aligned(64)));")
    lane = block.lane
    outer, writer.e.vector = writer.e.vector, True
    writer.lines.append("#pragma omp simd")
    writer.line(f"for (int64_t {lane} = 0; {lane} < {block.lanes}; ++{lane}) {{")
    writer.depth += 1
    body = block.vector_body or block.body
    if _needs_index(block, body):
        writer.line(f"const int64_t {block.index} = {block.start} + {lane};")
    writer.body(body)
    for output in block.outputs:
        values = output.vector_values or output.values
        if _direct(output):
            writer.body(_stores(block, output, values))
            continue
        for k in range(output.width):
            writer.line(f"{output.tile}[{k}][{lane}] = {writer.e.write(values[k])};")
    writer.depth -= 1
    writer.line("}")
    writer.e.vector = outer


def _needs_index(block: t.Block, body: Sequence[t.Statement]) -> bool:
    """Does the vector part of a block mention the index of the loop?"""
    names = mentioned(body)
    for output in block.outputs:
        if _direct(output):
            return True
        for value in (output.vector_values or output.values).values():
            names_in(value, names)
    return block.index in names


def _direct(output: t.BlockOutput) -> bool:
    """Do C compilers vectorise so few neighbouring stores themselves?"""
    return output.width <= _NARROW


def _transpose(writer: StatementWriter, block: t.Block, output: t.BlockOutput) -> None:
    """Copy a tile to where it belongs."""
    if _direct(output):
        return
    first = writer.e.write(plus(output.base, times(t.Name(block.start, INT), integer(output.width))), 5)
    if isinstance(output.type, Float) and block.lanes == _LANES:
        suffix = suffix_of(output.type)
        writer.features.add(f"transpose{suffix}")
        writer.line(f"fs_transpose{suffix}(&{output.tile}[0][0], {output.buffer} + {first}, {output.width});")
        return
    lane = block.lane
    writer.line(f"for (int64_t {lane} = 0; {lane} < {block.lanes}; ++{lane})")
    j = f"{output.tile}_j"
    writer.line(f"    for (int64_t {j} = 0; {j} < {output.width}; ++{j})")
    writer.line(f"        {output.buffer}[{first} + {output.width} * {lane} + {j}] = {output.tile}[{j}][{lane}];")


def _stores(block: t.Block, output: t.BlockOutput, values: Mapping[int, t.Expression]) -> t.Body:
    """The stores of one iteration to one buffer."""
    first = plus(output.base, times(t.Name(block.index, INT), integer(output.width)))
    return tuple([t.Store(output.buffer, plus(first, integer(k)), values[k]) for k in range(output.width)])
