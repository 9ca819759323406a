"""Updates of a matrix, or of rows of one, in a loop are gathered, and added as one product of matrices.

    for t: …; for i: for k: A[i, k] += x[i] * y[k]; …

    ~>   c = 0;  for t: …; X[c] = x; Y[c] = y; if (++c == 32) { A += Xᵀ Y; c = 0; } …;  A += Xᵀ Y

Each number of A is added up in another order than before, that of 32 updates by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.update_nests import update_of
from fsmooth.loops.passes.updates import Gathered, Update, steady
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed, declared, is_only_added_to, own_names, walk


def gather_updates(function: t.Function, names: Names) -> t.Function:
    """Gather the updates that loops make in each iteration, or in some, to what they do not read."""
    return with_body(function, _Updates(function, names).within(function.body))


class _Updates:
    """Those of a function."""

    def __init__(self, function: t.Function, names: Names) -> None:
        self.names = names
        self.places = Places.of(function.body)

    def within(self, body: t.Body) -> t.Body:
        """Statements with the updates of the loops among them gathered, of the loops inside these first."""
        found: list[t.Statement] = []
        for s in body:
            new = with_bodies(s, self.within)
            found.extend(self.around(new) if isinstance(new, t.For | t.While) else [new])
        return same_or(body, found)

    def around(self, loop: t.For | t.While) -> Sequence[t.Statement]:
        """A loop, with storage for what it gathers before it, and what is left of that after it."""
        if isinstance(loop, t.For) and (loop.kind is t.Kind.PARALLEL or isinstance(loop.size, t.Literal)):
            return (loop,)
        updates = [(s, update) for s in _steps(loop.body) if (update := update_of(s)) is not None]
        if not updates:
            return (loop,)
        inside = {name for s in walk([loop]) for name in declared(s)}
        varying = changed([loop]) | inside
        others = {name for s in walk([loop]) for name in own_names(s)}
        found: dict[t.Statement, Update] = {}
        for s, update in updates:
            if not steady(update).isdisjoint(varying) or update.buffer in inside:
                continue
            rest = replace(loop, body=_with(loop.body, {s: ()}))
            is_alone = self.places.all_apart((update.buffer,), others - {update.buffer})
            is_read_only = self.places.all_apart(update.reads, varying)
            if is_alone and is_read_only and is_only_added_to((rest,), update.buffer):
                found[s] = update
        if not found:
            return (loop,)
        before: list[t.Statement] = []
        after: list[t.Statement] = []
        gathered: dict[t.Statement, t.Body] = {}
        for s, update in found.items():
            at = Gathered.of(update, self.names)
            before += at.opened(update)
            after += at.added(update, self.names)
            gathered[s] = at.put(update, self.names)
        return [*before, replace(loop, body=_with(loop.body, gathered)), *after]


def _steps(body: t.Body) -> Iterator[t.Statement]:
    """What an iteration does, under conditions too."""
    for s in body:
        if isinstance(s, t.If):
            yield from _steps(s.then)
            yield from _steps(s.otherwise)
        else:
            yield s


def _with(body: t.Body, new: Mapping[t.Statement, t.Body]) -> t.Body:
    """What an iteration does, with others in place of some of these statements."""

    def within(s: t.Statement) -> t.Body:
        return (with_bodies(s, lambda inner: _with(inner, new)),) if isinstance(s, t.If) else (s,)

    return same_or(body, [x for s in body for x in (new[s] if s in new else within(s))])
