"""Strategies that go into a term (paper 002, §2; the traversals of ELEVATE).

    one(a)         a on the first child to which it applies
    all_(a)        a on every child
    some(a)        a on every child to which it applies, one at least
    inside(a, f)   a on the child, or the first of the children, that the constructor names f
    at(a, loop=x)  a on the outermost loops whose index is called x, one at least; at(a, line=n): on what stands in that line
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
from fsmooth.core.term import Let, Term, Var
from fsmooth.core.term.fields import Index
from fsmooth.core.traverse import bound_in, children, rebuild, steps
from fsmooth.errors import StrategyError
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Strategy, attempt, choice, combined, repeat, strategies_given


def one(strategy: Strategy) -> Strategy:
    """`strategy` on the first child to which it applies."""

    def apply(term: Term, facts: Facts) -> Term | None:
        term = distinct(term, facts)
        parts = list(children(term))
        for k, part in enumerate(parts):
            result = _inside(term, k, lambda part=part: strategy.run(part, facts), facts)  # type: ignore[misc]
            if result is not None:
                return rebuild(term, [*parts[:k], result, *parts[k + 1 :]])
        return None

    return combined(one, (strategy,), apply)


def all_(strategy: Strategy) -> Strategy:
    """`strategy` on every child; fails if it fails on one."""

    def apply(term: Term, facts: Facts) -> Term | None:
        term = distinct(term, facts)
        new = []
        for k, part in enumerate(children(term)):
            result = _inside(term, k, lambda part=part: strategy.run(part, facts), facts)  # type: ignore[misc]
            if result is None:
                return None
            new.append(result)
        return rebuild(term, new)

    return combined(all_, (strategy,), apply)


def some(strategy: Strategy) -> Strategy:
    """`strategy` on every child to which it applies; fails if there is none."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = _each(term, lambda _: strategy, facts)
        return None if result is term else result

    return combined(some, (strategy,), apply)


def inside(strategy: Strategy, name: str) -> Strategy:
    """`strategy` on the first child to which it applies of those in the field `name`; fails for terms without such a field."""

    def apply(term: Term, facts: Facts) -> Term | None:
        term = distinct(term, facts)
        parts = list(children(term))
        fields = [step.field.name for step in steps(term) if step.var is None]
        for k, (field, part) in enumerate(zip(fields, parts, strict=True)):
            if field == name:
                result = _inside(term, k, lambda part=part: strategy.run(part, facts), facts)  # type: ignore[misc]
                if result is not None:
                    return rebuild(term, [*parts[:k], result, *parts[k + 1 :]])
        return None

    return combined(inside, (strategy,), apply, name)


def at(strategy: Strategy, *, loop: str | None = None, line: int | None = None) -> Strategy:
    """`strategy` at the outermost places that are meant, one at least: loops by the name of their index, or what stands in a
    line of the program.
    """
    if (loop is None) == (line is None):
        raise StrategyError(
            f"at({strategy!r}, loop={loop!r}, line={line!r})\n  hint: give a loop, by its index, or a line"
        )
    strategies_given((strategy,), "at")
    return _at(strategy, loop, line)


def _at(strategy: Strategy, loop: str | None, line: int | None) -> Strategy:
    def is_meant(term: Term) -> bool:
        named = loop is not None and any([x.name == loop for x in _indices(term)])
        sites = [getattr(term, "site", None), *[x.site for x in _indices(term)]]
        return named or (line is not None and line in [site.line for site in sites if site is not None])

    def apply(term: Term, facts: Facts) -> Term | None:
        if is_meant(term):
            return strategy.run(term, facts)
        defined = [] if line is None or not isinstance(term, Let) else [x.site.line == line for x, _ in term.bindings]
        result = _each(term, lambda k: either if k < len(defined) and defined[k] else itself, facts)
        return None if result is term else result

    wanted = f"loop={loop!r}" if line is None else f"line={line}"
    itself = Strategy(
        f"at({strategy.name}, {wanted})", apply, (), f"at({strategy.content}, {wanted})", (_at, (strategy, loop, line))
    )
    either = choice(strategy, itself)
    return itself


def _indices(term: Term) -> list[Var]:
    return [step.var for step in steps(term) if step.var is not None and isinstance(step.field, Index)]


def _each(term: Term, chosen: Callable[[int], Strategy], facts: Facts) -> Term:
    """The term with every child changed to which the strategy for it applies; itself if there is none."""
    own = distinct(term, facts)
    new, changed = [], False
    for k, part in enumerate(children(own)):
        result = _inside(own, k, lambda part=part, k=k: chosen(k).run(part, facts), facts)  # type: ignore[misc]
        new.append(part if result is None else result)
        changed = changed or result is not None
    return rebuild(own, new) if changed else term


def top_down(strategy: Strategy) -> Strategy:
    """`strategy` at the first place where it applies, outermost first."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = strategy.run(term, facts)
        return result if result is not None else below.run(term, facts)

    itself = combined(top_down, (strategy,), apply)
    below = one(itself)
    return itself


def bottom_up(strategy: Strategy) -> Strategy:
    """`strategy` at the first place where it applies, innermost first."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = below.run(term, facts)
        return result if result is not None else strategy.run(term, facts)

    itself = combined(bottom_up, (strategy,), apply)
    below = one(itself)
    return itself


def everywhere(strategy: Strategy) -> Strategy:
    """`strategy` attempted once at every place, innermost first; never fails."""

    def apply(term: Term, facts: Facts) -> Term | None:
        inner = below.run(term, facts)
        assert inner is not None
        result = strategy.run(inner, facts)
        return inner if result is None else result

    itself = combined(everywhere, (strategy,), apply)
    below = all_(itself)
    return itself


def normalise(strategy: Strategy) -> Strategy:
    """`repeat(top_down(strategy))`: the definition, which `rewrite.normaliser` makes fast for families of rules."""
    inner = attempt(repeat(top_down(strategy)))
    made = combined(normalise, (strategy,), inner.apply)
    return Strategy(made.name, inner.apply, strategy.rules, made.content, made.made_of)


def distinct(term: Term, facts: Facts) -> Term:
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
