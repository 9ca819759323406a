"""What the names of a function of loops are."""

from __future__ import annotations

from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk


def types_of(function: t.Function) -> dict[str, t.Parameter]:
    """What each name of a function is: a number, or a pointer to numbers that may be written or not."""
    found = {q.name: q for q in function.parameters}
    for s in walk(function.body):
        match s:
            case t.Declare():
                found[s.name] = t.Parameter(s.name, s.type)
            case t.Allocate() | t.LocalArray() | t.Keep():
                found[s.buffer] = t.Parameter(s.buffer, s.type, pointer=True, output=True)
            case t.Choose():
                found[s.pointer] = t.Parameter(s.pointer, s.type, pointer=True, output=True)
            case t.For() | t.Block() | t.CheckAll():
                found[s.index] = t.Parameter(s.index, INT)
            case t.Entry():
                found[s.name] = t.Parameter(s.name, INT)
            case t.Parallel():
                found[s.chunk] = t.Parameter(s.chunk, INT)
            case _:
                pass
    return found
