"""Rules and strategies (paper 002, §2; the combinators of ELEVATE).

A strategy takes a term and the facts known there to a new term, or None if it does not apply.  A *rule* is a
strategy that looks at the root of the term only.  Combinators build strategies from strategies:

    seq(a, b)      a, then b on its result; fails if either does        a >> b
    choice(a, b)   a, or b where a does not apply                       a | b
    attempt(a)     a, or the term unchanged
    repeat(a)      a, until it does not apply
    one(a)         a on the first child to which it applies
    all_(a)        a on every child
    top_down(a)    a at the first place where it applies, outermost first
    bottom_up(a)   likewise, innermost first
    everywhere(a)  attempt a at every place, innermost first
    normalise(a)   repeat(top_down(a)): until a applies nowhere

Going below a binder or into a branch extends the facts, so a rule may use index ranges and conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsmooth.core.term import Build, Collect, If, IFold, Let, Reduce, Require, Term
from fsmooth.core.traverse import children, rebuild
from fsmooth.rewrite.facts import Facts

Apply = Callable[[Term, Facts], Term | None]


@dataclass(frozen=True, eq=False)
class Strategy:
    """A named way of rewriting.  Strategies compose with `|` (choice) and `>>` (sequence)."""

    name: str
    apply: Apply
    rules: tuple[Rule, ...] = ()

    def __call__(self, term: Term, facts: Facts | None = None) -> Term | None:
        return self.apply(term, facts if facts is not None else Facts())

    def __or__(self, other: Strategy) -> Strategy:
        return choice(self, other)

    def __rshift__(self, other: Strategy) -> Strategy:
        return seq(self, other)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Rule(Strategy):
    """A law, read from left to right.

    `heads` are the constructors a left side can have; `law` is the equation; `source` says where it comes
    from; `real` marks laws that hold for real numbers but not for -0.0, NaN and infinity.
    """

    law: str = ""
    source: str = ""
    heads: tuple[type, ...] = ()
    real: bool = False


REGISTRY: dict[str, Rule] = {}


def rule(law: str, *, source: str, heads: tuple[type, ...] | type, real: bool = False) -> Callable[[Apply], Rule]:
    """Make a rule of a function; the function's name is the rule's.

    >>> from fsmooth.core.term import Proj, MakeTuple
    >>> @rule("fst (a, b)  ~>  a", source="000, Fig. 8f", heads=Proj)
    ... def first(t, facts):
    ...     match t:
    ...         case Proj(MakeTuple((a, _)), 0):
    ...             return a
    ...     return None
    >>> first.law
    'fst (a, b)  ~>  a'
    """
    heads = heads if isinstance(heads, tuple) else (heads,)

    def decorate(function: Apply) -> Rule:
        made = Rule(name=function.__name__, apply=function, law=law, source=source, heads=heads, real=real)
        object.__setattr__(made, "rules", (made,))
        object.__setattr__(made, "__doc__", function.__doc__)
        if function.__module__.startswith("fsmooth."):
            REGISTRY[made.name] = made
        return made

    return decorate


# -- combinators ---------------------------------------------------------------------------------------------------


def seq(*strategies: Strategy) -> Strategy:
    """One after the other; fails if any fails."""

    def apply(term: Term, facts: Facts) -> Term | None:
        current = term
        for strategy in strategies:
            after = strategy.apply(current, facts)
            if after is None:
                return None
            current = after
        return current

    return Strategy(" >> ".join([s.name for s in strategies]), apply)


def choice(*strategies: Strategy) -> Strategy:
    """The first that applies.  A choice of rules is a family of rules."""

    def apply(term: Term, facts: Facts) -> Term | None:
        for strategy in strategies:
            result = strategy.apply(term, facts)
            if result is not None:
                return result
        return None

    families = [s.rules for s in strategies]
    rules = tuple([r for family in families for r in family]) if all(families) else ()
    return Strategy(" | ".join([s.name for s in strategies]), apply, rules)


def attempt(strategy: Strategy) -> Strategy:
    """`strategy`, or the term as it is."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = strategy.apply(term, facts)
        return term if result is None else result

    return Strategy(f"attempt({strategy.name})", apply)


def repeat(strategy: Strategy) -> Strategy:
    """`strategy` as often as it applies (fails if it never does)."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = None
        current = strategy.apply(term, facts)
        while current is not None:
            result = current
            current = strategy.apply(current, facts)
        return result

    return Strategy(f"repeat({strategy.name})", apply)


def one(strategy: Strategy) -> Strategy:
    """`strategy` on the first child to which it applies."""

    def apply(term: Term, facts: Facts) -> Term | None:
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


def _inside(term: Term, child: int, run: Callable[[], Term | None], facts: Facts) -> Term | None:
    """Run with the facts that hold inside child number `child` of `term`."""
    match term:
        case If(condition) if child > 0:
            undo = facts.assume(condition, child == 1)
            result = run()
            facts.forget(undo)
            return result
        case Require(condition) if child == len(children(term)) - 1:
            undo = facts.assume(condition, True)
            result = run()
            facts.forget(undo)
            return result
        case Build(size, index) | Reduce(_, size, index) if child == 1:
            return _with_ranges(((index, size),), run, facts)
        case IFold(size, _, _, index) if child == 2:
            return _with_ranges(((index, size),), run, facts)
        case Collect(_, generators) if child > 0:
            return _with_ranges(tuple([(i, s) for s, i in generators[: child - 1]]), run, facts)
        case Let(bindings) if child > 0:
            old = {var: facts.definitions.get(var) for var, _ in bindings[:child]}
            facts.definitions.update(bindings[:child])
            result = run()
            for var, value in old.items():
                if value is None:
                    facts.definitions.pop(var, None)
                else:
                    facts.definitions[var] = value
            return result
        case _:
            return run()


def _with_ranges(ranges: tuple[tuple[Term, Term], ...], run: Callable[[], Term | None], facts: Facts) -> Term | None:
    old = dict(facts.ranges)
    for index, size in ranges:
        facts.ranges[index] = size  # type: ignore[index]
    result = run()
    facts.ranges.clear()
    facts.ranges.update(old)
    return result


__all__ = [
    "REGISTRY",
    "Rule",
    "Strategy",
    "all_",
    "attempt",
    "bottom_up",
    "choice",
    "everywhere",
    "normalise",
    "one",
    "repeat",
    "rule",
    "seq",
    "top_down",
]
