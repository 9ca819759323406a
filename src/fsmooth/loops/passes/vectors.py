"""Which loops are written with vectors: sums, and what runs in strips, of neighbouring numbers that are only added,
subtracted, multiplied and divided.  The C compiler is left no choice there (backend/c/lanes.py says why).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import F64, Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import is_next
from fsmooth.loops.names import Names
from fsmooth.loops.passes.accesses import without_places
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import names_of

_ARITHMETIC = frozenset((p.add, p.subtract, p.multiply, p.divide, p.negate))


def write_vectors(function: t.Function, _: Names) -> t.Function:
    """Have the loops that were marked `simd` written with vectors, where these can say what the loops do."""

    def changed(loop: t.For) -> Sequence[t.Statement]:
        if not loop.simd or loop.extrema:
            return (loop,)
        body = without_places(loop.body)
        if is_arithmetic(body, loop.index):
            return (replace(loop, body=body, simd=False, vectors=t.Vectors.WRITTEN),)
        return (loop,)

    return each_loop(function, changed)


def is_arithmetic(body: Sequence[t.Statement], index: str) -> bool:
    """Does the loop over `index` only add, subtract, multiply and divide neighbouring numbers, all of one width?"""
    varying = {index}
    width = width_of(body)
    for s in body:
        if isinstance(s, t.Store) and not is_next(s.index, index, varying):
            return False
        value = s.value if isinstance(s, t.Declare | t.Assign | t.Store) else None
        if value is None or value.type != width or not _is_arithmetic(value, index, varying):
            return False
        if isinstance(s, t.Declare) and not varying.isdisjoint(names_of(value)):
            varying.add(s.name)
    return True


def width_of(body: Sequence[t.Statement]) -> Float:
    """The numbers that the loop with this body computes first."""
    for s in body:
        if isinstance(s, t.Declare | t.Assign | t.Store) and s.value is not None and isinstance(s.value.type, Float):
            return s.value.type
    return F64


def _is_arithmetic(e: t.Expression, index: str, varying: set[str]) -> bool:
    if varying.isdisjoint(names_of(e)):
        return True
    match e:
        case t.Name(name):
            return name != index
        case t.Load(_, at):
            return is_next(at, index, varying)
        case t.Operation(primitive, arguments) if primitive in _ARITHMETIC:
            return all([_is_arithmetic(a, index, varying) for a in arguments])
        case _:
            return False
