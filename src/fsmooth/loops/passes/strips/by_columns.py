"""Loops of which each iteration reads columns of matrices, or goes on from number to number, run over strips of iterations.

    for i < n: { s = 0;  for k < m: s += f(a[k * n + i]);  total += g(s) }
    ~>  for each strip of 64 columns: { for l: s[l] = 0;  for k < m: for l: s[l] += f(a[k * n + start + l]);
                                        for l: total += g(s[l]) }

Column after column, what is read one after the other lies n numbers apart: vectors would be gathered number by number, and of
each line of the cache one number be used.  And a recurrence (`for k < m: s = f(s, …)`) takes the operations of a step one
after the other; side by side, 16 of them keep the processor busy.

This is scalar expansion, loop distribution and interchange (R. Allen, K. Kennedy, Optimizing Compilers for Modern
Architectures, 2001, §5), which expansion.py does.  Matrices that are set to zero before such a loop, of which each iteration
touches its column only, are set to zero strip by strip.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import Enum

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.loops import tree as t
from fsmooth.loops.affine import row_of, rows_of, stride_of
from fsmooth.loops.arithmetic import is_integer
from fsmooth.loops.names import Names
from fsmooth.loops.passes.sharing import plain
from fsmooth.loops.passes.strips.expansion import Columns, Cutting, NoColumns
from fsmooth.loops.passes.strips.strip import RECURRENCES, WIDTH
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import (
    bodies_of,
    loads_of,
    names_of,
    occurrences,
    own_names,
    pointed_to,
    targets,
    walk,
)


def by_columns(function: t.Function, names: Names) -> t.Function:
    """The pass."""
    cutting = _Function(function, names)
    return with_body(function, cutting.with_longer(cutting.body(function.body)))


class _Function:
    """What is known of a whole function."""

    def __init__(self, function: t.Function, names: Names) -> None:
        self.names = names
        self.storage = {s.buffer: s for s in walk(function.body) if isinstance(s, t.Allocate | t.LocalArray)}
        self.uses = occurrences(function.body)
        self.pointed: set[str] = set().union(*pointed_to(function.body).values())
        """Buffers that have other names, too."""
        self.longer: dict[str, Cutting] = {}
        """Arrays of a column that have those of a strip."""
        self.assigned = {s.name for s in walk(function.body) if isinstance(s, t.Assign)}

    def body(self, body: t.Body) -> t.Body:
        """Look at each statement, the outermost loops first."""
        found: list[t.Statement] = []
        for s in body:
            zeros = [x for x in _zeros(found, s) if x.buffer not in self.pointed] if isinstance(s, t.For) else []
            instead = self.in_strips(s, zeros) if isinstance(s, t.For) else None
            if instead is None:
                found.append(with_bodies(s, self.body))
            else:
                found = [*[x for x in found if x not in zeros], *instead]
        return same_or(body, found)

    def with_longer(self, body: t.Body) -> t.Body:
        """Memory for a strip of columns instead of a single one, where it is not too much."""
        if not self.longer:
            return body
        found: list[t.Statement] = []
        for s in body:
            new = with_bodies(s, self.with_longer)
            if isinstance(new, t.Allocate) and new.buffer in self.longer:
                new = replace(new, count=self.longer[new.buffer].room(new.count))
            elif isinstance(new, t.LocalArray) and new.buffer in self.longer:
                new = replace(new, count=new.count * self.longer[new.buffer].width)
            found.append(new)
        return tuple(found)

    def in_strips(self, loop: t.For, zeros: Sequence[t.Fill]) -> Sequence[t.Statement] | None:
        """The loop over strips of columns, and its memory; None if that wins nothing, or it does something else besides."""
        if loop.kind not in (t.Kind.PARALLEL, t.Kind.REDUCTION) or loop.extrema or loop.simd:
            return None
        direct = plain(loop)
        own = self.own(loop, direct)
        readings = _readings(direct, own)
        if _Reading.GOES_ON in readings:
            fewest = thresholds.RECURRENCES_FOR_STRIPS
            cutting = Cutting(RECURRENCES, fewest, thresholds.COLUMN_IN_STRIPS, has_whole=True)
        elif _Reading.COLUMNS in readings and _Reading.ROW not in readings:
            fewest = 2 * WIDTH
            cutting = Cutting(WIDTH, thresholds.COLUMNS_FOR_STRIPS)
        else:
            return None
        if isinstance(loop.size, t.Literal) and int(loop.size.value) < fewest:
            return None
        counts = [storage.count for name in own if isinstance(storage := self.storage[name], t.Allocate)]
        if any([not self.assigned.isdisjoint(names_of(count)) for count in counts]):
            return None
        try:
            found = Columns(direct, own, zeros, self.names, cutting).whole(counts)
        except NoColumns:
            return None
        self.longer |= dict.fromkeys(own, cutting)
        return found

    def own(self, loop: t.For, direct: t.For) -> set[str]:
        """Arrays of which each iteration makes what it reads, at places that do not depend on which iteration it is; `direct`
        is the loop without pointers.
        """
        written = {name for s in walk(direct.body) for name in targets(s)} & self.storage.keys()
        within = occurrences(loop.body)
        by_index = {name for name in written if any([loop.index in names_of(at) for at in _places(direct.body, name)])}
        made = {s.buffer for s in walk(loop.body) if isinstance(s, t.Allocate | t.LocalArray)}
        only = {name for name in written if within[name] + (name not in made) == self.uses[name]}
        return {name for name in only - by_index if self.is_small(name)}

    def is_small(self, name: str) -> bool:
        """Is there room for 64 of it?"""
        storage = self.storage[name]
        return isinstance(storage, t.Allocate) or storage.count <= thresholds.STRIP_ROWS_ON_STACK


def _readings(loop: t.For, own: Collection[str]) -> set[_Reading]:
    """What the innermost loops in this one read; nothing is in it if one of them stands in the way."""
    found = [_reading(loop, inner, own, in_branch) for inner, in_branch in _innermost(loop.body)]
    return set().union(*[[one] for one in found if one is not None]) if all(found) else set()


def _innermost(body: t.Body, in_branch: bool = False) -> Iterator[tuple[t.For, bool]]:
    """The innermost loops, and whether they are in branches."""
    for s in body:
        if isinstance(s, t.For) and not any([isinstance(x, t.For) for x in walk(s.body)]):
            yield s, in_branch
        else:
            for inner in bodies_of(s):
                yield from _innermost(inner, in_branch or isinstance(s, t.If))


class _Reading(Enum):
    """What an innermost loop reads and writes of what is not an iteration's own."""

    NOTHING = "nothing that differs from step to step"
    ROW = "a row, which is the same for all columns"
    COLUMNS = "columns"
    GOES_ON = "anything, and each step waits for numbers of the one before"


