"""Products of matrices that a BLAS is asked to compute, and what is said of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import is_integer
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.show import show_body
from fsmooth.loops.usage import walk


def by_blas(function: t.Function, _: Names) -> t.Function:
    """The pass: whether BLAS takes a product, its kernel finds out when it knows sizes and strides."""
    return with_body(function, _marked(function.body))


def _marked(body: t.Body) -> t.Body:
    found = [replace(s, blas=True) if isinstance(s, t.Multiply) else with_bodies(s, _marked) for s in body]
    return same_or(body, found)


def told(functions: Sequence[t.Function]) -> list[str]:
    """For people: which products of matrices go to BLAS, and why others do not."""
    found: dict[str, None] = {}
    for s in products_in(functions):
        found[f"{show_body([replace(s, blas=False)])}: {_told_of(s)}"] = None
    return list(found)


def products_in(functions: Sequence[t.Function]) -> Iterator[t.Multiply]:
    """The products of matrices among the statements of functions."""
    for function in functions:
        yield from [s for s in walk(function.body) if isinstance(s, t.Multiply)]


def _told_of(s: t.Multiply) -> str:
    sizes = [size.value for size in (s.rows, s.columns, s.summed) if isinstance(size, t.Literal)]
    least = thresholds.BLAS_VECTOR_WORK if 1 in sizes[:2] else thresholds.BLAS_WORK
    if len(sizes) == 3 and sizes[0] * sizes[1] * sizes[2] < least:
        return f"own kernel, these are fewer than {least:,} products of numbers"
    for matrix in (s.left, s.right, s.target):
        if not is_integer(matrix.row, 1) and not is_integer(matrix.column, 1):
            return f"own kernel, neither rows nor columns of {matrix.buffer} lie side by side, unless sizes are 1"
    return f"{'dgemm' if s.type.width == 64 else 'sgemm'} from {least:,} products of numbers on"
