"""What the steps of a fold write into a table of its state, and what is still to be written where it is read.

    ifold (fun d i -> ifold (fun e j -> update e (i + 1) (update e[i + 1] j v)) d m) z n

d and e are versions of one table.  After e at (i, j) the element (i + 1, j) is written, then those of later iterations,
(i + 1, j') for j' > j and (i' + 1, j') for i' > i.  A table is followed from the next state back to the state; where it
is not made by updates alone, from the state, nothing is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from fsmooth import thresholds
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import plus
from fsmooth.core.subst import substitute
from fsmooth.core.term import Const, Get, If, IFold, Let, MakeTuple, Proj, Require, Term, Update, Var
from fsmooth.core.types import INT, Array

Key = tuple[Var, tuple[int, ...]]
"""A variable, and the projections that follow."""

Place = tuple[Term | None, ...]
"""The indices of an element or a row, in terms of loops' indices and what is outside; None where that is not known."""


class NotFollowed(Exception):
    """A table is written in too many places."""


class Write(Struct, frozen=True, eq=False):
    """Something is written at `place`, in the iterations of `loops` (index and size, outermost first)."""

    place: Place
    loops: tuple[tuple[Var, Term], ...] = ()


class Again(Struct, eq=False):
    """What the later iterations of a loop write, by `writes` of one iteration."""

    index: Var
    size: Term
    writes: list[Write] = field(default_factory=list)
    instances: list[Write] | None = None

    def later(self, ranges: dict[Var, Term]) -> list[Write]:
        """The writes of an iteration that follows, at index + 1 + k for some k; `ranges` learns of new indices."""
        if self.instances is None:
            k = Var("k", INT)
            following = plus(plus(self.index, Const(1)), k)
            ranges[k] = self.size
            self.instances = [_renamed(write, {self.index: following}, ranges) for write in self.writes]
        return self.instances


def _renamed(write: Write, changed: Mapping[Var, Term], ranges: dict[Var, Term]) -> Write:
    names = dict(changed)
    for index, size in write.loops:
        fresh = index.renamed()
        ranges[fresh] = substitute(size, names)
        names[index] = fresh
    return Write(tuple([None if i is None else substitute(i, names) for i in write.place]))


Later = tuple[Write | Again, ...]


class Version(Struct, frozen=True):
    """A table as it is at some time, or its part at `place`; `later` is written after that."""

    table: int
    place: Place
    later: Later


class Followed(Struct):
    """From a value back to `end`: a variable, an element of one, or None if the value is not made by updates.

    `values` are the updates met: what they write is a part of the table from then on.
    """

    end: Key | Get | None
    writes: list[Write]
    versions: dict[Key, Version] = field(default_factory=dict)
    values: dict[Update, Version] = field(default_factory=dict)

    def learn(self, other: Followed) -> None:
        """What was found on another way, too."""
        for key, version in other.versions.items():
            self.versions[key] = _both(self.versions.get(key), version)
        for update, value in other.values.items():
            self.values[update] = _both(self.values.get(update), value)

    def without(self, tables: set[int]) -> Followed:
        """What concerns other tables."""
        versions = {key: version for key, version in self.versions.items() if version.table not in tables}
        values = {update: value for update, value in self.values.items() if value.table not in tables}
        return Followed(None, [], versions, values)

    def see(self, key: Key, version: Version) -> None:
        """A version; of one met twice, more is known to be written later."""
        self.versions[key] = _both(self.versions.get(key), version)


def _both(old: Version | None, new: Version) -> Version:
    """What is known of a value that is met twice: at one place, or nothing."""
    if old is None:
        return new
    if old.table != new.table or old.place != new.place:
        return Version(new.table, (None,), ())
    return Version(new.table, new.place, tuple(dict.fromkeys((*new.later, *old.later))))


class Follower(Struct, frozen=True):
    """Follows one table; `resolved` writes an index in terms of loops' indices and what is outside."""

    table: int
    resolved: Callable[[Term], Term | None]

    def follow(
        self, term: Term, path: tuple[int, ...], later: Later, place: Place, scope: Mapping[Var, Term]
    ) -> Followed:
        """The part `path` of a value, which ends up at `place` of the table, and after which `later` is written.

        `scope` are definitions that are made whenever this value is.
        """
        found = Followed(None, [])
        local = dict(scope)
        while True:
            if len(found.writes) > thresholds.TABLE_WRITES:
                raise NotFollowed
            after = (*later, *found.writes)
            match term:
                case Let(bindings, body):
                    local.update(bindings)
                    term = body
                case Require(_, body):
                    term = body
                case MakeTuple(items) if path:
                    term, path = items[path[0]], path[1:]
                case Proj(whole, position):
                    term, path = whole, (position, *path)
                case Var():
                    if term not in local:
                        found.end = (term, path)
                        return found
                    found.see((term, path), Version(self.table, place, after))
                    term = local[term]
                case Get() if not path:
                    found.end = term
                    return found
                case Update(array) if not path:
                    self._update(found, term, after, place, local)
                    term = array
                case If(_, then, otherwise):
                    ways = [self.follow(way, path, after, place, {}) for way in (then, otherwise)]
                    for way in ways:
                        found.learn(way)
                        found.writes += way.writes
                    end = ways[0].end
                    if not isinstance(end, tuple) or end != ways[1].end:
                        found.end = end if isinstance(end, Get) and _is_same(end, ways[1].end) else None
                        return found
                    term, path = end
                case IFold():
                    if not self._loop(found, term, path, after, place):
                        return found
                    term = term.init
                case _:
                    return found

    def whole(
        self, term: Term, path: tuple[int, ...], state: Key, again: Again, later: Later, place: Place
    ) -> Followed:
        """The part `path` of what a loop's body makes of its `state`; its writes are made `again`.

        Its end is the state, if each step makes the next table from the one before.
        """
        found = self.follow(term, path, (again, *later), place, {})
        if found.end == state:
            again.writes += found.writes
            found.see(state, Version(self.table, place, (again, *later, *found.writes)))
        return found

    def _update(self, found: Followed, update: Update, after: Later, place: Place, scope: Mapping[Var, Term]) -> None:
        own = (*place, self.resolved(update.index))
        if isinstance(update.value.type, Array):
            row = self.follow(update.value, (), after, own, scope)
            found.learn(row)
            end = row.end
            if isinstance(end, Get) and alpha_equal(end.array, update.array) and alpha_equal(end.index, update.index):
                found.writes += row.writes  # to this row, whose other elements stay what they were
                return
        found.values[update] = _both(found.values.get(update), Version(self.table, own, after))
        found.writes.append(Write(own))

    def _loop(self, found: Followed, loop: IFold, path: tuple[int, ...], after: Later, place: Place) -> bool:
        """Is the table followed through a loop?"""
        size = self.resolved(loop.size)
        if size is None:
            return False
        inner = self.whole(loop.body, path, (loop.state, path), Again(loop.index, size), after, place)
        if inner.end != (loop.state, path):
            return False
        found.learn(inner)
        found.writes += [Write(w.place, ((loop.index, size), *w.loops)) for w in inner.writes]
        return True


def _is_same(element: Get, other: Key | Get | None) -> bool:
    return isinstance(other, Get) and alpha_equal(element, other)