def _reading(loop: t.For, inner: t.For, own: Collection[str], in_branch: bool) -> _Reading | None:
    """What a loop in another one reads and writes; None if that is something else.

    A recurrence in a branch would be computed for all columns, however few take the branch.
    """
    if _goes_on(inner):
        return None if in_branch else _Reading.GOES_ON
    statements = [s for s in walk(inner.body) if not isinstance(s, t.For)]
    adding = [s for s in statements if isinstance(s, t.Store) and s.accumulate and loop.index not in names_of(s.index)]
    stores = [s.index for s in statements if isinstance(s, t.Store) and s.buffer not in own and s not in adding]
    loads = [load.index for s in statements for load in loads_of(s) if load.buffer not in own]
    found, rows = _Reading.NOTHING, False
    for index in [*stores, *loads]:
        across, along = stride_of(index, loop.index), stride_of(index, inner.index)
        if across is None or along is None:
            return None
        if is_integer(across[1], 0) and index not in stores:
            rows = rows or is_integer(along[1], 1)
        elif not is_integer(across[1], 1) or is_integer(along[1], 1):
            return None
        elif not is_integer(along[1], 0):
            found = _Reading.COLUMNS
    return _Reading.ROW if rows and found is _Reading.NOTHING else found


def _goes_on(inner: t.For) -> bool:
    """Is it a recurrence: is a number of the step before more than added to, or compared?"""
    others = {s.name for s in walk(inner.body) if isinstance(s, t.Declare)} | {name for name, _ in inner.extrema}
    return any([isinstance(s, t.Assign) and not s.accumulate and s.name not in others for s in walk(inner.body)])


def _places(body: t.Body, buffer: str) -> list[t.Expression]:
    """The indices at which elements of a buffer are read and written."""
    stores = [s.index for s in walk(body) if isinstance(s, t.Store) and s.buffer == buffer]
    return [*stores, *[load.index for s in walk(body) for load in loads_of(s) if load.buffer == buffer]]


def _zeros(before: Sequence[t.Statement], loop: t.For) -> list[t.Fill]:
    """Which of the statements before a loop set matrices to zero of which each iteration then touches its column only."""
    found: list[t.Fill] = []
    touched: set[str] = set()
    for s in reversed(before):
        if isinstance(s, t.Fill) and s.buffer not in touched and is_integer(s.offset, 0):
            uses = [x for x in walk(loop.body) if s.buffer in own_names(x)]
            at = _places(loop.body, s.buffer)
            simple = all([isinstance(x, t.Store | t.Declare | t.Assign) for x in uses])
            columns = all([row_of(index, loop.index, loop.size) is not None for index in at])
            if at and simple and columns and rows_of(s.count, loop.size) is not None:
                found.append(s)
        touched |= own_names(s)
        if not isinstance(s, t.Fill | t.Declare | t.Allocate | t.LocalArray):
            break
    return found
