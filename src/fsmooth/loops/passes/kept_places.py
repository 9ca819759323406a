"""Arrays that are kept for the way back are computed where they are kept.

    a = take(n); for i < n: a[i] = …; kept = keep(n); copy(kept, a, n)       becomes       a = keep(n); for i < n: a[i] = …

if nothing changes a after the copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import is_integer, same
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.substitution import with_buffers
from fsmooth.loops.usage import changed, walk


def kept_where_computed(function: t.Function, _: Names) -> t.Function:
    """Take memory that is kept for arrays of which nothing but a copy would be."""
    if not any([isinstance(s, t.Keep) for s in walk(function.body)]):
        return function
    names: dict[str, str] = {}

    def placed(body: t.Body) -> t.Body:
        found = _placed([with_bodies(s, placed) for s in body], names)
        return same_or(body, found)

    body = placed(function.body)
    return with_body(function, with_buffers(body, names) if names else body)


def _placed(body: Sequence[t.Statement], names: dict[str, str]) -> Sequence[t.Statement]:
    """The statements without copies of arrays that are taken here; `names` are those of the arrays in the place of the copies."""
    keeps = {s.buffer: s for s in body if isinstance(s, t.Keep)}
    if not keeps:
        return body
    taken = {s.buffer: s for s in body if isinstance(s, t.Allocate) and s.room is None}
    others = {name for s in walk(body) if isinstance(s, t.Choose | t.Swap) for name in _pointed(s)}
    later: set[str] = set()
    copied: dict[str, str] = {}
    gone: set[t.Statement] = set()
    for s in reversed(body):
        if (
            isinstance(s, t.Copy)
            and s.target in keeps
            and s.source in taken
            and _is_whole(s, keeps[s.target], taken[s.source])
        ):
            if s.source not in later | others | copied.keys():
                copied[s.source] = s.target
                gone |= {s, keeps[s.target]}
        later |= changed((s,))
    names |= {kept: array for array, kept in copied.items()}
    return [
        t.Keep(s.buffer, s.type, s.count) if isinstance(s, t.Allocate) and s.buffer in copied else s
        for s in body
        if s not in gone
    ]


def _is_whole(s: t.Copy, kept: t.Keep, taken: t.Allocate) -> bool:
    starts = is_integer(s.target_offset, 0) and is_integer(s.source_offset, 0)
    return starts and taken.type == kept.type and same(s.count, kept.count) and same(taken.count, kept.count)


def _pointed(s: t.Choose | t.Swap) -> Sequence[str]:
    if isinstance(s, t.Swap):
        return s.left, s.right
    return [name for name in (s.pointer, s.then, s.otherwise) if name is not None]
