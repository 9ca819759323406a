"""What the names of a function of loops are."""

from __future__ import annotations

from fsmooth.core.types import F64, INT
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
            case t.SaveRegion():
                found[s.name] = t.Parameter(s.name, INT)
            case t.OpenSweep():
                found[s.bars] = t.Parameter(s.bars, F64, pointer=True, output=True)
            case t.NextRegion():
                found |= {name: t.Parameter(name, INT) for name in (s.number, s.first, s.size)}
                found[s.integers] = t.Parameter(s.integers, INT, pointer=True)
                found[s.reals] = t.Parameter(s.reals, F64, pointer=True)
            case t.Parallel():
                found[s.chunk] = t.Parameter(s.chunk, INT)
            case _:
                pass
    return found
