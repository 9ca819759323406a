"""Inner loops that are the same in every iteration of a loop run once before it.

Earlier stages move what they can, but not a computation that may fail out of a loop that may not run.  Here both go
under one condition:

    for i < n: { for t < m: h = …;  sum += h[i] }   ~>   if 0 < n: { for t < m: h = …;  for i < n: sum += h[i] }

if what the inner loop reads does not change, and what it writes belongs to one iteration alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import positive
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import buffers_of, changed, declared, mentioned_reads, pointed_to, walk, with_pointed_to


def invariant_loops(function: t.Function, _: Names) -> t.Function:
    """Run loops that are the same in every iteration of the loop around once before it."""
    return each_loop(function, _hoisted)


def _hoisted(loop: t.For) -> Sequence[t.Statement]:
    """Invariant inner loops and the definitions they need, if the loop runs at all, then what is left of it."""
    body = loop.body
    if len(body) > thresholds.INVARIANT_STATEMENTS or not any([isinstance(s, t.For | t.Block) for s in body]):
        return (loop,)
    for position, s in enumerate(body):
        if isinstance(s, t.Break):
            body = body[:position]
            break
    behind = pointed_to(loop.body)
    writes = [_written(s) if isinstance(s, t.Choose) else with_pointed_to(_written(s), behind) for s in body]
    reads = [with_pointed_to(mentioned_reads([s]), behind) for s in body]
    own = {*loop.own} | {name for s in body for name in declared(s) if not isinstance(s, t.For | t.Block)}
    varying = {
        loop.index,
        *[name for s in loop.body for name in with_pointed_to(_written(s), behind) if name not in own],
    }
    for s in body:
        if isinstance(s, t.Choose) and not buffers_of(s) <= own:
            varying.add(s.pointer)
    fixed = [
        isinstance(s, t.For | t.Block | t.Declare | t.Choose | t.LocalArray | t.Fill | t.Copy | t.Store) for s in body
    ]
    fixed = [ok or isinstance(s, t.Assign | t.Swap) for ok, s in zip(fixed, body, strict=True)]
    for s in loop.body[len(body) :]:
        varying |= with_pointed_to(_written(s), behind)
    changing = True
    while changing:
        changing = False
        for k in range(len(body)):
            if (
                fixed[k]
                and varying.isdisjoint(reads[k])
                and varying.isdisjoint(writes[k])
                and _movable(k, fixed, reads, writes)
            ):
                continue
            if fixed[k] or not writes[k] <= varying:
                fixed[k] = False
                varying |= writes[k]
                changing = True
    return _take(loop, body, fixed, reads, writes)


def _movable(k: int, fixed: list[bool], reads: list[set[str]], writes: list[set[str]]) -> bool:
    """May statement k go before those that stay?"""
    for j in range(k):
        if not fixed[j] and not writes[k].isdisjoint(reads[j] | writes[j]):
            return False
    return True


def _take(
    loop: t.For, body: t.Body, fixed: list[bool], reads: list[set[str]], writes: list[set[str]]
) -> Sequence[t.Statement]:
    """The invariant inner loops and what they need, and the rest."""
    wanted: set[str] = set()
    taken: set[int] = set()
    grew = True
    while grew:
        grew = False
        for k, s in enumerate(body):
            if fixed[k] and k not in taken and (isinstance(s, t.For | t.Block) or not writes[k].isdisjoint(wanted)):
                taken.add(k)
                wanted |= reads[k] | writes[k]
                grew = True
    if not any([isinstance(body[k], t.For | t.Block) for k in taken]):
        return (loop,)
    moved = [s for k, s in enumerate(body) if k in taken]
    stay = tuple([s for k, s in enumerate(loop.body) if k not in taken])
    condition = positive(loop.size)
    whole = (*moved, replace(loop, body=stay)) if stay else tuple(moved)
    if isinstance(condition, t.Literal):
        return whole if condition.value else ()
    return (t.If(condition, whole),)


def _written(s: t.Statement) -> set[str]:
    """What a statement changes or introduces, but not what exists only inside it."""
    inner = {name for x in walk([s]) if x is not s for name in declared(x)}
    own = () if isinstance(s, t.For | t.Block) else declared(s)
    return (changed([s]) - inner) | set(own)
