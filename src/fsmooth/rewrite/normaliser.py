"""Fast normalisation by a family of rules: innermost, with facts, each normal subterm visited once.

`normalise(family)` is defined as `repeat(top_down(family))` (rewrite/traversal.py).  This engine reaches the
same normal form in time linear in the term and the number of rewrites: children first, then the rules for
the constructor at the root; what a rule makes is normalised again, and its parts that are normal already are
recognised by a mark.  A substitution is carried along, so definitions are replaced while walking.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core.primitives import Primitive
from fsmooth.core.term import (
    Build,
    Collect,
    Const,
    Get,
    If,
    IFold,
    Lam,
    Let,
    Prim,
    Proj,
    Reduce,
    Require,
    Term,
    Var,
    While,
)
from fsmooth.core.traverse import children, rebuild
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.memory import Context, Mark, Memory
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
        self.memory = memory if memory is not None else Memory()
        self.mark = Mark(self, self.memory.start)
        self.changed: set[Var] = set()
        self.env: dict[Var, Term] = {}
        self.dangerous: dict[Var, int] = {}
        self.open: dict[Var, int] = {}
        self.steps = 0

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
        """Has this walk found so, or one before it, where nothing has changed since?"""
        mark = term.mark
        if mark is self.mark:
            return True
        if not isinstance(mark, Mark):
            return False
        if mark.walk is self:
            return True
        if mark.context is not self.mark.context or not self.changed.isdisjoint(term.free):
            return False
        if not self.memory.is_settled(term):
            return False
        term.mark = self.mark
        return True

    def step(self, term: Term) -> Term:
        """`term` with normal children."""
        match term:
            case Prim() | Get() | Proj():
                return rebuild(term, [self.run(child) for child in children(term)])
            case Const():
                return term
            case Let():
                return self.scope(term)
            case If(condition, then, otherwise):
                return self.branch(term, self.run(condition), then, otherwise)
            case Build(size, index, body):
                size = self.run(size)
                index, body = self.loop_body(size, index, body)
                return term if self._same(term, size, index, body) else Build(size, index, body)
            case Reduce(reduction, size, index, body):
                size = self.run(size)
                index, body = self.loop_body(size, index, body)
                return term if self._same(term, size, index, body) else Reduce(reduction, size, index, body)
            case IFold(size, init, state, index, body):
                return self.fold(term, self.run(size), self.run(init), state, index, body)
            case While(init, state, condition, body):
                return self.steps_while(term, self.run(init), state, condition, body)
            case Lam(parameters, body):
                opened = [self.enter(q) for q in parameters]
                new = self.run(body)
                for (fresh, saved), var in zip(reversed(opened), reversed(parameters), strict=True):
                    self.leave(var, fresh, saved)
                return rebuild(term, [new]) if self._unmoved(opened, parameters) else Lam(self._names(opened), new)
            case Collect():
                return self.collect(term)
            case Require(condition, body):
                condition = self.run(condition)
                numbers = [self.run(n) for n in term.numbers]
                body = self.assuming(condition, True, body)
                return rebuild(term, [condition, *numbers, body])
            case _:
                return rebuild(term, [self.run(child) for child in children(term)])

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
                    self.trace.record(r.name)
                    return self.again(result)
        kept = self.facts.kept_symbolic
        if not kept or kept.isdisjoint(term.free):
            term.mark = self.mark
        return term

    def rules_for(self, term: Term) -> list[Rule] | None:
        """The rules whose left side can be `term`."""
        if not isinstance(term, Prim):
            return self.by_head.get(type(term))
        found = self.by_primitive.get(term.primitive)
        if found is None:
            found = [r for r in self.by_head.get(Prim, ()) if not r.on or term.primitive in r.on]
            self.by_primitive[term.primitive] = found
        return found

    def again(self, term: Term) -> Term:
        """Normalise what a rule made.  The substitution is done with: its variables are no longer free in it."""
        saved, self.env = self.env, {}
        danger, self.dangerous = self.dangerous, {}
        result = self.run(term)
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

    def loop_body(self, size: Term, index: Var, body: Term) -> tuple[Var, Term]:
        """The body of a loop over 0 … size-1, normalised with that range known."""
        fresh, saved = self.enter(index)
        old = self.facts.ranges.get(fresh)
        self.facts.ranges[fresh] = size
        self.learn(fresh, size)
        undo = [*self.facts.repeats(size), *self.facts.runs(size)]
        outside = self.go_under(size, True)
        result = self.run(body)
        self.mark = outside
        self.facts.forget(undo)
        if old is None:
            del self.facts.ranges[fresh]
        else:
            self.facts.ranges[fresh] = old
        self.leave(index, fresh, saved)
        return fresh, result

    def branch(self, term: If, condition: Term, then: Term, otherwise: Term) -> Term:
        """Both branches, each knowing the condition; only one if the condition is known."""
        truth = self.facts.truth(condition) if self.decides else None
        if truth is not None:
            return self.run(then if truth else otherwise)
        then = self.assuming(condition, True, then)
        otherwise = self.assuming(condition, False, otherwise)
        return rebuild(term, [condition, then, otherwise])

    def fold(self, term: IFold, size: Term, init: Term, state: Var, index: Var, body: Term) -> Term:
        """A sequential loop."""
        new_state, saved = self.enter(state)
        undo = self.facts.carry(new_state)
        new_index, new_body = self.loop_body(size, index, body)
        self.facts.forget(undo)
        self.leave(state, new_state, saved)
        if new_state is state and new_index is index:
            return rebuild(term, [size, init, new_body])
        return IFold(size, init, new_state, new_index, new_body)

    def steps_while(self, term: While, init: Term, state: Var, condition: Term, body: Term) -> Term:
        """A loop whose body runs where its condition holds."""
        fresh, saved = self.enter(state)
        condition = self.run(condition)
        undo = self.facts.step(term, fresh, condition)
        outside = self.go_under(condition, True)
        body = self.run(body)
        self.mark = outside
        self.facts.forget(undo)
        self.leave(state, fresh, saved)
        return rebuild(term, [init, condition, body]) if fresh is state else While(init, fresh, condition, body)

    def collect(self, term: Collect) -> Term:
        """A filtered comprehension."""
        count = self.run(term.count)
        opened = []
        for size, index in term.generators:
            size = self.run(size)
            fresh, saved = self.enter(index)
            opened.append((size, index, fresh, saved, self.facts.ranges.get(fresh)))
            self.facts.ranges[fresh] = size
            self.learn(fresh, size)
        guard = self.run(term.guard)
        body = self.assuming(guard, True, term.body)
        for _, index, fresh, saved, old in reversed(opened):
            if old is None:
                del self.facts.ranges[fresh]
            else:
                self.facts.ranges[fresh] = old
            self.leave(index, fresh, saved)
        return Collect(count, tuple([(s, f) for s, _, f, _, _ in opened]), guard, body)

    def scope(self, term: Let) -> Term:
        """A scope: definitions are known while what follows is normalised."""
        opened: list[tuple[Var, Var, Term | None, Term | None]] = []
        bindings: list[tuple[Var, Term]] = []
        for var, value in term.bindings:
            value = self.run(value)
            fresh, saved = self.enter(var)
            opened.append((var, fresh, saved, self.facts.definitions.get(fresh)))
            self.facts.definitions[fresh] = value
            self.learn(fresh, value)
            bindings.append((fresh, value))
        body = self.run(term.body)
        for var, fresh, saved, old in reversed(opened):
            if old is None:
                self.facts.definitions.pop(fresh, None)
            else:
                self.facts.definitions[fresh] = old
            self.leave(var, fresh, saved)
        return Let(tuple(bindings), body)

    # -- what is known ---------------------------------------------------------------------------------------------

    def learn(self, var: Var, known: Term) -> None:
        """Note whether what is known of a variable (its definition, its range) has changed since the walk before."""
        if self.memory.is_new(var, known) or not self.changed.isdisjoint(known.free):
            self.changed.add(var)
        else:
            self.changed.discard(var)

    def go_under(self, condition: Term, value: bool) -> Mark:
        """Mark terms as normal where a condition has a value, from here on; gives the mark to go back to."""
        outside = self.mark
        same = self.changed.isdisjoint(condition.free)
        self.mark = Mark(self, outside.context.under(condition, value) if same else Context())
        return outside

    def assuming(self, condition: Term, value: bool, term: Term) -> Term:
        """The normal form of a term where a condition has a value."""
        undo = self.facts.assume(condition, value)
        outside = self.go_under(condition, value)
        result = self.run(term)
        self.mark = outside
        self.facts.forget(undo)
        return result

    # -- small helpers ---------------------------------------------------------------------------------------------

    @staticmethod
    def _same(term: Build | Reduce, size: Term, index: Var, body: Term) -> bool:
        return term.size is size and term.index is index and term.body is body

    @staticmethod
    def _unmoved(opened: list[tuple[Var, Term | None]], variables: tuple[Var, ...]) -> bool:
        return all([fresh is var for (fresh, _), var in zip(opened, variables, strict=True)])

    @staticmethod
    def _names(opened: list[tuple[Var, Term | None]]) -> tuple[Var, ...]:
        return tuple([fresh for fresh, _ in opened])


def _decides(rules: Iterable[Rule]) -> bool:
    """Do the rules take the branch of a condition that is known?  Then the other need not be normalised first."""
    probe = If(Const(True), Const(1), Const(0))
    return any([r.apply(probe, Facts()) is probe.then for r in rules])
