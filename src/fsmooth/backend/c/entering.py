"""Where a function that others call needs the stack and memory: there it asks whether the stack is deep enough, and marks memory.

Of a function over trees that is one branch of its first condition; the other one, for leaves, is left with no more to do than
what it computes.
"""

from __future__ import annotations

from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

_FOR_NOTHING = (
    t.Declare
    | t.Assign
    | t.Store
    | t.For
    | t.While
    | t.If
    | t.Break
    | t.Check
    | t.Demand
    | t.CheckAll
    | t.Fill
    | t.Copy
    | t.Swap
    | t.Choose
    | t.LocalArray
    | t.Unpack
)
"""Statements that call nothing and take no memory, if what is in them does not."""


def entrances(body: t.Body) -> list[t.Body]:
    """The smallest branches outside of which a body calls nothing and takes no memory, or the body itself."""
    needing = 0
    found: list[t.Body] = []
    for s in body:
        if isinstance(s, t.If):
            inner = [*entrances(s.then), *entrances(s.otherwise)]
        else:
            inner = [] if all([isinstance(x, _FOR_NOTHING) for x in walk((s,))]) else [body]
        if inner:
            needing, found = needing + 1, inner
    return found if needing <= 1 else [body]


def calls_something(body: t.Body) -> bool:
    """Is something called there?"""
    return any([isinstance(s, t.Invoke) for s in walk(body)])
