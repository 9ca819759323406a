"""Loops over elements that are assigned in place, each iteration its own, are parallel.

    for j in range(n): rows[i, j] = s * rows[i, j] + c * current[j]

is a fold over the whole of `rows` to a program; as a loop it may run in vectors, and be one with the loops beside it.  So is one
that reads another row of the same matrix, in the same column.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from msgspec.structs import replace

from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.columns import Sizes, keeps_to_columns, sizes_in
from fsmooth.loops.passes.own_elements import OwnElements
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import mentioned_reads, targets


def independent_loops(function: t.Function, _: Names) -> t.Function:
    """Say of loops whose iterations touch elements of their own that they are parallel."""
    places, sizes = Places.of(function.body), sizes_in(function)

    def changed(loop: t.For) -> Sequence[t.Statement]:
        return (replace(loop, kind=t.Kind.PARALLEL) if is_independent(loop, places, sizes) else loop,)

    return each_loop(function, changed)


def is_independent(loop: t.For, places: Places, sizes: Sizes) -> bool:
    """Does no iteration of a sequential loop touch what another one stores?"""
    if loop.kind is not t.Kind.SEQUENTIAL or loop.own or loop.reduced or loop.extrema:
        return False
    stored: set[str] = set()
    for s in loop.body:
        match s:
            case t.Declare(mutable=False) if s.value is not None:
                pass
            case t.Store():
                stored |= targets(s)
            case _:
                return False
    others = mentioned_reads(loop.body) | stored
    if not stored or any([a != b and not places.apart(a, b) for a, b in product(stored, others)]):
        return False
    return OwnElements(loop).all_with_strides() or keeps_to_columns(loop, sizes)
