"""How large and how small the integers of a function can be, as expressions in its parameters.

    k = 0; while f(x) > e and k < 100: …; k = k + 1      ~>    k <= 100
    for i < n: m = n - i                                 ~>    m <= n - 0

Numbers that change are bounded by what is assigned to them, by the loops in which they are counted, and by the conditions of
these.
"""

from __future__ import annotations

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
    """A value that a number may have; below `limit` before it was set, if it is a `step` from what it was; or, the `size` of a
    loop whose index it is.
    """

    value: t.Expression
    limit: t.Expression | None = None
    step: int | None = None
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
        for s in walk(function.body):
            if isinstance(s, t.Declare) and s.value is not None:
                self.sources.setdefault(s.name, []).append(Source(s.value))
            elif isinstance(s, t.For):
                self.sources.setdefault(s.index, []).append(Source(s.size, is_size=True))
            elif isinstance(s, t.LocalArray) and s.largest is not None:
                self.known[s.buffer] = Interval(None, integer(s.largest))
        self.assigned(function.body, None)

    def assigned(self, body: t.Body, around: t.While | None) -> None:
        """What is assigned, in the body of a `while` if it is once in each of its iterations."""
        for s in body:
            match s:
                case t.Assign(name, value):
                    self.sources.setdefault(name, []).append(
                        Source(t.Name("", INT)) if s.accumulate else self.source(name, value, around)
                    )
                case t.While():
                    self.assigned(s.test, None)
                    self.assigned(s.body, s)
                case t.If() | t.Outlined():
                    for inner in bodies_of(s):
                        self.assigned(inner, around)
                case _:
                    for inner in bodies_of(s):
                        self.assigned(inner, None)

    def source(self, name: str, value: t.Expression, around: t.While | None) -> Source:
        """A step from below the limit of the loop around, or any value."""
        step = None if around is None else self.step(name, value, around.body)
        if step is None or step < 0 or around is None:
            return Source(value)
        if len([x for x in walk(around.body) if isinstance(x, t.Assign) and x.name == name]) > 1:
            return Source(value)
        limit = _limit(name, around.condition)
        return Source(value) if limit is None else Source(value, limit, step)

    def step(self, name: str, value: t.Expression, iteration: t.Body) -> int | None:
        """The c of name + c, which may have been given a name in the same iteration."""
        match value:
            case t.Operation(p.add, (t.Name(own), t.Literal(step))) if own == name:
                return int(step)
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
        self.open.add(name)
        for source in self.sources.get(name, [Source(t.Name("", INT))]):
            value = self.of_source(source, copied | {name})
            if value is not None:
                found = value if found is None else either(found, value)
        self.open.discard(name)
        return found

    def of_source(self, source: Source, copied: frozenset[str]) -> Interval | None:
        match source:
            case Source(limit=t.Expression() as limit, step=int(step)):
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
