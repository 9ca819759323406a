"""Fast normalisation by a family of rules: innermost, with facts, each normal subterm visited once.

`normalise(family)` is defined as `repeat(top_down(family))` (rewrite/traversal.py).  This engine reaches the
same normal form in time linear in the term and the number of rewrites: children first, then the rules for
the constructor at the root; what a rule makes is normalised again, and its parts that are normal already are
recognised by a mark.  A substitution is carried along, so definitions are replaced while walking.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, If, Length, Let, Prim, Term, Var
from fsmooth.core.traverse import condition_of, rebuild, remade, steps
from fsmooth.core.types import Int, has_array
from fsmooth.errors import StrategyError
from fsmooth.rewrite.branch_sizes import may_tell_sizes, sizes_in
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.memory import Mark, Memory
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.trace import Trace

_LEAVES = (Var, Const)


class Normaliser:
    """One walk over a term with one family of rules."""

    def __init__(self, rules: Iterable[Rule], trace: Trace | None = None, memory: Memory | None = None) -> None:
        """`memory` is that of the walks before, over the same term with the same rules."""
        self.by_head: dict[type, list[Rule]] = {}
        for r in rules:
            for head in r.heads:
                self.by_head.setdefault(head, []).append(r)
        self.decides = _decides(self.by_head.get(If, ()))
        self.by_primitive: dict[Primitive, list[Rule]] = {}
        self.facts = Facts()
        self.trace = trace if trace is not None else Trace()
        self.facts.trace = self.trace
        self.memory = memory if memory is not None else Memory()
        self.mark = Mark(self, self.memory.start)
        self.changed: set[Var] = set()
        self.env: dict[Var, Term] = {}
        self.dangerous: dict[Var, int] = {}
        self.open: dict[Var, int] = {}
        self.of_own_size: set[Term] = set()
        """Branches whose sizes become others where their conditions hold."""
        self.steps = 0
        self.chain: list[Rule | None] = []
        """The rules that have made what is being normalised, one of what the other made."""

    # -- the walk --------------------------------------------------------------------------------------------------

    def run(self, term: Term) -> Term:
        """The normal form of `term` under the current facts and substitution."""
        if isinstance(term, Var):
            found = self.env.get(term, term) if self.env else term
            return self.facts.chosen(found) if self.decides and isinstance(found, Var) else found
        if self.is_normal(term) and (not self.env or self.env.keys().isdisjoint(term.free)):
            return term
        return self.finish(self.step(term))

    def is_normal(self, term: Term) -> bool:
        """Has this walk found so, or one before it, where nothing has changed since?

        A condition and what it guards may share the sizes that it compares, of which more is known below it.
        """
        mark = term.mark
        if mark is self.mark:
            return True
        if not isinstance(mark, Mark):
            return False
        if mark.walk is self:
            return mark.context.depth >= self.mark.context.depth or not _is_size(term)
        if mark.context is not self.mark.context or not self.changed.isdisjoint(term.free):
            return False
        if not self.memory.is_settled(term):
            return False
        term.mark = self.mark
        return True

    def step(self, term: Term) -> Term:
        """`term` with normal children."""
        declared = term.declared
        if isinstance(term, Let):
            return self.scope(term)
        if isinstance(term, If):
            return self.branch(term)
        if declared.binds or declared.has_regions:
            return self.scoped(term)
        old = declared.children(term)
        new = [self.run(child) for child in old]
        return term if old == tuple(new) else declared.rebuild(term, new)

    def finish(self, term: Term) -> Term:
        """Apply rules at the root of a term whose children are normal, until none applies."""
        if isinstance(term, _LEAVES):
            return term
        rules = self.rules_for(term)
        if rules is not None and not self.is_normal(term):
            for r in rules:
                result = r.apply(term, self.facts)
                if result is not None:
                    self.steps += 1
                    self.fired(r, term, result)
                    return self.again(result, r)
        kept = self.facts.kept_symbolic
        if not kept or kept.isdisjoint(term.free):
            term.mark = self.mark
        return term

    def fired(self, rule: Rule, before: Term, after: Term) -> None:  # noqa: ARG002  (rewrite/recording.py keeps the terms)
        """Note that a rule made one term of another."""
        self.trace.fired[rule.name] += 1

    def rules_for(self, term: Term) -> list[Rule] | None:
        """The rules whose left side can be `term`."""
        if not isinstance(term, Prim):
            return self.by_head.get(type(term))
        found = self.by_primitive.get(term.primitive)
        if found is None:
            found = [r for r in self.by_head.get(Prim, ()) if not r.on or term.primitive in r.on]
            self.by_primitive[term.primitive] = found
        return found

    def again(self, term: Term, made_by: Rule | None = None) -> Term:
        """Normalise what a rule made.  The substitution is done with: its variables are no longer free in it."""
        saved, self.env = self.env, {}
        danger, self.dangerous = self.dangerous, {}
        self.chain.append(made_by)
        if len(self.chain) > thresholds.REWRITES:
            raise endless([rule for rule in self.chain if rule is not None])
        result = self.run(term)
        self.chain.pop()
        self.env, self.dangerous = saved, danger
        return result

    # -- scopes ----------------------------------------------------------------------------------------------------

    def enter(self, var: Var) -> tuple[Var, Term | None]:
        """Go below a binder: the binder to use, and what to give to `leave`.

        A binder is renamed where it would capture, and where the same variable is bound already further out:
        so inside the walk nothing is ever shadowed, and definitions can be looked up by variable.
        """
        saved = self.env.get(var)
        if var in self.dangerous or var in self.open:
            fresh = var.renamed()
            self.put(var, fresh)
        else:
            fresh = var
            if saved is not None:
                self.drop(var)
        self.open[fresh] = 1
        return fresh, saved

    def leave(self, var: Var, fresh: Var, saved: Term | None) -> None:
        """Undo `enter`."""
        del self.open[fresh]
        if var in self.env:
            self.drop(var)
        if saved is not None:
            self.put(var, saved)

    def put(self, var: Var, value: Term) -> None:
        """Replace `var` by `value` from here on."""
        if var in self.env:
            self.drop(var)
        self.env[var] = value
        for free in value.free:
            self.dangerous[free] = self.dangerous.get(free, 0) + 1

    def drop(self, var: Var) -> None:
        """Stop replacing `var`."""
        for free in self.env.pop(var).free:
            count = self.dangerous[free] - 1
            if count:
                self.dangerous[free] = count
            else:
                del self.dangerous[free]

    def scoped(self, term: Term) -> Term:
        """`term` with normal children, each under what is known there: definitions, ranges, conditions."""
        found = steps(term)
        new: list[Term] = []
        opened: list[tuple[Var, Var, Term | None]] = []
        undo: list[tuple[Hashable, bool | None]] = []
        outside = self.mark
        for step in found:
            if step.var is not None:
                fresh, saved = self.enter(step.var)
                opened.append((step.var, fresh, saved))
                undo.extend(self.facts.bind(step, fresh, term, new))
                self.learn(fresh)
                new.append(fresh)
                continue
            given = condition_of(term, step, new)
            new.append(self.run(step.term) if given is None else self.assuming(*given, step.term))
        self.mark = outside
        self.facts.forget(undo)
        for var, fresh, saved in reversed(opened):
            self.leave(var, fresh, saved)
        return remade(term, found, new)

    def scope(self, term: Let) -> Term:
        """A scope: definitions are known while what follows is normalised."""
        return self.scoped(term)

    def branch(self, term: If) -> Term:
        """Both branches, each knowing the condition; only one if the condition is known."""
        condition = self.run(term.condition)
        truth = self.facts.truth(condition) if self.decides else None
        if truth is not None:
            return self.run(self.taken(term, condition, truth))
        then = self.where(condition, True, term.then)
        otherwise = self.where(condition, False, term.otherwise)
        return rebuild(term, [condition, then, otherwise])

    def taken(self, term: If, condition: Term, truth: bool) -> Term:  # noqa: ARG002  (rewrite/recording.py tells it)
        """The branch that is taken."""
        return term.then if truth else term.otherwise

    def where(self, condition: Term, value: bool, branch: Term) -> Term:
        """A branch, knowing the condition.

        What the two branches give is of one size, of which either may be asked (core/shape.py): a size may not become one that
        only the condition makes equal to it.  `if n == length x then build n f else …` is not as long as x elsewhere.
        """
        if branch in self.of_own_size:  # it is met again where a branch around it is
            return self.run(branch)
        result = self.assuming(condition, value, branch)
        if result is branch or not has_array(branch.type) or not may_tell_sizes(condition):
            return result
        if self.has_sizes_of(result, branch):
            return result
        self.of_own_size.add(branch)
        return self.run(branch)

    def has_sizes_of(self, new: Term, old: Term) -> bool:
        """Are the sizes of a branch as they were, whatever is known in it alone?"""
        for made, was in zip(sizes_in(new), sizes_in(old), strict=False):  # not of what is ragged
            if alpha_key(made) != alpha_key(was) and alpha_key(self.again(made)) != alpha_key(self.run(was)):
                return False
        return True

    # -- what is known ---------------------------------------------------------------------------------------------

    def learn(self, var: Var) -> None:
        """Note whether what is known of a variable (its definition, its range) has changed since the walk before."""
        size = self.facts.ranges.get(var)
        if size is not None:
            self.go_under(size, True)
        known = self.facts.definitions.get(var) if size is None else size
        if known is None:
            return
        if self.memory.is_new(var, known) or not self.changed.isdisjoint(known.free):
            self.changed.add(var)
        else:
            self.changed.discard(var)

    def go_under(self, condition: Term, value: bool) -> Mark:
        """Mark terms as normal where a condition has a value, from here on; gives the mark to go back to."""
        outside = self.mark
        around = outside.context
        enter = around.under if self.changed.isdisjoint(condition.free) else around.afresh
        self.mark = Mark(self, enter(condition, value))
        return outside

    def assuming(self, condition: Term, value: bool, term: Term) -> Term:
        """The normal form of a term where a condition has a value."""
        undo = self.facts.assume(condition, value)
        outside = self.go_under(condition, value)
        result = self.run(term)
        self.mark = outside
        self.facts.forget(undo)
        return result


def endless(chain: Sequence[Rule]) -> StrategyError:
    """The error of rules of which one takes what the other makes; their cycle is what comes again at the end."""
    names = [rule.name for rule in chain[-60:]]
    length = next((n for n in range(1, 30) if names[-n:] == names[-2 * n : -n]), 5)
    cycle = ", then ".join(names[-length:])
    told = f"normalising does not end: {len(chain)} rewritings, each of what the one before made"
    return StrategyError(f"{told}; at the end they are {cycle}, again and again\n  hint: {_HINT}")


_HINT = "leave one of them out, or give it a condition"


def _is_size(term: Term) -> bool:
    """Is it a length, or the larger or smaller of two integers?  Conditions say most of these."""
    return isinstance(term, Length) or (
        isinstance(term, Prim) and isinstance(term.type, Int) and term.primitive in (p.maximum, p.minimum)
    )


def _decides(rules: Iterable[Rule]) -> bool:
    """Do the rules take the branch of a condition that is known?  Then the other need not be normalised first."""
    probe = If(Const(True), Const(1), Const(0))
    return any([r.apply(probe, Facts()) is probe.then for r in rules])
