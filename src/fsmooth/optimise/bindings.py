"""Scopes: each definition is inlined, split into its components, narrowed, dropped or kept (design §5).

This is the policy of the simplifier about names; that about loops is in optimise/unrolling.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import cast

from fsmooth import thresholds
from fsmooth.core.cost import Costs
from fsmooth.core.hints import Hint
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Carrying,
    Check,
    Delta,
    Get,
    If,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.term.fields import Failing
from fsmooth.core.traverse import children, rebuild, size_of_tree, subterms
from fsmooth.core.types import Array, Tuple
from fsmooth.optimise.contraction import contracted
from fsmooth.optimise.inlining import is_trivial, on_indices, pays, with_shared_work
from fsmooth.optimise.occurrences import Occurrences, Uses
from fsmooth.optimise.policy import Fusion, Policy
from fsmooth.optimise.rules.guards import are_exclusive, guarded_parts, sum_of_parts
from fsmooth.optimise.rules.totality import cannot_fail
from fsmooth.optimise.splitting import (
    Split,
    Splitting,
    Summing,
    by_guards,
    of_components,
    of_one,
    of_state,
    read_sums,
    sums_apart,
)
from fsmooth.optimise.tuples_of_arrays import array_components, chosen, is_written_out
from fsmooth.optimise.unread import read_of_array, read_of_sum
from fsmooth.rewrite.memory import Memory
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.trace import Trace

Item = tuple[Var, Term] | Require
Opened = list[tuple[Var, Var | None, Term | None]]


class Bindings(Normaliser):
    """One walk that decides about each definition."""

    def __init__(
        self, rules: Iterable[Rule], policy: Policy, occurrences: Occurrences, trace: Trace, memory: Memory
    ) -> None:
        super().__init__(rules, trace, memory)
        self.policy = policy
        self.occurrences = occurrences
        self.costs = Costs()
        self.progress = False
        self.settled: dict[Var, Term] = {}
        """Definitions that are kept: scopes that rules move outwards are met again and again."""

    def finish(self, term: Term) -> Term:
        before = self.steps
        result = super().finish(term)
        if self.steps != before:
            self.progress = True
        return result

    def scope(self, term: Let) -> Term:
        """Decide about each definition in turn; what is kept becomes the new scope."""
        if self.policy.fusion is Fusion.PAYS:
            by_rows = contracted(term, self.occurrences)
            if by_rows is not term:
                self.in_rows(term, by_rows)
                term = by_rows
        kept: list[Item] = []
        opened: Opened = []
        undo: list[list[tuple[object, bool | None]]] = []
        outside = self.mark
        for var, value in term.bindings:
            if self.settled.get(var) is value and self._is_done(value):
                self._keep(var, value, kept, opened)
                continue
            uses = self.occurrences.get(var)
            if uses is not None and uses.count == 0 and uses.lengths == 0:
                self.unused(var, value)
                continue
            value = self.run(value)
            while isinstance(value, Let | Require):
                self.progress = True
                if isinstance(value, Let) and any([v in self.open for v, _ in value.bindings]):
                    value = cast(Let, refresh(value))
                self.opens(var, value)
                if isinstance(value, Require):
                    kept.append(value)
                    undo.append(self.facts.assume(value.condition, True))
                    self.go_under(value.condition, True)
                    value = value.body
                else:
                    for v, inner in value.bindings:
                        self._keep(v, inner, kept, opened)
                    value = value.body
            self._bind(var, value, uses, kept, opened)
        body = self.run(term.body)
        if isinstance(body, Let) and kept and any([v in self.open for v, _ in body.bindings]):
            body = refresh(body)
        self.mark = outside
        for conditions in reversed(undo):
            self.facts.forget(conditions)
        for var, fresh, saved in reversed(opened):
            if fresh is not None:
                self.facts.definitions.pop(fresh, None)
                self.leave(var, fresh, saved)
            else:
                self.drop(var)
                if saved is not None:
                    self.put(var, saved)
        return term if body is term.body and _are_same(kept, term.bindings) else _assemble(kept, body)

    # -- what walks that record their steps are told (optimise/recorded.py) ------------------------------------------

    def in_rows(self, scope: Let, by_rows: Let) -> None:  # noqa: ARG002
        """Note that arrays of a scope are computed row by row."""
        self.trace.record("array contraction")
        self.progress = True

    def unused(self, var: Var, value: Term) -> None:  # noqa: ARG002
        """Note that a definition is left out that nothing uses."""
        self.progress = True

    def opens(self, var: Var, value: Let | Require) -> None:
        """Note that the definitions in that of a variable come before it."""

    def split(self, name: str, var: Var, again: Splitting, made: Split) -> None:  # noqa: ARG002
        """Note that a definition is made of others, as `again` says of its value."""
        self.trace.record(name)

    def in_sums(self, var: Var, value: Term, made: Summing, kept: list[Item], opened: Opened) -> None:
        """In the place of a sum, those that it is made of."""
        self.trace.record("project_sum")
        sums, whole = made(value)
        names = [self._named(hint, self.again(loop), 2, None, kept, opened) for hint, loop in sums]
        self._replace(var, whole(names), opened)

    # -- the decisions -------------------------------------------------------------------------------------------------

    def _replace(self, var: Var, value: Term, opened: Opened) -> None:
        opened.append((var, None, self.env.get(var)))
        self.put(var, value)
        self.progress = True

    def _keep(self, var: Var, value: Term, kept: list[Item], opened: Opened) -> Var:
        fresh, saved = self.enter(var)
        opened.append((var, fresh, saved))
        self.facts.definitions[fresh] = value
        self.learn(fresh)
        kept.append((fresh, value))
        return fresh

    def _named(self, hint: Hint, value: Term, count: int, uses: Uses | None, kept: list[Item], opened: Opened) -> Term:
        """`value` itself if it need not be bound, else a new variable bound to it."""
        if is_trivial(value) or count == 0:
            return value
        if isinstance(value, MakeTuple | Vector):
            items = [
                self._named(hint.part(k, k), item, count, None, kept, opened) for k, item in enumerate(value.items)
            ]
            if isinstance(value, MakeTuple):
                return MakeTuple(tuple(items), value.type)
            value = Vector(tuple(items))
        return self._keep(hint.var(value.type), value, kept, opened)

    def _may_leave(self, value: Term, condition: Term) -> bool:
        """May `value` be evaluated also where the condition, an equation of integers, does not hold?

        If it cannot fail.  And where the condition says which of a loop's indices are meant, as structural zeros do, what is
        read there for one of them is there for all.
        """
        if cannot_fail(value, self.facts):
            return True
        is_of_loop = any([x in self.facts.ranges for x in children(condition) if isinstance(x, Var)])
        return is_of_loop and not any([t.failing is Failing.ALWAYS for t in subterms(value)])

    def _bind(self, var: Var, value: Term, uses: Uses | None, kept: list[Item], opened: Opened) -> None:
        once = uses is not None and uses.count <= 1 and not uses.in_loop and not isinstance(value, Check)
        value = self._with_named_checks(value, kept, opened)
        hint = Hint.of(var)
        match value:
            case _ if is_trivial(value):
                return self._replace(var, value, opened)
            case MakeTuple(items):
                new = []
                for k, item in enumerate(items):
                    count = 2 if uses is None else uses.positions.get(k, 0) + uses.whole
                    if (
                        once
                        and isinstance(value, MakeTuple)
                        and count == 1
                        and size_of_tree(item) <= thresholds.INLINED_NODES
                    ):
                        new.append(item)
                    else:
                        new.append(self._named(hint.part(k, k), item, count, None, kept, opened))
                return self._replace(var, MakeTuple(tuple(new), value.type), opened)
            case Delta(size, index, element):
                index = self._named(hint.inside("at"), index, 2, None, kept, opened)
                element = self._named(hint.inside("value"), element, 2, None, kept, opened)
                return self._replace(var, Delta(size, index, element), opened)
            case If(condition, then, Zero() as zero) if (
                not isinstance(value.type, Array) and on_indices(condition) and self._may_leave(then, condition)
            ):
                then = self._named(hint.inside("value"), then, 2, None, kept, opened)
                return self._replace(var, If(condition, then, zero), opened)
        parts = guarded_parts(value) if isinstance(value, Prim) else None
        if parts is not None and are_exclusive(parts, self.facts) and all([self._may_leave(x, c) for _, c, x in parts]):
            named = [(sign, c, self._named(hint.inside("value"), x, 2, None, kept, opened)) for sign, c, x in parts]
            return self._replace(var, sum_of_parts(named, value), opened)
        if once and size_of_tree(value) <= thresholds.INLINED_NODES:
            if self.policy.fusion is not Fusion.NEVER or not isinstance(value.type, Array):
                return self._replace(var, value, opened)
        if isinstance(value, Vector) and not once:
            items = tuple([self._named(hint.part(k, k), i, 2, None, kept, opened) for k, i in enumerate(value.items)])
            self._keep(var, rebuild(value, items), kept, opened)
            return None
        if isinstance(value, Build) and self._fused(value, uses):
            return self._replace(var, value, opened)
        if self.policy.fission and uses is not None and self._without_unread(var, value, uses, kept, opened):
            return None
        if self.policy.fission and self._divide_sum(var, value, kept, opened):
            return None
        if (
            self.policy.fission
            and isinstance(value, Build)
            and uses is not None
            and self._divide(var, value, uses, kept, opened)
        ):
            return None
        if self.policy.fission and uses is not None and self._narrow(var, value, uses, kept, opened):
            return None
        self.settled[self._keep(var, value, kept, opened)] = value
        return None

    def _is_done(self, value: Term) -> bool:
        """Is a value normal, with nothing to replace in it?"""
        return self.is_normal(value) and (not self.env or self.env.keys().isdisjoint(value.free))

    def _narrow(self, var: Var, value: Term, uses: Uses, kept: list[Item], opened: Opened) -> bool:
        """A loop of whose state some components are never read carries the others alone."""
        if (
            not isinstance(value, Carrying)
            or not isinstance(value.type, Tuple)
            or not isinstance(value.init, MakeTuple)
        ):
            return False
        if uses.whole or len(uses.positions) >= len(value.type.items):
            return False
        again = partial(of_state, read=frozenset(uses.positions), var=var)
        made = again(value)
        if made is None:
            return False
        self.split("project_fold", var, again, made)
        ((name, loop),), whole = made
        self._keep(name, loop, kept, opened)
        self._replace(var, whole, opened)
        return True

    def _with_named_checks(self, value: Term, kept: list[Item], opened: Opened) -> Term:
        """A path with its checks bound to names: they are evaluated where the path was written."""
        match value:
            case Get(array, index):
                new = self._with_named_checks(array, kept, opened)
                if isinstance(index, Check):
                    index = self._keep(Var("at", index.type), index, kept, opened)
                return value if new is array and index is value.index else Get(new, index)
            case Proj(inner, position):
                new = self._with_named_checks(inner, kept, opened)
                return value if new is inner else Proj(new, position)
            case _:
                return value

    def _fused(self, value: Build, uses: Uses | None) -> bool:
        match self.policy.fusion:
            case Fusion.NEVER:
                return False
            case Fusion.ALWAYS:
                return True
            case Fusion.PAYS:
                if uses is None:
                    return pays(value, None, self.costs)
                return makes_few(value, uses) and pays(value, uses.elements, self.costs)

    def _divide(self, var: Var, value: Build, uses: Uses, kept: list[Item], opened: Opened) -> bool:
        """An array of tuples some of whose components are better inlined: those are, the others stay an array."""
        if uses.unsplit or not uses.parts:
            return False
        parts = array_components(value)
        if parts is None:
            return False
        few = makes_few(value, uses)
        read = [k for k in range(len(parts)) if k in uses.parts]
        stored = [k for k in read if not (few and pays(parts[k], uses.parts[k], self.costs))]
        stored = with_shared_work(value, parts, stored, uses.parts, self.costs)
        if len(stored) == len(parts):
            return False
        again = partial(of_components, stored=tuple(stored), var=var)
        made = again(value)
        if made is None:
            return False
        self.split("array_of_tuples", var, again, made)
        items, whole = made
        for name, array in items:
            self._keep(name, array, kept, opened)
        self._replace(var, self.again(whole), opened)
        return True

    def _without_unread(self, var: Var, value: Term, uses: Uses, kept: list[Item], opened: Opened) -> bool:
        """A sum of tuples, or an array of them, of which some components are never read, is made of the others."""
        read = read_of_sum(value, uses)
        if read is not None and isinstance(value.type, Tuple):
            self.in_sums(var, value, partial(read_sums, read=tuple(read), hint=Hint.of(var)), kept, opened)
            return True
        one = read_of_array(value, uses)
        if one is None:
            return False
        again = partial(of_one, one=one, var=var)
        made = again(value)
        if made is None:
            return False
        self.split("array_of_tuples", var, again, made)
        ((array, part),), whole = made
        self._keep(array, self.again(part), kept, opened)
        self._replace(var, self.again(whole), opened)
        return True

    def _divide_sum(self, var: Var, value: Term, kept: list[Item], opened: Opened) -> bool:
        """A sum of tuples: parts that are zero under unlike conditions are sums of their own, which can lose their loops."""
        match value:
            case Reduce(Reduction.SUM, _, _, body) if isinstance(value.type, Tuple) and is_written_out(body):
                parts = [chosen(body, (k,)) for k in range(len(value.type.items))]
            case _:
                return False
        apart = by_guards(parts)
        if len(apart) < 2:
            return False
        self.in_sums(var, value, partial(sums_apart, groups=apart, hint=Hint.of(var)), kept, opened)
        return True


def makes_few(value: Term, uses: Uses) -> bool:
    """Are the copies of a value few nodes, if it is computed wherever it is read?"""
    return uses.count <= 1 or uses.count * size_of_tree(value) <= thresholds.COPIED_NODES


def _are_same(kept: list[Item], bindings: tuple[tuple[Var, Term], ...]) -> bool:
    """Are these definitions the same objects in the same order?"""
    if len(kept) != len(bindings):
        return False
    for item, (var, value) in zip(kept, bindings, strict=True):
        if isinstance(item, Require) or item[0] is not var or item[1] is not value:
            return False
    return True


def _assemble(kept: list[Item], body: Term) -> Term:
    bindings: list[tuple[Var, Term]] = []
    for item in reversed(kept):
        if isinstance(item, Require):
            inner = let(tuple(reversed(bindings)), body)
            body = Require(item.condition, inner, item.failure, item.numbers, item.site)
            bindings = []
        else:
            bindings.append(item)
    return let(tuple(reversed(bindings)), body)
