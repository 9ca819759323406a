"""Functions cut at calls into blocks: which of them run on records together, and what lives across a cut.

A record is the continuation of paper 004: the block to run next, the record of the caller, and the live names.  A call is a cut
if what it calls may call the function again; all others return soon, and are direct.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from fsmooth.core.term import Running
from fsmooth.loops import tree as t
from fsmooth.loops.rewriting import with_bodies
from fsmooth.loops.usage import declared, expressions_of, mentioned, names_of, own_names, targets, walk


def machines(functions: Sequence[t.Function]) -> list[tuple[t.Function, ...]]:
    """The functions on records that call one another, or themselves: the strongly connected components with a cycle."""
    running = {f.name: f for f in functions if f.running is Running.RECORDS}
    calls = {
        name: [s.function for s in walk(f.body) if isinstance(s, t.Invoke) and s.function in running]
        for name, f in running.items()
    }
    reached = {name: _reached(name, calls) for name in running}
    found: list[tuple[t.Function, ...]] = []
    done: set[str] = set()
    for name in running:
        if name in reached[name] and name not in done:
            group = [other for other in running if other in reached[name] and name in reached[other]]
            done.update(group)
            found.append(tuple([running[other] for other in group]))
    return found


def on_records(program: t.Program) -> t.Program | None:
    """The program, whose functions that call themselves on the C stack run on records; None if there are none."""
    moved = [f for f in program.definitions if f.running is Running.STACK]
    definitions = tuple([replace(f, running=Running.RECORDS) for f in program.definitions])
    return replace(program, definitions=definitions) if moved and machines(definitions) else None


def _reached(name: str, calls: Mapping[str, Sequence[str]]) -> set[str]:
    """The functions that one calls, and those that these call."""
    found: set[str] = set()
    pending = list(calls[name])
    while pending:
        other = pending.pop()
        if other not in found:
            found.add(other)
            pending.extend(calls[other])
    return found


def with_own_calls(body: t.Body) -> t.Body:
    """The statements, where no two calls are the same object."""
    return tuple([replace(s) if isinstance(s, t.Invoke) else with_bodies(s, with_own_calls) for s in body])


class Cuts:
    """The names that live across each cut of a function, in which no two calls are the same object."""

    def __init__(self, function: t.Function, members: frozenset[str]) -> None:
        """A call of one of the `members` is a cut."""
        self._members = members
        self._inputs = [q.name for q in function.parameters if not q.output]
        self._outputs = [q.name for q in function.parameters if q.output]
        self._visible: dict[t.Statement, frozenset[str]] = {}
        self._after: dict[t.Statement, set[str]] = {}
        self._given: dict[t.Statement, set[str]] = {}
        self._see(function.body, frozenset())
        self._before(function.body, set())

    def is_cut(self, s: t.Statement) -> bool:
        """Does the function return there, to go on when what is called has returned?"""
        return isinstance(s, t.Invoke) and s.function in self._members

    def are_in(self, body: t.Body) -> bool:
        """Are there cuts in the statements?"""
        return any([self.is_cut(s) for s in walk(body)])

    def live(self, s: t.Invoke) -> list[str]:
        """What is set before a cut, and read behind it; parameters and what the call gives apart."""
        return sorted(self._after[s] & self._visible[s])

    def is_read(self, s: t.Invoke, name: str) -> bool:
        """Is a number that a call gives read behind the cut?"""
        return name in self._given[s]

    def all(self) -> set[str]:
        """What lives across any cut."""
        return {name for key, after in self._after.items() for name in after & self._visible[key]}

    def without(self, body: t.Body, names: frozenset[str]) -> t.Body:
        """The statements, where cuts do not hand over these parameters as they are."""

        def change(s: t.Statement) -> t.Statement:
            if not isinstance(s, t.Invoke) or not self.is_cut(s):
                return with_bodies(s, lambda inner: self.without(inner, names))
            arguments = [
                a for q, a in zip(self._inputs, s.arguments, strict=True) if not (q in names and _name(a) == q)
            ]
            results = zip(self._outputs, s.results, s.added, strict=True)
            others = [(r, is_added) for q, r, is_added in results if not (q in names and _name(r) == q)]
            given, added = tuple([r for r, _ in others]), tuple([a for _, a in others])
            return replace(s, arguments=tuple(arguments), results=given, added=added)

        return tuple([change(s) for s in body]) if names else body

    def _see(self, body: t.Body, outer: frozenset[str]) -> None:
        """Which names are declared where a cut is."""
        names = set(outer)
        for s in body:
            if self.is_cut(s):
                self._visible[s] = frozenset(names)
            match s:
                case t.For(index, _, inner):
                    self._see(inner, frozenset({*names, index}))
                case t.While(test, _, inner):
                    self._see(test, frozenset(names))
                    self._see(inner, frozenset({*names, *[name for x in test for name in declared(x)]}))
                case t.If(_, then, otherwise):
                    self._see(then, frozenset(names))
                    self._see(otherwise, frozenset(names))
                case t.Room(name):
                    names.add(name)
                case t.Outlined():
                    names.update(s.gives)
                case _:
                    names.update(declared(s))

    def _before(self, body: t.Body, after: set[str]) -> set[str]:
        """What lives before the statements, if this does behind them."""
        live = set(after)
        for s in reversed(body):
            match s:
                case t.For(index, _, inner) if self.are_in(inner):
                    live = self._around(s, inner, live | {index}) - {index}
                case t.While(test, _, inner) if self.are_in((*test, *inner)):
                    live = self._around_while(s, test, inner, live)
                case t.If(_, then, otherwise):
                    live = self._before(then, live) | self._before(otherwise, live) | own_names(s)
                case t.Outlined(inner):
                    live = self._before(inner, live)
                case _:
                    self._cut(s, live)
                    live = (live - _set(s)) | _read(s)
        return live

    def _cut(self, s: t.Statement, live: set[str]) -> None:
        if isinstance(s, t.Invoke) and self.is_cut(s):
            given = {r for r in s.results if isinstance(r, str)}
            self._after.setdefault(s, set()).update(live - given)
            self._given.setdefault(s, set()).update(live & given)

    def _around(self, s: t.For, inner: t.Body, after: set[str]) -> set[str]:
        head = after | own_names(s)
        while True:
            new = head | self._before(inner, head)
            if new == head:
                return head
            head = new

    def _around_while(self, s: t.While, test: t.Body, inner: t.Body, after: set[str]) -> set[str]:
        head: set[str] = set()
        while True:
            new = head | self._before(test, after | own_names(s) | self._before(inner, head))
            if new == head:
                return head
            head = new


def _set(s: t.Statement) -> set[str]:
    """What a statement that has no cuts in it sets anew."""
    match s:
        case t.Assign(name, _, accumulate):
            return set() if accumulate else {name}
        case t.Invoke():
            return {r for r in s.results if isinstance(r, str)}
        case t.Room(name):
            return {name}
        case t.Block() | t.CheckAll() | t.For() | t.While():
            return set()
        case _:
            return set(declared(s))


def _read(s: t.Statement) -> set[str]:
    """What a statement that has no cuts in it reads, or adds to; places in memory are read."""
    match s:
        case t.Block() | t.CheckAll() | t.For() | t.While():
            own = {name for inner in walk([s]) for name in declared(inner)}
            return mentioned([s]) - own
        case t.Operand(entry):
            return own_names(s) | {entry.slopes, entry.operands}
        case t.Allocate(room=str(room)):
            return (own_names(s) - {s.buffer}) | {room}
        case _:
            return (own_names(s) - _set(s)) | names_of(*expressions_of(s))


def steady(group: Sequence[t.Function]) -> frozenset[str]:
    """The parameters that a function hands on to itself as they are, if no other function of its machine may change them."""
    if len(group) > 1:
        return frozenset()
    (function,) = group
    names = {q.name for q in function.parameters}
    inputs = [q.name for q in function.parameters if not q.output]
    outputs = [q.name for q in function.parameters if q.output]
    for s in walk(function.body):
        if isinstance(s, t.Invoke) and s.function == function.name:
            given = [*zip(inputs, s.arguments, strict=True), *zip(outputs, s.results, strict=True)]
            names -= {name for name, value in given if _name(value) != name}
    return frozenset(names)


def _name(value: t.Expression | t.Place | str) -> str | None:
    """The name that is handed over as it is."""
    match value:
        case t.Name(name) | t.Place(name, t.Literal(0)):
            return name
        case _:
            return None


def changing(body: t.Body) -> set[str]:
    """The names that may change after they are set for the first time."""
    found: set[str] = set()
    given: set[str] = set()
    for s in walk(body):
        match s:
            case t.Assign() | t.Swap():
                found |= targets(s)
            case t.Invoke():
                found |= given & s.changes
                given |= s.changes
            case t.For(name) | t.Room(name):
                found.add(name)
            case _:
                pass
    return found
