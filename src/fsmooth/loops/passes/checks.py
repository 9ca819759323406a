"""Checks before the loop that relies on them (design §2, "Checks").

A check that every iteration makes, and that can be computed from what the loop does not change, is made for all
iterations before the loop, which then vectorises:

    independent of the index      once, if the loop runs at all
    affine in the index           for the first and the last iteration; only if one fails, for all
    anything else (a gather)      for all, in a loop of its own

Checks inside a branch, or after something that may end the loop, stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from msgspec.structs import replace as with_fields

from fsmooth import thresholds
from fsmooth.core.types import BOOL
from fsmooth.loops import tree as t
from fsmooth.loops.affine import is_affine
from fsmooth.loops.arithmetic import key_of, parts, positive, replace, same
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import each_loop, same_or
from fsmooth.loops.usage import changed, declared, expressions_of, names_in, names_of, walk


def checks_before_loops(function: t.Function, _: Names) -> t.Function:
    """Make checks before the loops that rely on them."""
    return each_loop(function, _checked)


def _checked(loop: t.For) -> Sequence[t.Statement]:
    """What to do before the loop, then what is left of it."""
    if loop.kind is t.Kind.SEARCH or not any(
        [isinstance(s, t.Check | t.Demand | t.CheckAll | t.If) for s in loop.body]
    ):
        return (loop,)
    return _Hoisting(loop).run()


class _Hoisting:
    """`direct`: what stands right before a loop that runs in any case, and is not defined in it a second time."""

    def __init__(self, loop: t.For) -> None:
        self.loop = loop
        self.before: list[t.Statement] = []
        self.once: list[t.Statement] = []
        self.direct: set[str] = set()
        self.changed = changed(loop.body)
        self.inside = {name for s in walk(loop.body) for name in declared(s)}
        self.definitions: dict[str, t.Declare] = {}
        self.all_tested = True
        self.places = count()
        self.order: dict[str, int] = {}
        self.made: set[object] = set()

    def run(self) -> list[t.Statement]:
        rest = self.without_checks(self.loop.body)
        self.flush()
        body = same_or(self.loop.body, [s for s in rest if not (isinstance(s, t.Declare) and s.name in self.direct)])
        if not body:
            return self.before
        return [*self.before, self.loop if body is self.loop.body else with_fields(self.loop, body=body)]

    def without_checks(self, statements: t.Body) -> t.Body:
        """The statements that stay; checks that every iteration makes go to `before`."""
        stay: list[t.Statement] = []
        for s in statements:
            if isinstance(s, t.Declare) and s.value is not None and not s.mutable:
                self.definitions[s.name] = s
                self.order[s.name] = next(self.places)  # one that is made again is where it was made last
            if isinstance(s, t.Check | t.Demand):
                if self.check(s):
                    continue
                self.all_tested = False
            elif is_guard(s):
                if self.invariant_guard(s):
                    continue
                if isinstance(s, t.If) and self.invariant(s.condition):
                    then = self.under(s.condition, s.then)
                    if not any([not isinstance(x, t.Declare) for x in then]):
                        continue
                    stay.append(s if then is s.then else with_fields(s, then=then))
                    continue
            stay.append(s)
        return same_or(statements, stay)

    def under(self, condition: t.Expression, statements: t.Body) -> t.Body:
        """`without_checks` where all that moves is guarded by a condition that the loop does not change."""
        outer_before, outer_once, outer_direct = self.before, self.once, self.direct
        self.before, self.once, self.direct = [], [], set()
        stay = self.without_checks(statements)
        self.flush()
        moved = self.before
        self.before, self.once, self.direct = outer_before, outer_once, outer_direct
        if moved:
            self.flush()
            self.before.extend(guarded(condition, moved))
        return stay

    def flush(self) -> None:
        """The checks that need to be made once, if the loop runs at all."""
        if not self.once:
            return
        runs = positive(self.loop.size)
        if isinstance(runs, t.Literal) and runs.value:
            self.direct |= {x.name for x in self.once if isinstance(x, t.Declare)}
        self.before.extend(guarded(runs, self.once))
        self.once = []

    def invariant(self, e: t.Expression) -> bool:
        """Has the expression the same value before the loop and in each iteration?"""
        names = names_of(e)
        return self.loop.index not in names and not names & self.changed and not names & self.inside

    def check(self, s: t.Check | t.Demand) -> bool:
        """Move one check before the loop if possible."""
        needed = self.slice(list(expressions_of(s)))
        if needed is None:
            return False
        weight = sum([d.value.weight for d in needed if d.value is not None]) + sum(
            [e.weight for e in expressions_of(s)]
        )
        has_loads = any([_loads(e) for d in needed for e in expressions_of(d)] + [_loads(e) for e in expressions_of(s)])
        if has_loads and not self.all_tested:
            return False
        if (
            isinstance(s, t.Check)
            and len(needed) <= thresholds.COMPARED_DEFINITIONS
            and weight <= thresholds.REPEATED_CHECK
        ):
            key = (key_of(self.inlined(s.index, needed)), key_of(self.inlined(s.size, needed)))
            if key in self.made:
                return True
            self.made.add(key)
        if not self.depends(needed, s):
            there = self.direct | {x.name for x in self.once if isinstance(x, t.Declare)}
            self.once.extend([d for d in needed if d.name not in there])
            self.once.append(s)
            return True
        if weight > thresholds.REPEATED_CHECK:
            return False
        if isinstance(s, t.Check):
            index, size = self.inlined(s.index, needed), self.inlined(s.size, needed)
            if isinstance(index, t.Name) and index.name == self.loop.index and same(size, self.loop.size):
                return True
            if is_affine(index, self.loop.index) and not self.mentions_index(size):
                self.flush()
                self.before.append(
                    t.CheckAll(self.loop.index, self.loop.size, (), t.Check(index, size, s.site), ends=True)
                )
                return True
        self.flush()
        self.before.append(t.CheckAll(self.loop.index, self.loop.size, tuple(needed), s, ends=False))
        return True

    def slice(self, roots: list[t.Expression]) -> list[t.Declare] | None:
        """The definitions that the expressions need, in order; None if something else in the loop matters."""
        found: dict[str, None] = {}
        names: set[str] = set()
        for e in roots:
            if _searches(e):
                return None
            names_in(e, names)
        pending = list(names)
        while pending:
            name = pending.pop()
            if name in found or name == self.loop.index:
                continue
            if name in self.changed:
                return None
            if name in self.inside:
                definition = self.definitions.get(name)
                if definition is None or definition.value is None or _searches(definition.value):
                    return None
                found[name] = None
                inner = names_of(definition.value)
                pending.extend(inner)
        return [self.definitions[name] for name in sorted(found, key=self.order.__getitem__)]

    def depends(self, needed: list[t.Declare], s: t.Statement) -> bool:
        """Does the check depend on the index of the loop?"""
        names: set[str] = set()
        for statement in [*needed, s]:
            for e in expressions_of(statement):
                names_in(e, names)
        return self.loop.index in names

    def inlined(self, e: t.Expression, needed: list[t.Declare]) -> t.Expression:
        for d in reversed(needed):
            assert d.value is not None
            e = replace(e, d.name, d.value)
        return e

    def mentions_index(self, e: t.Expression) -> bool:
        names = names_of(e)
        return self.loop.index in names

    def invariant_guard(self, s: t.Statement) -> bool:
        """Move the guard of an inner loop further out if it is the same in every iteration of this one."""
        names: set[str] = set()
        for inner in walk([s]):
            for e in expressions_of(inner):
                names_in(e, names)
        own = {name for inner in walk([s]) for name in declared(inner)}
        if isinstance(s, t.CheckAll):
            own.add(s.index)
        outside = names - own
        if self.loop.index in outside or outside & self.changed or outside & self.inside:
            return False
        if not self.all_tested:
            return False
        self.once.append(s)
        return True


def is_guard(s: t.Statement) -> bool:
    """Does the statement only test?"""
    if isinstance(s, t.CheckAll):
        return True
    if isinstance(s, t.If) and not s.otherwise:
        return all([isinstance(x, t.Check | t.Demand | t.Declare) or is_guard(x) for x in s.then])
    return False


def guarded(condition: t.Expression, statements: list[t.Statement]) -> list[t.Statement]:
    """The statements under a condition, without conditions that say the same twice."""
    if isinstance(condition, t.Literal):
        return list(statements) if condition.value else []
    if all([isinstance(s, t.CheckAll) and same(positive(s.size), condition) for s in statements]):
        return list(statements)
    inner = statements[0]
    if len(statements) == 1 and isinstance(inner, t.If) and not inner.otherwise:
        if same(inner.condition, condition):
            return [inner]
        return [t.If(t.Conditional(condition, inner.condition, t.Literal(False, BOOL)), inner.then)]
    return [t.If(condition, tuple(statements))]


def _loads(e: t.Expression) -> bool:
    return isinstance(e, t.Load) or any([_loads(x) for x in parts(e)])


def _searches(e: t.Expression) -> bool:
    return isinstance(e, t.Search) or any([_searches(x) for x in parts(e)])
