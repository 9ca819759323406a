"""How large and how small the integers of a function can be, as expressions in its parameters.

    k = 0; while f(x) > e and k < 100: …; k = k + 1      ~>    k <= 100
    for i < n: m = n - i                                 ~>    m <= n - 0

Numbers that change are bounded by what is assigned to them, by the loops in which they are counted, and by the conditions of
these.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, integer, minus, plus
from fsmooth.loops.intervals import ANY, Interval, Length, either, exactly, interval
from fsmooth.loops.usage import bodies_of, changed, walk


def of_parameters(function: t.Function) -> dict[str, Interval]:
    """Integers that a function is handed are what they are."""
    never = changed(function.body)
    found = [q.name for q in function.parameters if not q.pointer and q.type == INT and q.name not in never]
    return {x: exactly(Length(x, INT) if x in function.facts.lengths else t.Name(x, INT)) for x in found}


class Source(Struct, frozen=True, eq=False):
    """A value that a number may have; or, if it is at most a `step` above what it was, below what `limit` that was, or in which
    `loops` it is done once in each iteration; or, the `size` of a loop whose index it is.
    """

    value: t.Expression
    limit: t.Expression | None = None
    step: int = 0
    loops: tuple[t.For, ...] | None = None
    is_size: bool = False


class Bounds:
    """Of all integers of a function, wherever they are read: each is one of the values that it is given anywhere.

    What is only copied round in a circle comes from outside of it.
    """

    def __init__(self, function: t.Function) -> None:
        self.known = of_parameters(function)
        self.sources: dict[str, list[Source]] = {}
        self.changing = {s.name for s in walk(function.body) if isinstance(s, t.Assign)}
        self.open: set[str] = set()
        self.was_cut = False
        self.depth: dict[str, int] = {}
        for s in walk(function.body):
            if isinstance(s, t.Declare) and s.value is not None:
                self.sources.setdefault(s.name, []).append(Source(s.value))
            elif isinstance(s, t.For):
                self.sources.setdefault(s.index, []).append(Source(s.size, is_size=True))
            elif isinstance(s, t.LocalArray) and s.largest is not None:
                self.known[s.buffer] = Interval(None, integer(s.largest))
        self.assigned(function.body, ())

    def assigned(self, body: t.Body, loops: tuple[t.For | t.While | None, ...]) -> None:
        """What is assigned in these loops; None: in something that is done nobody knows how often."""
        for s in body:
            match s:
                case t.Declare():
                    self.depth[s.name] = min(len(loops), self.depth.get(s.name, len(loops)))
                case t.Assign(name, value):
                    new = t.Operation(p.add, (t.Name(name, INT), value), INT) if s.accumulate else value
                    self.sources.setdefault(name, []).append(self.source(name, new, loops))
                case t.While():
                    self.assigned(s.test, (*loops, None))
                    self.assigned(s.body, (*loops, s))
                case t.For():
                    self.assigned(s.body, (*loops, s))
                case _:
                    within = loops if isinstance(s, t.If | t.Outlined) else (*loops, None)
                    for inner in bodies_of(s):
                        self.assigned(inner, within)

    def source(self, name: str, value: t.Expression, loops: tuple[t.For | t.While | None, ...]) -> Source:
        """A step from below the limit of the loop around, one in each iteration of loops, or any value."""
        around = loops[-1] if loops else None
        step = None if around is None else self.step(name, value, around.body)
        if step is None or around is None:
            return Source(value)
        if isinstance(around, t.For):
            counted = tuple([loop for loop in loops[self.depth.get(name, 0) :] if isinstance(loop, t.For)])
            is_counted = len(counted) == len(loops) - self.depth.get(name, 0)
            return Source(value, step=step, loops=counted) if is_counted else Source(value)
        if len([x for x in walk(around.body) if isinstance(x, t.Assign) and x.name == name]) > 1:
            return Source(value)
        limit = _limit(name, around.condition)
        return Source(value) if limit is None else Source(value, limit, step)

    def step(self, name: str, value: t.Expression, iteration: t.Body) -> int | None:
        """The largest c >= 0 of name + c, which may have been given a name in the same iteration."""
        match value:
            case t.Operation(p.add, (t.Name(own), t.Literal(step))) if own == name and int(step) >= 0:
                return int(step)
            case t.Operation(p.add, (t.Name(own), t.Conditional(_, t.Literal(a), t.Literal(b)))) if own == name:
                return max(int(a), int(b)) if min(int(a), int(b)) >= 0 else None
            case t.Name(own) if own != name and own not in self.changing:
                here = [s.value for s in walk(iteration) if isinstance(s, t.Declare) and s.name == own]
                if len(here) != 1 or len(self.sources[own]) != 1 or not isinstance(here[0], t.Operation):
                    return None
                return self.step(name, here[0], iteration)
            case _:
                return None

    def get(self, name: str, otherwise: Interval) -> Interval:
        """Of a name that is part of an expression."""
        if name in self.known:
            return self.known[name]
        if name in self.open:
            self.was_cut = True
            return otherwise
        before, self.was_cut = self.was_cut, False
        found = self.of_name(name, frozenset()) or otherwise
        if not self.was_cut:
            self.known[name] = found
        self.was_cut |= before
        return found

    def of_name(self, name: str, copied: frozenset[str]) -> Interval | None:
        """All its values together; None if it is only what the names are from which it is `copied`."""
        found: Interval | None = None
        sources = self.sources.get(name, [Source(t.Name("", INT))])
        counted = [source for source in sources if source.loops is not None]
        before, self.was_cut = self.was_cut, False
        self.open.add(name)
        for source in sources:
            value = None if source.loops is not None else self.of_source(source, copied | {name})
            if value is not None:
                found = value if found is None else either(found, value)
        if counted:
            found = ANY if self.was_cut or found is None else self.with_steps(found, counted)
        self.open.discard(name)
        self.was_cut |= before
        return found

    def with_steps(self, start: Interval, counted: Sequence[Source]) -> Interval:
        """From there on, all steps of all iterations."""
        upper = start.upper
        for source in counted:
            times: t.Expression = integer(source.step)
            for loop in source.loops or ():
                times = t.Operation(p.multiply, (times, t.Operation(p.maximum, (loop.size, ZERO), INT)), INT)
            most = interval(times, self).upper
            upper = None if upper is None or most is None else plus(upper, most)
        return Interval(start.lower, upper)

    def of_source(self, source: Source, copied: frozenset[str]) -> Interval | None:
        match source:
            case Source(limit=t.Expression() as limit, step=step):
                upper = interval(limit, self).upper
                return Interval(None, None if upper is None else plus(upper, integer(step - 1)))
            case Source(is_size=True, value=size):
                upper = interval(size, self).upper
                return Interval(ZERO, None if upper is None else minus(upper, ONE))
            case Source(value=t.Name(other)) if other not in self.known:
                if other in copied:
                    self.was_cut = True
                    return None
                return ANY if other in self.open or not other else self.of_name(other, copied)
            case _:
                return interval(source.value, self)


def _limit(name: str, condition: t.Expression) -> t.Expression | None:
    """Below what the name is wherever the condition holds."""
    match condition:
        case t.Conditional(first, second, t.Literal(value)) if not value:
            return _limit(name, first) or _limit(name, second)
        case t.Operation(p.less, (t.Name(own), size)) | t.Operation(p.greater, (size, t.Name(own))) if own == name:
            return size
        case t.Operation(p.less_equal, (t.Name(own), size)) if own == name:
            return plus(size, ONE)
        case _:
            return None
