"""Tables that a fold fills: what the steps read back of them is in the last state, so that it need not be saved.

    ifold (fun p i -> update p (i + 1) (p[i] * x[i + 1])) z n

On the way back p[i] is P[i], where P is the value of the fold, because later steps write other elements: i + 2 and what
follows.  The element that a step writes is P[i + 1].  Which elements are written later is found by `writes`; that they are
others is proved from the ranges of loops and the conditions around a read.  What is not proved is saved, as ever.

Before the body of a fold is reversed, two kinds of names are put into it: another name for a version of the table, for the
reads that are proved, and one for each value that is written.  Of both it is known what they are on the way back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from fsmooth import thresholds
from fsmooth.core.build import get
from fsmooth.core.cost import Costs
from fsmooth.core.polynomial import NOTHING, Polynomial
from fsmooth.core.term import Const, Get, If, IFold, Length, Let, Proj, Require, Term, Update, Var, Zero, let
from fsmooth.core.traverse import children, rebuild
from fsmooth.differentiate.reverse.indices import Indices
from fsmooth.differentiate.reverse.writes import Again, Followed, Follower, Key, NotFollowed, Version, Write

Bindings = list[tuple[Var, Term]]


class Held(Struct, frozen=True):
    """What names of tables, and of values that are written, are on the way back: in terms of the last state and of the
    indices of the loops around.
    """

    tables: dict[Var, Term] = field(default_factory=dict)
    values: dict[Var, Term] = field(default_factory=dict)

    def joined(self, other: Held) -> Held:
        """Both."""
        return Held({**self.tables, **other.tables}, {**self.values, **other.values})


NOTHING_HELD = Held()


class Table(Struct, frozen=True):
    """A part of a fold's state: its variable, where it is in the next state, what it is at last, and its sizes."""

    part: Var
    path: tuple[int, ...]
    last: Term
    sizes: Sequence[Term]


def with_held(
    body: Term, tables: Sequence[Table], index: Var, size: Term, outside: Mapping[Var, Term], known: Held, costs: Costs
) -> tuple[Term, Held]:
    """The body of a fold over `index` below `size` with names for what the last state holds; `known` have names already.

    `outside` are definitions of what is around the fold.
    """
    indices = Indices(body, index, size, outside)
    found = Followed(None, [])
    for k, table in enumerate(tables):
        start = (table.part, ())
        try:
            own = Follower(k, indices.resolved).whole(body, table.path, start, Again(index, size), (), ())
        except NotFollowed:
            continue
        if own.end == start:
            found.learn(own)
    while found.versions:
        naming = _Naming(indices, tables, found, known, costs)
        new = naming.whole(body, index, size)
        poor = {k for k, gain in naming.gains.items() if not _is_worth(tables[k], gain, costs)}
        if not poor:
            return new, known.joined(naming.held)
        found = found.without(poor)
    return body, known


def _is_worth(table: Table, gain: Polynomial, costs: Costs) -> bool:
    """Is the table not much larger than what need not be saved?"""
    elements = Polynomial.constant(1)
    for size in table.sizes:
        elements = elements * costs.trips.of(size)
    return elements.at() <= thresholds.HELD * gain.at()


