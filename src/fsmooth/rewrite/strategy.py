"""Rules and strategies (paper 002, §2; the combinators of ELEVATE).

A strategy takes a term and the facts known there to a new term, or None if it does not apply.  A *rule* is a
strategy that looks at the root of the term only.  Combinators build strategies from strategies:

    seq(a, b)      a, then b on its result; fails if either does        a >> b
    choice(a, b)   a, or b where a does not apply                       a | b
    attempt(a)     a, or the term unchanged
    repeat(a)      a, until it does not apply

Those that go into a term are in `rewrite.traversal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Term
from fsmooth.rewrite.facts import Facts

Apply = Callable[[Term, Facts], Term | None]


@dataclass(frozen=True, eq=False)
class Strategy:
    """A named way of rewriting.  Strategies compose with `|` (choice) and `>>` (sequence)."""

    name: str
    apply: Apply
    rules: tuple[Rule, ...] = ()

    def __call__(self, term: Term, facts: Facts | None = None) -> Term | None:
        if facts is None:
            facts = Facts()
            facts.scope.update(term.free)
        return self.apply(term, facts)

    def __or__(self, other: Strategy) -> Strategy:
        return choice(self, other)

    def __rshift__(self, other: Strategy) -> Strategy:
        return seq(self, other)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Rule(Strategy):
    """A law, read from left to right.

    `heads` are the constructors a left side can have, `on` the primitives if it is one (empty: any); `law` is the
    equation; `source` says where it comes from; `real` marks laws that hold for real numbers but not for -0.0, NaN and infinity.

    A law is one or more `left ~> right`, separated by `;`, in F̃ text, which tests parse.  A name of one letter
    that is not bound in it is a metavariable, for any term; `e i` is a term that may mention the bound variable i,
    and `e k` is that term with k for i.  i to n are Ints, c and d Bools, x and y real numbers, v is a vector.
    Conditions follow `where`, joined by `and`: what is known to hold at that place (`0 <= i`), and what sort of
    term a metavariable stands for (`a is a variable`, `k is total`: it cannot fail, `f is strict`: an operation
    that evaluates its argument, `x is small`: cheap arithmetic).  What no equation can say, as the folding of
    constants, is a law that begins with `examples:`; tests hold a table of them.
    """

    law: str = ""
    source: str = ""
    heads: tuple[type, ...] = ()
    real: bool = False
    on: frozenset[Primitive] = frozenset()


REGISTRY: dict[str, Rule] = {}


def rule(
    law: str,
    *,
    source: str,
    heads: tuple[type, ...] | type,
    real: bool = False,
    on: Iterable[Primitive] = (),
) -> Callable[[Apply], Rule]:
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
    >>> REGISTRY.pop("first")
    first
    """
    heads = heads if isinstance(heads, tuple) else (heads,)
    chosen = frozenset(on)

    def decorate(function: Apply) -> Rule:
        made = Rule(name=function.__name__, apply=function, law=law, source=source, heads=heads, real=real, on=chosen)
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
