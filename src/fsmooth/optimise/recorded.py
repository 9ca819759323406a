"""The simplifier's walk, recorded: what it decides of definitions and loops are steps of their own (rewrite/recording.py).

A step about a definition is `let x = a in x ~> let y = b in c`: where x = a is defined, y = b is, and c takes the place of x.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from msgspec import Struct

from fsmooth.core.term import Build, Const, IFold, Let, Reduce, Require, Term, Var, let
from fsmooth.core.traverse import children
from fsmooth.optimise.bindings import Item, Opened
from fsmooth.optimise.contraction import by_rows, readers
from fsmooth.optimise.occurrences import Occurrences, Uses
from fsmooth.optimise.policy import Policy
from fsmooth.optimise.splitting import Split, Splitting, Summing
from fsmooth.optimise.unrolling import Unrolling, unrolled
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.memory import Memory
from fsmooth.rewrite.recording import Recording
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.trace import Again, Firing, Trace


class Recorded(Recording, Unrolling):
    """A walk that decides about definitions and loops, and records it."""

    def __init__(
        self, rules: Iterable[Rule], policy: Policy, occurrences: Occurrences, trace: Trace, memory: Memory
    ) -> None:
        Unrolling.__init__(self, rules, policy, occurrences, trace, memory)
        self.begin()
        self.of_size: dict[Term, list[Firing]] = {}
        """What fired in the sizes of loops, which the walk asks for before it decides how to go on."""
        self.decided: list[_Definition] = []
        """The definitions about which it is being decided, the innermost last."""

    def define(self, name: str, scope: Let, after: Term, again: Again | None, own: int = 0) -> None:
        """Record a step about a definition; the last `own` variables bound here came of it."""
        around = tuple(self.open)[: len(self.open) - own]
        self.firings.append(Firing(name, self.here(scope), self.here(after), around, (), again, defines=True))

    # -- definitions ---------------------------------------------------------------------------------------------------

    def in_rows(self, scope: Let, made: Let) -> None:
        super().in_rows(scope, made)
        self.note("array contraction", scope, made, partial(_by_rows, reader=readers(scope, self.occurrences)))

    def unused(self, var: Var, value: Term) -> None:
        super().unused(var, value)
        self.define("unused", Let(((var, value),), NOTHING), NOTHING, None)

    def opens(self, var: Var, value: Let | Require) -> None:
        scope = _scope(var, value)
        self.define("definition opened", scope, opened(scope), _opened)
        if isinstance(value, Require):
            self.places[-1].required.append((len(children(value)) - 1, len(self.open)))

    def split(self, name: str, var: Var, again: Splitting, made: Split) -> None:
        super().split(name, var, again, made)
        definition = self.decided[-1]
        items, whole = made
        self.define(name, _scope(var, definition.value), let((*items, (var, whole)), var), partial(_split, again=again))
        definition.value, definition.start = None, definition.start + len(items)

    def in_sums(self, var: Var, value: Term, made: Summing, kept: list[Item], opened: Opened) -> None:
        self.trace.record("project_sum")
        sums, whole = made(value)
        names = [hint.var(loop.type) for hint, loop in sums]
        again = partial(_summed, made=made)
        items = [(name, loop) for name, (_, loop) in zip(names, sums, strict=True)]
        self.define(
            "project_sum", _scope(var, value), let((*items, (var, whole([*names]))), var), partial(_split, again=again)
        )
        found: list[Term] = []
        for name, (hint, loop) in zip(names, sums, strict=True):
            normal, start = self.again(loop), len(kept)
            found.append(self._named(hint, normal, 2, None, kept, opened))
            self._instead(name, normal, kept[start:], found[-1])
        self._replace(var, whole(found), opened)
        self.decided[-1].value, self.decided[-1].start = None, len(kept)

    def _with_named_checks(self, value: Term, kept: list[Item], opened: Opened) -> Term:
        definition = self.decided[-1]
        new = super()._with_named_checks(value, kept, opened)
        if value is definition.value and new is not value:
            items = _definitions(kept[definition.start :])
            var = definition.var
            self.define("parts named", _scope(var, value), let((*items, (var, new)), var), None, len(items))
            definition.value, definition.start = new, len(kept)
        return new

    def _bind(self, var: Var, value: Term, uses: Uses | None, kept: list[Item], opened: Opened) -> None:
        definition = _Definition(var, value, len(kept))
        self.decided.append(definition)
        super()._bind(var, value, uses, kept, opened)
        self.decided.pop()
        named, fresh, _ = opened[-1]
        assert named is var
        by = self.env[var] if fresh is None else fresh
        now = self.env[var] if definition.value is None else definition.value
        self._instead(var, now, kept[definition.start :], by)

    def _instead(self, var: Var, value: Term, items: list[Item], by: Term) -> None:
        """Note what takes the place of a definition; nothing, if it is kept as it is."""
        definitions = _definitions(items)
        if len(definitions) == 1 and definitions[0] == (by, value):
            return
        name = "parts named" if definitions else "inlined"
        self.define(name, _scope(var, value), let(definitions, by), None, len(definitions))

    # -- loops ---------------------------------------------------------------------------------------------------------

    def _static(self, size: Term) -> int | None:
        start = len(self.firings)
        count = super()._static(size)
        self.of_size[size] = self.firings[start:]
        del self.firings[start:]
        return count

    def _unroll(self, loop: Build | Reduce, count: int) -> Term | None:
        start = len(self.firings)
        self.firings += self.of_size[loop.size]
        result = super()._unroll(loop, count)
        if result is None:
            del self.firings[start:]
        return result

    def _with_normal_start(self, loop: IFold, count: int) -> IFold:
        self.firings += self.of_size[loop.size]
        return super()._with_normal_start(loop, count)

    def _opened(self, loop: Build | Reduce | IFold, term: Term) -> Term:
        self.note("unrolled", loop, term, _unrolled)
        return super()._opened(loop, term)


class _Definition(Struct):
    """A definition about which it is being decided: what it is now (None: what takes its place), and how many are kept before."""

    var: Var
    value: Term | None
    start: int


NOTHING = Const(0)
"""What stands for the scope of a definition that is left out."""


def _scope(var: Var, value: Term | None) -> Let:
    assert value is not None
    return Let(((var, value),), var)


def _definitions(items: list[Item]) -> list[tuple[Var, Term]]:
    return [item for item in items if not isinstance(item, Require)]


# -- the same steps once more ------------------------------------------------------------------------------------------


def opened(scope: Term) -> Term:
    """A definition after those that stand in it, or after what it requires."""
    assert isinstance(scope, Let)
    ((var, value),) = scope.bindings
    if isinstance(value, Require):
        return Require(value.condition, _scope(var, value.body), value.failure, value.numbers, value.site)
    assert isinstance(value, Let)
    return let((*value.bindings, (var, value.body)), var)


def _opened(scope: Term, facts: Facts) -> Term:  # noqa: ARG001  (a strategy)
    return opened(scope)


def _by_rows(scope: Term, facts: Facts, reader: Mapping[Var, Var]) -> Term:  # noqa: ARG001  (a strategy)
    assert isinstance(scope, Let)
    return by_rows(scope, reader)


def _unrolled(loop: Term, facts: Facts) -> Term:  # noqa: ARG001  (a strategy)
    assert isinstance(loop, Build | Reduce | IFold)
    return unrolled(loop)


def _split(scope: Term, facts: Facts, again: Splitting) -> Term | None:  # noqa: ARG001  (a strategy)
    """A definition after those that it is made of."""
    assert isinstance(scope, Let)
    ((var, value),) = scope.bindings
    made = again(value)
    return None if made is None else let((*made[0], (var, made[1])), var)


def _summed(value: Term, made: Summing) -> Split:
    """The sums that one is made of, with names, and what it is, made of these."""
    sums, whole = made(value)
    names = [hint.var(loop.type) for hint, loop in sums]
    return [(name, loop) for name, (_, loop) in zip(names, sums, strict=True)], whole([*names])
