"""Numbers that functions which call one another only add up are added in memory, as arrays are.

    def back(t, c):                                     def back(t, c, sum):
        if leaf(t): x = 0                                   if not leaf(t):
        else:                                    ~>             sum += c * r
            y = back(left(t), c * l)                            back(left(t), c * l, sum)
            z = back(right(t), c * r)                           back(right(t), c * r, sum)
            x = c * r + y + z
        return x

So no call holds what another gave, and the last call of a function ends it.  The sum is made in another order.  A function
that gives nothing else gives its number by value, and stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, inside
from fsmooth.loops.names import Names
from fsmooth.loops.passes.before_calls import work_before_calls
from fsmooth.loops.passes.pruning import prune
from fsmooth.loops.rewriting import same_or, with_bodies
from fsmooth.loops.usage import expressions_of, own_names, targets, walk

Functions = tuple[t.Function, ...]
Result = tuple[str, int]
"""A function, and the position of one of its results."""
Positions = dict[str, dict[int, Type]]
"""The results that functions add to memory, and of which type they are."""


class _Sum(Struct, frozen=True, eq=False):
    """How one result is a sum: locals that are its value, and those that calls give which are summands of it."""

    buffer: str
    values: set[str] = field(default_factory=set)
    given: dict[str, Result] = field(default_factory=dict)


def sum_over_calls(
    kernel: t.Function, definitions: Functions, names: Mapping[str, Names]
) -> tuple[t.Function, Functions]:
    """The functions, where such results are added to memory that is handed from call to call."""
    found = _sums(definitions)
    if not found:
        return kernel, definitions
    positions: Positions = {}
    for f in definitions:
        own_positions = {k: q.type for k, q in enumerate(_outputs(f)) if (f.name, k) in found}
        if own_positions:
            positions[f.name] = own_positions
    made = []
    for f in definitions:
        own = [s for (function, _), s in found.items() if function == f.name]
        new = _Rewriting(f, own, positions, names[f.name]).function()
        made.append(f if new is f else work_before_calls(new, names[f.name]))
    return _Rewriting(kernel, [], positions, names[kernel.name]).function(), tuple(made)


def _sums(definitions: Functions) -> dict[Result, _Sum]:
    """The results that are such sums: the greatest set of those that are sums of one another, and of other numbers."""
    reading = {f.name: _Reading(f) for f in definitions}
    allowed = {
        (f.name, k)
        for f in definitions
        for k, q in enumerate(_outputs(f))
        if isinstance(q.type, Float) and len(_outputs(f)) > 1
    }
    while True:
        found = {}
        for function, k in allowed:
            s = reading[function].sum_of(k, allowed)
            if s is not None:
                found[function, k] = s
        if found.keys() == allowed:
            return found
        allowed = set(found)


def _outputs(function: t.Function) -> list[t.Parameter]:
    return [q for q in function.parameters if q.output]


class _Reading:
    """What a function does with its names: how often it reads each, and which statements change it."""

    def __init__(self, function: t.Function) -> None:
        self.body = function.body
        self.outputs = _outputs(function)
        self.reads = Counter[str]()
        self.mentions = Counter[str]()
        self.changing: dict[str, list[t.Statement]] = {}
        for s in walk(function.body):
            self.reads.update([e.name for e in inside(*expressions_of(s)) if isinstance(e, t.Name)])
            self.mentions.update(own_names(s))
            for name in targets(s):
                self.changing.setdefault(name, []).append(s)

    def sum_of(self, k: int, allowed: set[Result]) -> _Sum | None:
        """How result k is a sum of results that are allowed, and of others; None if it is not."""
        buffer = self.outputs[k].name
        found = _Sum(buffer)
        stores = [s for s in self.body if isinstance(s, t.Store) and s.buffer == buffer]
        if len(stores) != 1 or self.mentions[buffer] != 1 or stores[0].accumulate:
            return None
        self.take(stores[0].value, self.body, found, allowed)
        return found if found.given else None

    def take(self, value: t.Expression, body: t.Body, found: _Sum, allowed: set[Result]) -> None:
        """Find what the summands of a value are, which is computed in these statements."""
        own = {s.name for s in body if isinstance(s, t.Declare) and s.value is None}
        names = [e.name for e in _summands(value) if isinstance(e, t.Name)]
        names = [name for name in names if name in own and self.reads[name] == 1]
        if not names:
            return
        statements = set(body)
        for name in names:
            changing = self.changing.get(name, [])
            match changing:
                case [t.Invoke() as call] if call in statements:
                    result = (call.function, call.results.index(name))
                    if result in allowed:
                        found.given[name] = result
                case _:
                    assigned = list(_assigned(name, body))
                    if assigned and len(assigned) == len(changing):
                        found.values.add(name)
                        for inner, branch in assigned:
                            self.take(inner, branch, found, allowed)


def _assigned(name: str, body: t.Body) -> Iterator[tuple[t.Expression, t.Body]]:
    """What is assigned to a local in branches of the statements, and in which."""
    for s in body:
        if isinstance(s, t.If):
            for branch in (s.then, s.otherwise):
                own = [x for x in branch if isinstance(x, t.Assign) and x.name == name and not x.accumulate]
                if len(own) == 1:
                    yield own[0].value, branch
                else:
                    yield from _assigned(name, branch)


def _summands(value: t.Expression) -> Iterator[t.Expression]:
    """What a value is the sum of, from the left."""
    pending = [value]
    while pending:
        e = pending.pop()
        if isinstance(e, t.Operation) and e.primitive is p.add:
            pending.extend(reversed(e.arguments))
        else:
            yield e


class _Rewriting:
    """A function whose own sums are added to their buffers; `positions` are the results that functions add to memory."""

    def __init__(self, function: t.Function, own: Sequence[_Sum], positions: Positions, names: Names) -> None:
        self.old = function
        self.positions = positions
        self.names = names
        self.buffers = {name: s.buffer for s in own for name in (s.buffer, *s.values, *s.given)}
        self.given = {name for s in own for name in s.given}

    def function(self) -> t.Function:
        """The function."""
        body = self.body(self.old.body)
        return self.old if body is self.old.body else prune(replace(self.old, body=body), self.names)

    def body(self, body: t.Body) -> t.Body:
        found: list[t.Statement] = []
        for s in body:
            match s:
                case t.Declare(name) if name in self.buffers:
                    pass
                case t.Store(name, _, value) | t.Assign(name, value) if name in self.buffers:
                    found += self.added(self.buffers[name], value)
                case t.Invoke() if s.function in self.positions:
                    found += self.call(s)
                case _:
                    found.append(with_bodies(s, self.body))
        return same_or(body, found)

    def added(self, buffer: str, value: t.Expression) -> list[t.Statement]:
        """The summands that are not added already."""
        left = [e for e in _summands(value) if not (isinstance(e, t.Name) and e.name in self.buffers)]
        left = [e for e in left if not (isinstance(e, t.Literal) and e.value == 0)]
        if not left:
            return []
        total = left[0]
        for e in left[1:]:
            total = t.Operation(p.add, (total, e), e.type)
        return [t.Store(buffer, ZERO, total, accumulate=True)]

    def call(self, s: t.Invoke) -> list[t.Statement]:
        """A call that adds to buffers of the caller's, or to new ones, of which the caller then takes the sums."""
        results, added = list(s.results), list(s.added)
        before: list[t.Statement] = []
        after: list[t.Statement] = []
        for k, type_ in self.positions[s.function].items():
            result, added[k] = results[k], True
            if s.added[k]:
                continue
            if isinstance(result, t.Place):
                before.append(t.Store(result.buffer, result.offset, t.Literal(0.0, result.type)))
            elif result in self.given:
                results[k] = t.Place(self.buffers[result], ZERO, type_)
            else:
                place = t.Place(self.names.fresh(f"{result}_sum"), ZERO, type_)
                zero = t.Store(place.buffer, ZERO, t.Literal(0.0, type_))
                before += [t.LocalArray(place.buffer, type_, 1), zero]
                after.append(t.Assign(result, t.Load(place.buffer, ZERO, type_)))
                results[k] = place
        return [*before, replace(s, results=tuple(results), added=tuple(added)), *after]
