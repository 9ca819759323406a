"""Strategies that go into a term (paper 002, §2; the traversals of ELEVATE).

    one(a)         a on the first child to which it applies
    all_(a)        a on every child
    top_down(a)    a at the first place where it applies, outermost first
    bottom_up(a)   likewise, innermost first
    everywhere(a)  attempt a at every place, innermost first
    normalise(a)   repeat(top_down(a)): until a applies nowhere

Going below a binder or into a branch extends the facts, so a rule may use index ranges and conditions.  A binder
of a variable that is in scope already is renamed on the way, so that no fact is about another variable.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from fsmooth.core.subst import refresh
from fsmooth.core.term import Term, Var
from fsmooth.core.traverse import bound_in, children, rebuild, steps
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Strategy, attempt, repeat


def one(strategy: Strategy) -> Strategy:
    """`strategy` on the first child to which it applies."""

    def apply(term: Term, facts: Facts) -> Term | None:
        term = _distinct(term, facts)
        parts = list(children(term))
        for k, part in enumerate(parts):
            result = _inside(term, k, lambda part=part: strategy.apply(part, facts), facts)  # type: ignore[misc]
            if result is not None:
                return rebuild(term, [*parts[:k], result, *parts[k + 1 :]])
        return None

    return Strategy(f"one({strategy.name})", apply)


def all_(strategy: Strategy) -> Strategy:
    """`strategy` on every child; fails if it fails on one."""

    def apply(term: Term, facts: Facts) -> Term | None:
        term = _distinct(term, facts)
        new = []
        for k, part in enumerate(children(term)):
            result = _inside(term, k, lambda part=part: strategy.apply(part, facts), facts)  # type: ignore[misc]
            if result is None:
                return None
            new.append(result)
        return rebuild(term, new)

    return Strategy(f"all_({strategy.name})", apply)


def top_down(strategy: Strategy) -> Strategy:
    """`strategy` at the first place where it applies, outermost first."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = strategy.apply(term, facts)
        return result if result is not None else below.apply(term, facts)

    itself = Strategy(f"top_down({strategy.name})", apply)
    below = one(itself)
    return itself


def bottom_up(strategy: Strategy) -> Strategy:
    """`strategy` at the first place where it applies, innermost first."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = below.apply(term, facts)
        return result if result is not None else strategy.apply(term, facts)

    itself = Strategy(f"bottom_up({strategy.name})", apply)
    below = one(itself)
    return itself


def everywhere(strategy: Strategy) -> Strategy:
    """`strategy` attempted once at every place, innermost first; never fails."""

    def apply(term: Term, facts: Facts) -> Term | None:
        inner = below.apply(term, facts)
        assert inner is not None
        result = strategy.apply(inner, facts)
        return inner if result is None else result

    itself = Strategy(f"everywhere({strategy.name})", apply)
    below = all_(itself)
    return itself


def normalise(strategy: Strategy) -> Strategy:
    """`repeat(top_down(strategy))`: the definition, which `rewrite.normaliser` makes fast for families of rules."""
    inner = attempt(repeat(top_down(strategy)))
    return Strategy(f"normalise({strategy.name})", inner.apply, strategy.rules)


def _distinct(term: Term, facts: Facts) -> Term:
    """`term`, with fresh binders if it binds a variable twice, or one that is in scope."""
    bound = bound_in(term, len(children(term)) - 1)
    clash = len(set(bound)) < len(bound) or not facts.scope.isdisjoint(bound)
    return refresh(term) if clash else term


def _inside(term: Term, child: int, run: Callable[[], Term | None], facts: Facts) -> Term | None:
    """Run with the facts that hold inside child number `child` of `term`."""
    undo: list[tuple[Hashable, bool | None]] = []
    before: list[Term] = []
    bound: list[Var] = []
    parts = 0
    for step in steps(term):
        if step.var is not None:
            bound.append(step.var)
            undo.extend(facts.bind(step, step.var, term, before))
        elif parts == child:
            undo.extend(facts.enter(step, term, before))
            break
        else:
            parts += 1
        before.append(step.term)
    facts.scope.update(bound)
    result = run()
    facts.scope.difference_update(bound)
    facts.forget(undo)
    return result
