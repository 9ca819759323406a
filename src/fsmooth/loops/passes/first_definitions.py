"""What an innermost loop reads that is the same in each iteration is read before it, if it runs.

    for f < n: { k = i[m];  s += u[k * n + f] * w[f] }   ~>   if 0 < n: { k = i[m];  for f < n: s += u[k * n + f] * w[f] }

An index that is read from an array may be read only where it is asked for: code motion leaves it in the loop.  But what the first
iteration begins with is read whenever the loop runs.  Only where the rest then can be written in vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO
from fsmooth.loops.names import Names
from fsmooth.loops.passes.accesses import without_places
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.vectors import is_arithmetic
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import changed, declared, names_of, targets, walk


def definitions_before_loops(function: t.Function, _: Names) -> t.Function:
    """Move what loops begin with before them, where it is the same in each iteration."""
    places = Places.of(function.body)

    def change(loop: t.For) -> Sequence[t.Statement]:
        inside = list(walk(loop.body))
        if not loop.simd or isinstance(loop.size, t.Literal) or any([isinstance(s, t.For | t.While) for s in inside]):
            return (loop,)
        steady = _steady(loop, inside, places)
        new = replace(loop, body=tuple([s for s in loop.body if s not in steady]))
        if not steady or not is_arithmetic(without_places(new.body), loop.index):
            return (loop,)
        return (t.If(t.Operation(p.less, (ZERO, loop.size), BOOL), (*steady, new), ()),)

    return each_loop(function, change)


def _steady(loop: t.For, inside: Sequence[t.Statement], places: Places) -> list[t.Statement]:
    """The definitions that a body begins with, and that read what the loop does not change."""
    varying = {loop.index} | changed(loop.body) | {name for s in inside for name in declared(s)}
    stored = {name for s in inside for name in targets(s)}
    found: list[t.Statement] = []
    for s in loop.body:
        if not isinstance(s, t.Declare) or s.value is None or s.mutable:
            break
        read = names_of(s.value)
        if read.isdisjoint(varying) and places.all_apart(read, stored):
            varying.discard(s.name)
            found.append(s)
    return found
