"""Inner loops that are the same in every iteration of a loop run once before it.

Earlier stages move what they can, but not a computation that may fail out of a loop that may not run.  Here both go
under one condition:

    for i < n: { for t < m: h = …;  sum += h[i] }   ~>   if 0 < n: { for t < m: h = …;  for i < n: sum += h[i] }

if what the inner loop reads does not change, and what it writes belongs to one iteration alone.
"""

from __future__ import annotations

from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import positive
from fsmooth.loops.usage import buffers_of, changed, mentioned_reads, pointed_to, walk, with_pointed_to
from fsmooth.lower.checks import declared

_LONG = 400
"""Bodies of more statements are left alone, so that lowering stays linear."""


def hoist_loops(loop: t.For, private: set[str]) -> list[t.Statement]:
    """Take invariant inner loops, and the definitions they need, out of the body; `private` is memory of one iteration.

    What is returned must run before the loop, if the loop runs at all.
    """
    body = loop.body
    if len(body) > _LONG or not any([isinstance(s, t.For | t.Block) for s in body]):
        return []
    for position, s in enumerate(body):
        if isinstance(s, t.Break):
            body = body[:position]
            break
    behind = pointed_to(loop.body)
    writes = [_written(s) if isinstance(s, t.Choose) else with_pointed_to(_written(s), behind) for s in body]
    reads = [with_pointed_to(mentioned_reads([s]), behind) for s in body]
    own = private | {name for s in body for name in declared(s) if not isinstance(s, t.For | t.Block)}
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
    loop: t.For, body: list[t.Statement], fixed: list[bool], reads: list[set[str]], writes: list[set[str]]
) -> list[t.Statement]:
    """The invariant inner loops and what they need."""
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
        return []
    moved = [s for k, s in enumerate(body) if k in taken]
    loop.body[:] = [s for s in loop.body if not any([s is m for m in moved])]
    return moved


def guarded(loop: t.For, moved: list[t.Statement], rest: t.Statement) -> list[t.Statement]:
    """`moved`, then the loop (as `rest`), if the loop runs at all."""
    if not moved:
        return [rest]
    condition = positive(loop.size)
    if isinstance(condition, t.Literal):
        return [*moved, rest] if condition.value else []
    return [t.If(condition, [*moved, rest])]


def _written(s: t.Statement) -> set[str]:
    """What a statement changes or introduces, but not what exists only inside it."""
    inner = {name for x in walk([s]) if x is not s for name in declared(x)}
    own = () if isinstance(s, t.For | t.Block) else declared(s)
    return (changed([s]) - inner) | set(own)
