"""Rank-one updates of a matrix that calls of functions which call themselves make are gathered over all of these calls.

    def back(…, A): …; A += x yᵀ; back(…, A); back(…, A)
    kernel: back(…, A)

    ~>   def back(…, A, X, Y, c): …; X[c] = x; Y[c] = y; if (++c == 32) { A += Xᵀ Y; c = 0 }; …
         kernel: c = 0; back(…, A, X, Y, c); A += Xᵀ Y

as loops/passes/rank_one.py does in loops.  The matrix, and its sizes, must be the same in all calls, and be only added to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, plus
from fsmooth.loops.handed_on import Parameter, in_order, unchanged
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.rank_one import Gathered, RankOne, rank_one
from fsmooth.loops.rewriting import same_or, with_bodies
from fsmooth.loops.usage import changed, declared, loads, names_of, own_names, walk, with_values

Functions = tuple[t.Function, ...]


def gather_over_calls(
    kernel: t.Function, shape: t.Function | None, definitions: Functions, names: Mapping[str, Names]
) -> tuple[t.Function, Functions]:
    """Gather the updates that the definitions make, and add what is left after each call of the kernel's."""
    if shape is not None and any([isinstance(s, t.Invoke) for s in walk(shape.body)]):
        return kernel, definitions
    for f in _calling_themselves(definitions):
        for s in walk(f.body):
            update = rank_one(s)
            if update is not None:
                found = _Gathering(kernel, definitions, names, f.name, update).result()
                if found is not None:
                    kernel, definitions = found
    return kernel, definitions


def _calling_themselves(definitions: Functions) -> Iterator[t.Function]:
    calls = {f.name: {s.function for s in walk(f.body) if isinstance(s, t.Invoke)} for f in definitions}
    for f in definitions:
        reached, pending = set[str](), list(calls[f.name])
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending.extend(calls[name])
        if f.name in reached:
            yield f


