"""Updates of a matrix that calls of functions which call themselves make are gathered over all of these calls.

    def back(…, A): …; A += x yᵀ; back(…, A); back(…, A)
    kernel: back(…, A)

    ~>   def back(…, A, X, Y, c): …; X[c] = x; Y[c] = y; if (++c == 32) { A += Xᵀ Y; c = 0 }; …
         kernel: c = 0; back(…, A, X, Y, c); A += Xᵀ Y

as loops/passes/gathered_updates.py does in loops.  The matrix, and its sizes, must be the same in all calls; the
matrix is only added to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO
from fsmooth.loops.handed_on import Parameter, in_order, unchanged
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.update_nests import update_of
from fsmooth.loops.passes.updates import Gathered, Update, steady
from fsmooth.loops.rewriting import same_or, with_bodies
from fsmooth.loops.usage import changed, declared, is_only_added_to, loads, names_of, own_names, walk

Functions = tuple[t.Function, ...]


def gather_over_calls(
    kernel: t.Function, shape: t.Function | None, definitions: Functions, names: Mapping[str, Names]
) -> tuple[t.Function, Functions]:
    """Gather the updates that the definitions make, and add what is left after each call of the kernel's."""
    if shape is not None and any([isinstance(s, t.Invoke) for s in walk(shape.body)]):
        return kernel, definitions
    for f in _calling_themselves(definitions):
        for s in walk(f.body):
            update = update_of(s)
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
        self, kernel: t.Function, definitions: Functions, names: Mapping[str, Names], where: str, update: Update
    ) -> None:
        self.kernel, self.definitions, self.names, self.where = kernel, definitions, names, where
        classes = unchanged(definitions, {})
        self.class_of: dict[Parameter, Mapping[str, str]] = {x: dict(members) for members in classes for x in members}
        self.members = self.class_of.get((where, update.buffer), {})
        same = {name for function, name in self.class_of if function == where}
        self.is_certain = names_of(update.columns) <= same
        self.old = update
        self.update = update if self.is_certain else replace(update, columns=update.row)
        inputs = {q.name for f in definitions if f.name == where for q in f.parameters if not q.output}
        self.is_steady = steady(self.update) | self.update.reads <= same and self.update.reads <= inputs
        self.places = Places.of(kernel.body)

    def result(self) -> tuple[t.Function, Functions] | None:
        """The functions with the update gathered; None if that cannot be."""
        own = [f for f in self.definitions if f.name in self.members]
        if not self.is_steady or not all([is_only_added_to(f.body, self.members[f.name]) for f in own]):
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

    def at_call(self, s: t.Invoke) -> Update | None:
        """The update as the kernel has it where it makes a call; None if it does not know its sizes from the beginning."""
        function = next(f for f in self.definitions if f.name == s.function)
        given = dict(zip([q.name for q in in_order(function)], (*s.arguments, *s.results), strict=True))
        known: dict[str, t.Expression] = {}
        places: dict[str, t.Place] = {}
        for name in steady(self.update) | self.update.reads | {self.update.buffer}:
            value = given.get(self.class_of[self.where, name].get(s.function, ""))
            if isinstance(value, t.Place):
                places[name] = value
            elif value is None or isinstance(value, str):
                return None
            else:
                known[name] = value
        if places.keys() != self.update.reads | {self.update.buffer}:
            return None
        update = self.update.elsewhere(known, places)
        if any([loads(e) for e in (*update.places, *update.sizes)]):
            return None
        return update if names_of(*update.sizes) <= {q.name for q in self.kernel.parameters} else None

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
            call = _with_results(calls[0], gathered, update)
            found += [_with_call(s, calls[0], call), *gathered.added(update, self.names[self.kernel.name])]
        return same_or(body, found)

    def only_calls(self, s: t.Statement, call: t.Invoke, update: Update) -> bool:
        """Is it a loop that does nothing else with the matrix, which is the same one in each call?"""
        if not isinstance(s, t.For | t.While):
            return False
        inside = {name for x in walk([s]) for name in declared(x)}
        others = [x for x in walk([s]) if x is not call]
        mentioned = {name for x in others for name in own_names(x)}
        placed = names_of(*update.places)
        return (
            inside.isdisjoint({update.buffer, *update.reads, *placed})
            and placed.isdisjoint(changed([s]))
            and self.places.all_apart((update.buffer,), mentioned)
            and self.places.all_apart(update.reads, changed([s]))
        )

    def changed(self, f: t.Function) -> t.Function:
        """A function that is handed where updates are gathered."""
        gathered = self.gathered[f.name]
        more = [
            t.Parameter(name, type_, pointer=True, output=True) for name, type_, _ in gathered.handed_on(self.update)
        ]
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
        is_whole = t.Operation(p.equal, (self.old.columns, self.update.columns), BOOL)
        return t.If(is_whole, tuple(put), (s,))


def _with_call(s: t.Statement, old: t.Statement, new: t.Statement) -> t.Statement:
    """A statement with another call in it."""
    if s is old:
        return new
    return with_bodies(s, lambda inner: same_or(inner, [_with_call(x, old, new) for x in inner]))


def _with_results(s: t.Invoke, gathered: Gathered, update: Update) -> t.Invoke:
    more = [t.Place(name, ZERO, type_) for name, type_, _ in gathered.handed_on(update)]
    return replace(s, results=(*s.results, *more), added=(*s.added, *[True] * len(more)))