class _Naming:
    """Puts the names into a body; `gains` are, for each table, how many elements have names."""

    def __init__(self, indices: Indices, tables: Sequence[Table], found: Followed, known: Held, costs: Costs) -> None:
        self.indices = indices
        self.tables = tables
        self.found = found
        self.known = known
        self.costs = costs
        self.held = Held()
        self.gains: dict[int, Polynomial] = {}
        self.steps = Polynomial.constant(1)
        self.around: set[Var] = set()
        self.names: dict[Key, tuple[Var, Term]] = {}
        self.done: dict[Term, Term] = {}

    def whole(self, body: Term, index: Var, size: Term) -> Term:
        """The body of the fold itself."""
        new = self._body(body, index, size)
        return let([binding for table in self.tables for binding in self._named(table.part)], new)

    def _body(self, body: Term, index: Var, size: Term) -> Term:
        """What runs in each of so many steps."""
        outer, self.steps = self.steps, self.steps * self.costs.trips.of(size)
        self.around.add(index)
        new = self._of(body)
        self.around.remove(index)
        self.steps = outer
        return new

    def _of(self, t: Term) -> Term:
        found = self.done.get(t)
        if found is None:
            found = self.done[t] = self._new(t)
        return found

    def _new(self, t: Term) -> Term:
        match t:
            case Let(bindings, body):
                values = [self._of(value) for _, value in bindings]
                new = self._of(body)
                named = [self._named(x) for x, _ in bindings]
                if not any(named):
                    return rebuild(t, [*values, new])
                each = zip(bindings, values, named, strict=True)
                return Let(tuple([b for (x, _), value, names in each for b in ((x, value), *names)]), new)
            case IFold(size, init, state, index, body):
                first = [self._of(size), self._of(init)]
                new = self._body(body, index, size)
                return rebuild(t, [*first, let(self._named(state), new)])
            case If(condition, then, otherwise):
                own = self._of(condition)
                return rebuild(
                    t, [own, self._if(condition, then, value=True), self._if(condition, otherwise, value=False)]
                )
            case Require(condition, body):
                before = [self._of(part) for part in children(t)[:-1]]
                return rebuild(t, [*before, self._if(condition, body, value=True)])
            case Length():
                return t
            case Get():
                return self._read(t)
            case Update(array, index, value):
                return Update(self._of(array), self._of(index), self._written(t, self._of(value)))
            case _:
                return rebuild(t, [self._of(part) for part in children(t)])

    def _if(self, condition: Term, term: Term, *, value: bool) -> Term:
        """What is evaluated only if the condition has this value; what is proved there is not proved elsewhere."""
        facts = self.indices.facts
        undo = facts.assume(self.indices.expanded(condition), value)
        outer, self.done = self.done, {}
        new = self._of(term)
        self.done = outer
        facts.forget(undo)
        return new

    # -- reads ---------------------------------------------------------------------------------------------------------

    def _read(self, t: Get) -> Term:
        located = self._located(t)
        if located is None:
            return rebuild(t, [self._of(t.array), self._of(t.index)])
        key, indices = located
        version = self.found.versions[key]
        own = [self._of(i) for i in indices]
        if self._holds(version, [self.indices.resolved(i) for i in indices]):
            self._gain(version, indices)
            return get(self._name(key, version), *own)
        return rebuild(t, [self._path(t.array), self._of(t.index)])

    def _path(self, t: Term) -> Term:
        """A prefix of a path that is not proved: no part of it is."""
        if isinstance(t, Get):
            return rebuild(t, [self._path(t.array), self._of(t.index)])
        return t

    def _located(self, path: Term) -> tuple[Key, list[Term]] | None:
        """The version of a table, and the indices, that a path starts with."""
        indices: list[Term] = []
        projections: list[int] = []
        while True:
            match path:
                case Get(array, index) if not projections:
                    indices.insert(0, index)
                    path = array
                case Proj(whole, position):
                    projections.insert(0, position)
                    path = whole
                case Var():
                    key = (path, tuple(projections))
                    if key in self.found.versions:
                        return key, indices
                    alias = self.indices.definitions.get(path)
                    if path in self.known.tables or not isinstance(alias, Get | Proj | Var):
                        return None
                    path = alias
                case _:
                    return None

    def _holds(self, version: Version, indices: Sequence[Term | None]) -> bool:
        """Is what is there never written again?"""
        place = (*version.place, *indices)
        if None in version.place:
            return False
        ranges = self.indices.facts.ranges
        for source in version.later:
            writes = [source] if isinstance(source, Write) else source.later(ranges)
            if not all([self.indices.differ(place, write.place) for write in writes]):
                return False
        return True

    def _gain(self, version: Version, indices: Sequence[Term]) -> None:
        """Count the elements that need not be saved: of a row all, in a loop over elements each."""
        trips = self.costs.trips
        count = self.steps
        for size in self.tables[version.table].sizes[len(version.place) + len(indices) :]:
            count = count * trips.of(size)
        for x in {x for i in indices for x in i.free if x in self.indices.loops and x not in self.around}:
            count = count * trips.of(self.indices.loops[x])
        self.gains[version.table] = self.gains.get(version.table, NOTHING) + count

    def _name(self, key: Key, version: Version) -> Var:
        if key not in self.names:
            path: Term = key[0]
            for position in key[1]:
                path = Proj(path, position)
            name = Var(self.tables[version.table].part.name, path.type)
            self.names[key] = (name, path)
            self.held.tables[name] = self._last(version)
        return self.names[key][0]

    def _last(self, version: Version) -> Term:
        indices = [i for i in version.place if i is not None]
        return get(self.tables[version.table].last, *indices)

    def _named(self, var: Var) -> Bindings:
        """The names for versions that are a variable, or parts of it."""
        return [binding for key, binding in self.names.items() if key[0] is var]

    # -- what is written -----------------------------------------------------------------------------------------------

    def _written(self, update: Update, value: Term) -> Term:
        version = self.found.values.get(update)
        if version is None or self._has_name(value) or not self._holds(version, ()):
            return value
        self._gain(version, ())
        return self._named_value(value, self.tables[version.table].part.name, self._last(version))

    def _named_value(self, value: Term, name: str, last: Term) -> Term:
        """The value by a name, in each branch by one of its own, too."""
        match value:
            case Const() | Zero():
                return value
            case Let(bindings, body):
                return Let(bindings, self._named_value(body, name, last))
            case Require():
                *before, body = children(value)
                return rebuild(value, [*before, self._named_value(body, name, last)])
            case If(condition, then, otherwise):
                value = If(condition, self._named_value(then, name, last), self._named_value(otherwise, name, last))
        var = Var(name, value.type)
        self.held.values[var] = last
        return let(((var, value),), var)

    def _has_name(self, value: Term) -> bool:
        """Does it need no name, or have one already?"""
        while isinstance(value, Let | Require):
            value = value.body
        return isinstance(value, Const | Zero) or value in self.known.values
