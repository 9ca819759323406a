"""Loops that add up what is read through an index, `sum += a[j] * x[k[j]]`, as the rows of sparse matrices are.

Compilers make the widest vectors of them, of which each element is loaded by itself: what is left over at the end of a short
loop, and the sum of the elements of a vector, then cost more than the vectors save.  With vectors of 32 bytes they do not, and
few iterations are run one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth import thresholds
from fsmooth.core.types import Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside
from fsmooth.loops.usage import expressions_of, names_of, walk
from fsmooth.loops.vector_math import VECTOR_MATH

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter

_BITS = 256


def lanes_of_gather(loop: t.For) -> int | None:
    """How many iterations at once, if the loop adds up numbers that are read through an index and computes nothing slow."""
    if not loop.simd or not loop.reduced or loop.extrema:
        return None
    found = list(inside(*[e for s in walk(loop.body) for e in expressions_of(s)]))
    if any([isinstance(e, t.Operation) and e.primitive in VECTOR_MATH for e in found]):
        return None
    widths = {e.type.width for e in found if isinstance(e, t.Load) and isinstance(e.type, Float)}
    return _BITS // max(widths) if widths and _gathers(loop) else None


def _gathers(loop: t.For) -> bool:
    """Is there an index that is another element in each iteration?"""
    varying, read = {loop.index}, set[str]()
    for s in walk(loop.body):
        for e in inside(*expressions_of(s)):
            if isinstance(e, t.Load) and (not read.isdisjoint(names_of(e.index)) or _reads(e.index, varying)):
                return True
        if isinstance(s, t.Declare) and s.value is not None:
            if not read.isdisjoint(names_of(s.value)) or _reads(s.value, varying):
                read.add(s.name)
            if not varying.isdisjoint(names_of(s.value)):
                varying.add(s.name)
    return False


def _reads(e: t.Expression, varying: set[str]) -> bool:
    """Does it read an element at an index that varies?"""
    return any([isinstance(x, t.Load) and not varying.isdisjoint(names_of(x.index)) for x in inside(e)])


def write_gather(writer: StatementWriter, loop: t.For, lanes: int) -> None:
    """The loop in vectors, and before that, unless its length is known, for few iterations without."""
    if isinstance(loop.size, t.Literal):
        _in_vectors(writer, loop, lanes)
        return
    writer.line(f"if ({writer.e.write(loop.size, 5)} < {thresholds.FEW_GATHERED}) {{")
    writer.depth += 1
    writer.features.add("scalar")  # or gcc makes vectors to multiply, and takes them apart to add
    writer.line("FS_SCALAR")
    writer.iterations(loop)
    writer.depth -= 1
    writer.line("} else {")
    writer.depth += 1
    _in_vectors(writer, loop, lanes)
    writer.depth -= 1
    writer.line("}")


def _in_vectors(writer: StatementWriter, loop: t.For, lanes: int) -> None:
    outer, writer.e.vector = writer.e.vector, True
    writer.lines.append(f"#pragma omp simd reduction(+:{', '.join(loop.reduced)}) simdlen({lanes})")
    writer.iterations(loop)
    writer.e.vector = outer
