"""A reader should not meet the same check twice.

A check that has been passed under the same conditions is dropped, a condition that is
known to hold is not tested again, and a local that is declared and set at once is declared with its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fsmooth.core import primitives as p
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import parts
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed


def tidy(function: t.Function, _: Names) -> t.Function:
    """Tidy the body of a function."""
    fixed = frozenset([q.name for q in function.parameters if q.pointer and not q.output])
    return with_body(function, _Tidying(frozenset(changed(function.body)), fixed).body(function.body, _Known()))


Passed = dict[object, list[frozenset[object]]]
_NOTHING: Mapping[str, object] = {}


@dataclass(frozen=True)
class _Known:
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


@dataclass(frozen=True)
class _Tidying:
    mutable: frozenset[str]
    fixed: frozenset[str]

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
            case t.For() | t.While():
                inside = known.in_loop()
                return [with_bodies(s, lambda body: self.body(body, inside))]
            case _:
                pass
        return [s]

    def check(self, s: t.Check | t.Demand, local: Mapping[str, object] = _NOTHING) -> object:
        """Equal for checks that pass together."""
        if isinstance(s, t.Demand):
            return self.key(s.condition, local)
        return ("within", self.key(s.index, local), self.key(s.size, local))

    def check_all(self, s: t.CheckAll) -> object:
        """Likewise, whatever the names of the index and of what is defined by it."""
        local: dict[str, object] = {s.index: "index"}
        for definition in s.body:
            if not isinstance(definition, t.Declare) or definition.value is None or definition.mutable:
                return object()
            local[definition.name] = self.key(definition.value, local)
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
            case t.Load(buffer, index) if buffer in self.fixed:
                return (buffer, self.key(index, local))
            case t.Operation(p.greater, (left, right)):
                return (p.less.name, self.key(right, local), self.key(left, local))
            case t.Operation(primitive):
                return (primitive.name, *[self.key(a, local) for a in parts(e)])
            case t.Conditional():
                return ("if", *[self.key(a, local) for a in parts(e)])
            case _:
                return object()


def _joined(s: t.Statement, following: t.Statement) -> t.Statement | None:
    """`T x; x = e;` becomes `T x = e;`."""
    match s, following:
        case t.Declare(name, _, None), t.Assign(target, value, False) if name == target:
            return replace(s, value=value)
        case _:
            return None
