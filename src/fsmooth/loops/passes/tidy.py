"""A reader should not meet the same check twice.

A check that has been passed under the same conditions is dropped, a condition that is
known to hold is not tested again, and a local that is declared and set at once is declared with its value.

Checks read memory: equal are those between which nothing writes what they read.  Each write gives a buffer another version,
as value numbering has it; a loop, which may run again or not at all, does so where it begins and where it ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, minus, parts, same
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed, expressions_of, names_of, pointed_to, targets, with_pointed_to


def tidy(function: t.Function, _: Names) -> t.Function:
    """Tidy the body of a function."""
    tidying = _Tidying(frozenset(changed(function.body)), pointed_to(function.body))
    return with_body(function, tidying.body(function.body, _Known()))


Passed = dict[object, list[frozenset[object]]]
_NOTHING: Mapping[str, object] = {}


class _Known(Struct, frozen=True):
    """Conditions that hold here, and for each check that has been passed the conditions under which it was made.

    What is found in a loop is kept apart and forgotten after it: the loop may not run, and its index may be another's.
    """

    conditions: frozenset[object] = frozenset()
    passed: tuple[Passed, ...] = field(default_factory=lambda: ({},))

    def passes(self, check: object) -> bool:
        """Has the check been passed before?  From now on it has."""
        if any([made <= self.conditions for scope in self.passed for made in scope.get(check, ())]):
            return True
        self.passed[-1].setdefault(check, []).append(self.conditions)
        return False

    def under(self, condition: object) -> _Known:
        return _Known(self.conditions | {condition}, self.passed)

    def in_loop(self) -> _Known:
        return _Known(self.conditions, (*self.passed, {}))


class _Tidying(Struct, frozen=True):
    """`behind`: what each pointer may point to; `versions`: of buffers, how often they were written so far."""

    mutable: frozenset[str]
    behind: Mapping[str, set[str]]
    versions: dict[str, int] = field(default_factory=dict)

    def written(self, names: Iterable[str]) -> None:
        """What these contain, or what is behind them, is another thing from here on."""
        for name in with_pointed_to(set(names), self.behind):
            self.versions[name] = self.versions.get(name, 0) + 1

    def body(self, statements: t.Body, known: _Known) -> t.Body:
        kept: list[t.Statement] = []
        for s in statements:
            for one in self.statement(s, known):
                joined = _joined(kept[-1], one) if kept else None
                if joined is None:
                    kept.append(one)
                else:
                    kept[-1] = joined
            if isinstance(s, t.Demand):
                known = known.under(self.key(s.condition))
        return same_or(statements, kept)

    def statement(self, s: t.Statement, known: _Known) -> Sequence[t.Statement]:
        match s:
            case t.Demand(condition) if self.key(condition) in known.conditions:
                return []
            case t.Check() | t.Demand():
                return [] if known.passes(self.check(s)) else [s]
            case t.CheckAll():
                return [] if known.passes(self.check_all(s)) else [s]
            case t.If(condition, then, otherwise):
                if self.key(condition) in known.conditions:
                    return self.body(then, known)
                new = self.body(then, known.under(self.key(condition)))
                other = self.body(otherwise, known.under(object()))
                if not new and not other:
                    return []
                if new is not then or other is not otherwise:
                    return [replace(s, then=new, otherwise=other)]
            case t.For() | t.While() | t.Parallel():
                inside, writes = known.in_loop(), changed([s])
                self.written(writes)
                whole = with_bodies(s, lambda body: self.body(body, inside))
                self.written(writes)
                return [whole]
            case _:
                self.written(targets(s))
        return [s]

    def check(self, s: t.Check | t.Demand, local: Mapping[str, object] = _NOTHING) -> object:
        """Equal for checks that pass together."""
        if isinstance(s, t.Demand):
            return self.key(s.condition, local)
        return ("within", self.key(s.index, local), self.key(s.size, local))

    def check_all(self, s: t.CheckAll) -> object:
        """Likewise, whatever the names of the index and of what is defined by it, from the start or from the end."""
        local: dict[str, object] = {s.index: "index"}
        backwards = _counted_backwards(s)
        for definition in s.body:
            if not isinstance(definition, t.Declare) or definition.value is None or definition.mutable:
                return object()
            local[definition.name] = "index" if definition is backwards else self.key(definition.value, local)
        return ("all", self.key(s.size), self.check(s.check, local))

    def key(self, e: t.Expression, local: Mapping[str, object] = _NOTHING) -> object:
        """Equal for expressions that have equal values; one that may change equals nothing."""
        match e:
            case t.Literal(value):
                return (repr(value), e.type)
            case t.Name(name) if name in local:
                return ("local", local[name])
            case t.Name(name) if name not in self.mutable:
                return name
            case t.Load(buffer, index) if buffer not in self.behind:
                return (buffer, self.versions.get(buffer, 0), self.key(index, local))
            case t.Operation(p.greater, (left, right)):
                return (p.less.name, self.key(right, local), self.key(left, local))
            case t.Operation(primitive):
                return (primitive.name, *[self.key(a, local) for a in parts(e)])
            case t.Conditional():
                return ("if", *[self.key(a, local) for a in parts(e)])
            case _:
                return object()


def _counted_backwards(s: t.CheckAll) -> t.Statement | None:
    """The definition `size - 1 - index`, if nothing else in the loop asks for the index: what is checked is the same then."""
    using = [x for x in (*s.body, s.check) if s.index in names_of(*expressions_of(x))]
    match using:
        case [t.Declare(_, _, t.Operation(p.subtract, (last, t.Name(name)))) as only] if name == s.index:
            return only if same(last, minus(s.size, ONE)) else None
        case _:
            return None


def _joined(s: t.Statement, following: t.Statement) -> t.Statement | None:
    """`T x; x = e;` becomes `T x = e;`."""
    match s, following:
        case t.Declare(name, _, None), t.Assign(target, value, False) if name == target:
            return replace(s, value=value)
        case _:
            return None