class _Gathering:
    """One update, of the function `where`.  `members` are, by function, the parameters that are its matrix."""

    def __init__(
        self, kernel: t.Function, definitions: Functions, names: Mapping[str, Names], where: str, update: RankOne
    ) -> None:
        self.kernel, self.definitions, self.names, self.where = kernel, definitions, names, where
        classes = unchanged(definitions, {})
        self.class_of: dict[Parameter, Mapping[str, str]] = {x: dict(members) for members in classes for x in members}
        self.members = self.class_of.get((where, update.buffer), {})
        steady = {name for function, name in self.class_of if function == where}
        self.is_certain = names_of(update.columns) <= steady
        self.old = update
        self.update = update if self.is_certain else replace(update, columns=update.row)
        self.is_steady = self.update.names <= steady
        self.places = Places.of(kernel.body)

    def result(self) -> tuple[t.Function, Functions] | None:
        """The functions with the update gathered; None if that cannot be."""
        own = [f for f in self.definitions if f.name in self.members]
        if not self.is_steady or not all([_is_only_added_to(f.body, self.members[f.name]) for f in own]):
            return None
        if any([self.at_call(s) is None for s in walk(self.kernel.body) if self.is_call(s)]):
            return None
        self.gathered = {
            f.name: Gathered.of(replace(self.update, buffer=self.members[f.name]), self.names[f.name]) for f in own
        }
        made = [self.changed(f) if f.name in self.members else f for f in self.definitions]
        opened: list[t.Statement] = []
        body = self.around_calls(self.kernel.body, opened)
        return replace(self.kernel, body=(*opened, *body)), tuple(made)

    def is_call(self, s: t.Statement) -> TypeGuard[t.Invoke]:
        return isinstance(s, t.Invoke) and s.function in self.members

    def at_call(self, s: t.Invoke) -> RankOne | None:
        """The update as the kernel has it where it makes a call; None if it does not know its sizes from the beginning."""
        function = next(f for f in self.definitions if f.name == s.function)
        given = dict(zip([q.name for q in in_order(function)], (*s.arguments, *s.results), strict=True))
        known: dict[str, t.Expression] = {}
        for name in self.update.names:
            value = given.get(self.class_of[self.where, name].get(s.function, ""))
            if value is None or isinstance(value, t.Place | str):
                return None
            known[name] = value
        start, row, rows, columns = [
            with_values(e, known) for e in (self.update.start, self.update.row, self.update.rows, self.update.columns)
        ]
        place = given[self.members[s.function]]
        if any([loads(e) for e in (start, row, rows, columns)]):
            return None
        if not isinstance(place, t.Place) or not names_of(row, rows, columns) <= {
            q.name for q in self.kernel.parameters
        }:
            return None
        return replace(
            self.update, buffer=place.buffer, start=plus(place.offset, start), row=row, rows=rows, columns=columns
        )

    def around_calls(self, body: t.Body, opened: list[t.Statement]) -> t.Body:
        """What the kernel does; what is left of the updates of a call is added after it, or after loops that only call."""
        found: list[t.Statement] = []
        for s in body:
            calls = [x for x in walk([s]) if self.is_call(x)]
            update = self.at_call(calls[0]) if len(calls) == 1 else None
            if update is None or not (s is calls[0] or self.only_calls(s, calls[0], update)):
                found.append(with_bodies(s, lambda inner: self.around_calls(inner, opened)))
                continue
            gathered = Gathered.of(update, self.names[self.kernel.name])
            opened += gathered.opened(update)
            found += [_with_call(s, calls[0], _with_results(calls[0], gathered, update)), *gathered.added(update)]
        return same_or(body, found)

    def only_calls(self, s: t.Statement, call: t.Invoke, update: RankOne) -> bool:
        """Is it a loop that does nothing else with the matrix, which is the same one in each call?"""
        inside = {name for x in walk([s]) for name in declared(x)}
        others = {name for x in walk([s]) if x is not call for name in own_names(x)}
        is_same = inside.isdisjoint({update.buffer, *names_of(update.start)}) and names_of(update.start).isdisjoint(
            changed([s])
        )
        return (
            isinstance(s, t.For | t.While)
            and is_same
            and all([self.places.apart(update.buffer, name) for name in others])
        )

    def changed(self, f: t.Function) -> t.Function:
        """A function that is handed where updates are gathered."""
        gathered = self.gathered[f.name]
        more = (
            t.Parameter(gathered.left, self.update.type, pointer=True, output=True),
            t.Parameter(gathered.right, self.update.type, pointer=True, output=True),
            t.Parameter(gathered.count, INT, pointer=True, output=True),
        )
        return replace(f, parameters=(*f.parameters, *more), body=self.within(f, f.body))

    def within(self, f: t.Function, body: t.Body) -> t.Body:
        gathered = self.gathered[f.name]
        found: list[t.Statement] = []
        for s in body:
            if s is self.old.loop:
                put = gathered.put(self.update, self.names[f.name])
                found += put if self.is_certain else [self.if_whole(s, put)]
            elif isinstance(s, t.Invoke) and s.function in self.members:
                found.append(_with_results(s, gathered, self.update))
            else:
                found.append(with_bodies(s, lambda inner: self.within(f, inner)))
        return same_or(body, found)

    def if_whole(self, s: t.Statement, put: Sequence[t.Statement]) -> t.Statement:
        """Whole rows are gathered; others are added at once."""
        is_whole = t.Operation(p.equal, (self.old.columns, self.old.row), BOOL)
        return t.If(is_whole, tuple(put), (s,))


def _with_call(s: t.Statement, old: t.Statement, new: t.Statement) -> t.Statement:
    """A statement with another call in it."""
    if s is old:
        return new
    return with_bodies(s, lambda inner: same_or(inner, [_with_call(x, old, new) for x in inner]))


def _with_results(s: t.Invoke, gathered: Gathered, update: RankOne) -> t.Invoke:
    places = [t.Place(gathered.left, ZERO, update.type), t.Place(gathered.right, ZERO, update.type)]
    more = (*places, t.Place(gathered.count, ZERO, INT))
    return replace(s, results=(*s.results, *more), added=(*s.added, True, True, True))


def _is_only_added_to(body: t.Body, buffer: str) -> bool:
    """Is the memory never read, nor written but by additions?"""
    for s in walk(body):
        if buffer not in own_names(s):
            continue
        match s:
            case t.Store(accumulate=True) if s.buffer == buffer and buffer not in names_of(s.index, s.value):
                pass
            case t.Multiply(adds=True) if buffer not in (s.left.buffer, s.right.buffer):
                pass
            case t.Invoke():
                given = [x for x in s.arguments if isinstance(x, t.Place)]
                results = [
                    x for x, is_added in zip(s.results, s.added, strict=True) if is_added and isinstance(x, t.Place)
                ]
                mentioned = [x for x in (*given, *s.results) if isinstance(x, t.Place) and x.buffer == buffer]
                if len(mentioned) != len([x for x in results if x.buffer == buffer]):
                    return False
            case _:
                return False
    return True
