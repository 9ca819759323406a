"""Loops that write many scalars an iteration run over blocks of iterations (design §6; c-facts, "Layout").

A body like that of a Jacobian, `build n (k. [[22 scalars]])`, does not vectorise well as it stands: its stores are 22
apart.  Over blocks of `LANES` iterations, an inner loop computes all lanes at once into a tile, tile[j][lane], which is
then copied, transposed, to where it belongs.  The last iterations run one by one.

Before: a parallel loop over straight-line code.  After: the same as a `Block`, if it writes, to every buffer, the
same number of neighbouring scalars in each iteration, and nothing in it needs to stay scalar.  What goes one scalar after the
other to arrays of their own vectorises as it stands: then only rows that are read are a reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, is_integer, plus, same, times, zero_of
from fsmooth.loops.names import Names
from fsmooth.loops.passes.rows import with_rows
from fsmooth.loops.passes.vectorise import stays_scalar
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import expressions_of, names_in, names_of

LANES = 8
"""Iterations in a block."""


class _Place(Struct, frozen=True):
    """The index `base + width * i + position`."""

    base: t.Expression
    width: int
    position: int


def in_blocks(function: t.Function, names: Names) -> t.Function:
    """Run loops that write many scalars an iteration over blocks of iterations."""

    def changed(loop: t.For) -> Sequence[t.Statement]:
        return (_blocked(loop, names, function.facts) or loop,)

    return each_loop(function, changed)


def _blocked(loop: t.For, names: Names, facts: t.Facts) -> t.Block | None:
    """The loop as a `Block`, or None if it is better as it is."""
    if loop.kind is not t.Kind.PARALLEL or (isinstance(loop.size, t.Literal) and int(loop.size.value) < 2 * LANES):
        return None
    values: dict[str, list[tuple[_Place, t.Expression]]] = {}
    body: list[t.Statement] = []
    inside = {loop.index}
    for s in loop.body:
        match s:
            case t.Declare() if s.value is not None and not s.mutable:
                inside.add(s.name)
                body.append(s)
            case t.Store() if not s.accumulate:
                place = _place(s.index, loop.index)
                if place is None:
                    return None
                values.setdefault(s.buffer, []).append((place, s.value))
            case t.Fill(buffer, offset, t.Literal(count)):
                place = _place(offset, loop.index)
                if place is None or place.position + int(count) > thresholds.TILE:
                    return None
                for k in range(int(count)):
                    at = _Place(place.base, place.width, place.position + k)
                    values.setdefault(buffer, []).append((at, zero_of(s.type)))
            case _:
                return None
        if any([stays_scalar(e) for e in expressions_of(s)]):
            return None
    apart = sum([len(stores) for stores in values.values() if stores[0][0].width > 1])
    if apart < thresholds.BLOCK_STORES and len(body) < thresholds.BLOCK_DEFINITIONS:
        return None
    outputs = [_output(names, buffer, stores, inside) for buffer, stores in values.items()]
    if any([o is None for o in outputs]):
        return None
    found = [o for o in outputs if o is not None]
    if _reads(body, found) or sum([o.width for o in found]) > thresholds.TILE:
        return None
    start, lane = names.fresh(f"{loop.index}_block"), names.fresh("lane")
    block = t.Block(loop.index, loop.size, tuple(body), tuple(found), LANES, start, lane, loop.site)
    block = with_rows(block, names, facts.row_sizes)
    return block if block.rows or apart else None


def _output(
    fresh: Names, buffer: str, stores: list[tuple[_Place, t.Expression]], inside: set[str]
) -> t.BlockOutput | None:
    """What goes to one buffer, if the stores of an iteration fill a contiguous piece."""
    first = stores[0][0]
    lowest = min([place.position for place, _ in stores])
    values: dict[int, t.Expression] = {}
    for place, value in stores:
        if place.width != first.width or not same(place.base, first.base):
            return None
        values[place.position - lowest] = value
    if sorted(values) != list(range(first.width)):
        return None
    names = names_of(first.base)
    if names & inside:
        return None
    base = plus(first.base, t.Literal(lowest, INT))
    return t.BlockOutput(buffer, base, first.width, values, values[0].type, fresh.beside(buffer, "tile"))


def _reads(body: list[t.Statement], outputs: list[t.BlockOutput]) -> bool:
    """Is a buffer that is written also read?"""
    names: set[str] = set()
    for s in body:
        for e in expressions_of(s):
            names_in(e, names)
    for output in outputs:
        for value in output.values.values():
            names_in(value, names)
    return any([o.buffer in names for o in outputs])


def _place(e: t.Expression, index: str) -> _Place | None:
    """`e` as base + width * index + position with a positive literal width; None if it has another form."""
    names = names_of(e)
    if index not in names:
        if isinstance(e, t.Literal):
            return _Place(ZERO, 0, int(e.value))
        return _Place(e, 0, 0)
    match e:
        case t.Name():
            return _Place(ZERO, 1, 0)
        case t.Operation(p.add, (a, b)):
            left, right = _place(a, index), _place(b, index)
            if left is None or right is None:
                return None
            return _Place(plus(left.base, right.base), left.width + right.width, left.position + right.position)
        case t.Operation(p.multiply, (a, t.Literal(factor)) | (t.Literal(factor), a)):
            inner = _place(a, index)
            if inner is None:
                return None
            f = int(factor)
            base = inner.base if is_integer(inner.base, 0) else times(inner.base, t.Literal(f, INT))
            return _Place(base, inner.width * f, inner.position * f)
        case _:
            return None
