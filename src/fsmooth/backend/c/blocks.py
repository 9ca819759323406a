"""Loops over blocks of iterations with transposed stores (lower/blocking.py says when and why)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.backend.c.names import c_type
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus, times

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
    _tiles(writer, block)
    for output in block.outputs:
        _transpose(writer, block, output)
    writer.depth -= 1
    writer.line("}")
    writer.line(f"for (int64_t {block.index} = {start}; {block.index} < {size}; ++{block.index}) {{")
    writer.nested([*block.body, *[store for output in block.outputs for store in _stores(block, output)]])
    writer.line("}")
    writer.depth -= 1
    writer.line("}")


def _tiles(writer: StatementWriter, block: t.Block) -> None:
    """Compute `lanes` iterations into tiles; few stores go straight to their place."""
    for output in block.outputs:
        if not _direct(output):
            type_ = c_type(output.type)
            writer.line(f"{type_} {output.tile}[{output.width}][{block.lanes}] __attribute__((aligned(64)));")
    lane = block.lane
    outer, writer.e.vector = writer.e.vector, True
    writer.lines.append("#pragma omp simd")
    writer.line(f"for (int64_t {lane} = 0; {lane} < {block.lanes}; ++{lane}) {{")
    writer.depth += 1
    writer.line(f"const int64_t {block.index} = {block.start} + {lane};")
    writer.body(block.body)
    for output in block.outputs:
        if _direct(output):
            writer.body(_stores(block, output))
            continue
        for k in range(output.width):
            writer.line(f"{output.tile}[{k}][{lane}] = {writer.e.write(output.values[k])};")
    writer.depth -= 1
    writer.line("}")
    writer.e.vector = outer


def _direct(output: t.BlockOutput) -> bool:
    """Do C compilers vectorise so few neighbouring stores themselves?"""
    return output.width <= _NARROW


def _transpose(writer: StatementWriter, block: t.Block, output: t.BlockOutput) -> None:
    """Copy a tile to where it belongs."""
    if _direct(output):
        return
    first = writer.e.write(plus(output.base, times(t.Name(block.start, INT), integer(output.width))), 5)
    if output.type == F64 and block.lanes == _LANES:
        writer.features.add("transpose")
        writer.line(f"fs_transpose(&{output.tile}[0][0], {output.buffer} + {first}, {output.width});")
        return
    lane = block.lane
    writer.line(f"for (int64_t {lane} = 0; {lane} < {block.lanes}; ++{lane})")
    j = f"{output.tile}_j"
    writer.line(f"    for (int64_t {j} = 0; {j} < {output.width}; ++{j})")
    writer.line(f"        {output.buffer}[{first} + {output.width} * {lane} + {j}] = {output.tile}[{j}][{lane}];")


def _stores(block: t.Block, output: t.BlockOutput) -> list[t.Statement]:
    """The stores of one iteration to one buffer."""
    first = plus(output.base, times(t.Name(block.index, INT), integer(output.width)))
    return [t.Store(output.buffer, plus(first, integer(k)), output.values[k]) for k in range(output.width)]
