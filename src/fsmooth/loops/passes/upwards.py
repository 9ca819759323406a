"""Loops whose iterations are independent run upwards: C compilers make no vectors of what is read or written from the end.

    for down in range(n): i = n - 1 - down; a[3*i] += …       becomes       for i in range(n): a[3*i] += …

Reverse mode goes back through loops so.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of
from fsmooth.loops.arithmetic import integer, is_integer, minus, same
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import mentioned


def loops_upwards(function: t.Function, _: Names) -> t.Function:
    """Turn parallel loops that go down, if they read their index for nothing else."""
    return each_loop(function, lambda loop: (turned(loop),))


def turned(loop: t.For) -> t.For:
    """The loop from its start, if it is parallel and each iteration begins with the index from the end."""
    if loop.kind is not t.Kind.PARALLEL:
        return loop
    found: Sequence[t.Statement] = loop.body
    for k, s in enumerate(found):
        if not isinstance(s, t.Declare) or s.mutable:
            return loop
        if s.value is not None and s.type == INT and _counts_down(s.value, loop):
            others = (*loop.body[:k], *loop.body[k + 1 :])
            return loop if loop.index in mentioned(others) else replace(loop, index=s.name, body=others)
    return loop


def _counts_down(e: t.Expression, loop: t.For) -> bool:
    """Is it the size less 1 less the index?"""
    line = stride_of(e, loop.index)
    return line is not None and is_integer(line[1], -1) and same(line[0], minus(loop.size, integer(1)))
