"""Arrays that do not live at the same time share memory, as numbers share registers.

    a: n;  b: n;  c: m;  a = f(x);  b = g(a);  c = h(b)    ~>    M: max(n, m);  b: n;  M = f(x);  b = g(M);  M = h(b)

An array lives from its first mention to its last one, in the order of the statements; through a loop that mentions it, all of
the loop, unless nothing of it lives from one iteration to the next (`For.own`) and nothing outside mentions it.  This is the last
thing done to a function before it is written: whatever looks at loops knows each array by a name of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import same
from fsmooth.loops.rewriting import with_body
from fsmooth.loops.substitution import with_buffers
from fsmooth.loops.usage import bodies_of, changed, declared, names_of, own_names, pointed_to, walk


def with_shared_memory(function: t.Function) -> tuple[t.Function, list[list[str]]]:
    """The function with one array for those that share memory, and which these are, in the order of their lives.

    Only arrays are shared that are taken outside of all loops, and whose length is known where memory is taken for all.
    """
    arrays = [(at, s) for at, s in enumerate(function.body) if isinstance(s, t.Allocate)]
    if len(arrays) < 2 or any([isinstance(s, _HAND_ON) for s in walk(function.body)]):
        return function, []
    lives = _lives(function.body, {s.buffer for _, s in arrays})
    known = _known(function)
    memories: list[_Memory] = []
    order = sorted([x for x in arrays if x[1].buffer in lives], key=lambda x: lives[x[1].buffer].first)
    for at, s in order:
        life = lives[s.buffer]
        if not names_of(s.count) <= known.keys():
            continue
        at = min(at, max([known[name] for name in names_of(s.count)], default=0))
        fitting = [m for m in memories if m.takes(at, s, life)]
        equal = [m for m in fitting if any([same(s.count, x.count) for x in m.arrays])]
        if fitting:
            (equal or fitting)[0].add(at, s, life)
        else:
            memories.append(_Memory(at, life.statement, life.last, [s]))
    shared = [m for m in memories if len(m.arrays) > 1]
    if not shared:
        return function, []
    return with_body(function, _merged(function.body, shared)), [[s.buffer for s in m.arrays] for m in shared]


_HAND_ON = t.Invoke | t.Keep | t.Reserve | t.Pack | t.KeepTape | t.OpenTape | t.OpenSweep | t.OpenBars
"""What may keep a pointer to an array, or runs its statements otherwise than in their order."""


class _Life(Struct):
    """Of an array: its first and last mention, counted over all statements, and the outermost statement of the first."""

    first: int
    last: int
    statement: int


class _Memory(Struct):
    """Arrays, one after the other: from where on the lengths of all are known, where the first is mentioned, and the last mention
    of all.
    """

    known: int
    mentioned: int
    last: int
    arrays: list[t.Allocate]

    def takes(self, at: int, s: t.Allocate, life: _Life) -> bool:
        """Is all done by then, and can memory for all be taken before the first mention?"""
        return self.last < life.first and max(self.known, at) <= self.mentioned and self.arrays[0].type == s.type

    def add(self, at: int, s: t.Allocate, life: _Life) -> None:
        self.known, self.last = max(self.known, at), life.last
        self.arrays.append(s)

    def count(self) -> t.Expression:
        """Numbers for the longest."""
        different: list[t.Expression] = []
        for s in self.arrays:
            if not any([same(s.count, x) for x in different]):
                different.append(s.count)
        found = different[0]
        for x in different[1:]:
            found = t.Operation(p.maximum, (found, x), INT)
        return found


def _lives(body: t.Body, arrays: set[str]) -> dict[str, _Life]:
    """When each array lives."""
    inside: dict[t.Statement, dict[str, int]] = {}  # of loops: how often they mention each array
    total: dict[str, int] = {}
    pointers = pointed_to(body)

    def mentions(s: t.Statement) -> set[str]:
        names = own_names(s) if not isinstance(s, t.Allocate) else set()
        return arrays & names.union(*[pointers[x] for x in names if x in pointers])

    def count(part: Sequence[t.Statement], around: tuple[dict[str, int], ...]) -> None:
        for s in part:
            for name in mentions(s):
                for counts in (total, *around):
                    counts[name] = counts.get(name, 0) + 1
            within = around
            if bodies_of(s):
                inside[s] = {}
                within = (*around, inside[s])
            for inner in bodies_of(s):
                count(inner, within)

    count(body, ())
    lives: dict[str, _Life] = {}
    position = 0

    def live(name: str, first: int, last: int, statement: int) -> None:
        known = lives.setdefault(name, _Life(first, last, statement))
        known.first, known.last = min(known.first, first), max(known.last, last)

    def visit(part: Sequence[t.Statement], statement: int | None) -> None:
        nonlocal position
        for k, s in enumerate(part):
            outermost = k if statement is None else statement
            start = position
            position += 1
            for name in mentions(s):
                live(name, start, start, outermost)
            for inner in bodies_of(s):
                visit(inner, outermost)
            if isinstance(s, t.If | t.Outlined):
                continue
            own = s.own if isinstance(s, t.For) else ()
            for name, times in inside.get(s, {}).items():
                if name not in own or times < total[name]:
                    live(name, start, position - 1, outermost)

    visit(body, None)
    return lives


def _known(function: t.Function) -> dict[str, int]:
    """Names of numbers that are the same wherever they are known, and from which statement on they are."""
    found = {q.name: 0 for q in function.parameters if not q.pointer}
    found |= {name: k + 1 for k, s in enumerate(function.body) if isinstance(s, t.Declare) for name in declared(s)}
    never = changed(function.body)
    return {name: k for name, k in found.items() if name not in never}


def _merged(body: t.Body, memories: Sequence[_Memory]) -> t.Body:
    names = {s.buffer: f"fs_memory_{k + 1}" for k, m in enumerate(memories) for s in m.arrays}
    first: dict[int, list[t.Statement]] = {}
    for m in memories:
        taken = replace(m.arrays[0], buffer=names[m.arrays[0].buffer], count=m.count())
        first.setdefault(m.mentioned, []).append(taken)
    found: list[t.Statement] = []
    for at, s in enumerate(body):
        found += first.get(at, ())
        if not (isinstance(s, t.Allocate) and s.buffer in names):
            found.append(s)
    return with_buffers(tuple(found), names)
