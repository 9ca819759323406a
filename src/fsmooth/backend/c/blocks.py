"""Loops over blocks of iterations with transposed stores (lower/blocking.py says when and why)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.backend.c.names import c_type
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus, times

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter


def write_block(writer: StatementWriter, block: t.Block) -> None:
    """The blocks, then what remains of the iterations."""
    writer.site(block.site)
    size, start = writer.e.write(block.size, 5), f"{block.index}_block"
    writer.line("{")
    writer.depth += 1
    writer.line(f"int64_t {start} = 0;")
    writer.line(f"for (; {start} + {block.lanes} <= {size}; {start} += {block.lanes}) {{")
    writer.depth += 1
    _tiles(writer, block, start)
    for output in block.outputs:
        _transpose(writer, block, output, start)
    writer.depth -= 1
    writer.line("}")
    writer.line(f"for (int64_t {block.index} = {start}; {block.index} < {size}; ++{block.index}) {{")
    writer.nested([*block.body, *_stores(block)])
    writer.line("}")
    writer.depth -= 1
    writer.line("}")


def _tiles(writer: StatementWriter, block: t.Block, start: str) -> None:
    """Compute `lanes` iterations into tiles."""
    for output in block.outputs:
        type_ = c_type(output.type)
        writer.line(f"{type_} {output.tile}[{output.width}][{block.lanes}] __attribute__((aligned(64)));")
    outer, writer.e.vector = writer.e.vector, True
    writer.lines.append("#pragma omp simd")
    writer.line(f"for (int64_t lane = 0; lane < {block.lanes}; ++lane) {{")
    writer.depth += 1
    writer.line(f"const int64_t {block.index} = {start} + lane;")
    writer.body(block.body)
    for output in block.outputs:
        for k in range(output.width):
            writer.line(f"{output.tile}[{k}][lane] = {writer.e.write(output.values[k])};")
    writer.depth -= 1
    writer.line("}")
    writer.e.vector = outer


def _transpose(writer: StatementWriter, block: t.Block, output: t.BlockOutput, start: str) -> None:
    """Copy a tile to where it belongs."""
    first = plus(output.base, times(t.Name(start, INT), integer(output.width)))
    writer.line(f"for (int64_t lane = 0; lane < {block.lanes}; ++lane)")
    writer.line(f"    for (int64_t j = 0; j < {output.width}; ++j)")
    at = f"{writer.e.write(first, 5)} + {output.width} * lane + j"
    writer.line(f"        {output.buffer}[{at}] = {output.tile}[j][lane];")


def _stores(block: t.Block) -> list[t.Statement]:
    """The stores of one iteration."""
    index = t.Name(block.index, INT)
    found: list[t.Statement] = []
    for output in block.outputs:
        first = plus(output.base, times(index, integer(output.width)))
        found.extend([t.Store(output.buffer, plus(first, integer(k)), output.values[k]) for k in range(output.width)])
    return found
