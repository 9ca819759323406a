"""Rules and strategies (paper 002, §2; the combinators of ELEVATE).

A strategy takes a term and the facts known there to a new term, or None if it does not apply.  A *rule* is a
strategy that looks at the root of the term only.  Combinators build strategies from strategies:

    identity       the term unchanged
    fail           applies nowhere
    seq(a, b)      a, then b on its result; fails if either does        a >> b
    choice(a, b)   a, or b where a does not apply                       a | b
    attempt(a)     a, or the term unchanged
    repeat(a)      a, until it does not apply
    not_(a)        the term unchanged where a does not apply, else fails
    where(p)       the term unchanged where the predicate p holds, else fails
    try_until(a, n)  a, until it does not apply, at most n times
    mu(f)          the strategy x with x = f(x)
    debug(text)    the term unchanged, noted in the trace

Those that go into a term are in `rewrite.traversal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pickle import PicklingError

from fsmooth import thresholds
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Term
from fsmooth.errors import StrategyError
from fsmooth.rewrite.content import content_of
from fsmooth.rewrite.facts import Facts

Apply = Callable[[Term, Facts], Term | None]


@dataclass(frozen=True, eq=False)
class Strategy:
    """A named way of rewriting.  Strategies compose with `|` (choice) and `>>` (sequence)."""

    name: str
    apply: Apply
    rules: tuple[Rule, ...] = ()
    content: str = ""
    """What it does, as text: of two strategies with one content either may stand for the other."""
    made_of: tuple[Callable[..., object], tuple[object, ...]] | None = None
    """The function and the arguments that it was made by."""

    def __post_init__(self) -> None:
        if not self.content:
            object.__setattr__(self, "content", self.name)

    def run(self, term: Term, facts: Facts) -> Term | None:
        """What `apply` gives; a rule notes in the trace that it fired."""
        return self.apply(term, facts)

    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickled as what it was made of."""
        if self.made_of is None:
            raise PicklingError(f"{self.name} has no name by which another process finds it")
        return self.made_of

    def __call__(self, term: Term, facts: Facts | None = None) -> Term | None:
        if facts is None:
            facts = Facts()
            facts.scope.update(term.free)
        return self.apply(term, facts)

    def __or__(self, other: Strategy) -> Strategy:
        return choice(self, other) if isinstance(other, Strategy) else NotImplemented

    def __rshift__(self, other: Strategy) -> Strategy:
        return seq(self, other) if isinstance(other, Strategy) else NotImplemented

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

    def run(self, term: Term, facts: Facts) -> Term | None:
        result = self.apply(term, facts)
        if result is not None and facts.trace is not None:
            facts.trace.record(self.name, term, result)
        return result

    def __reduce__(self) -> str | tuple[object, ...]:
        return (registered, (self.name,)) if REGISTRY.get(self.name) is self else super().__reduce__()


REGISTRY: dict[str, Rule] = {}


def registered(name: str) -> Rule:
    """The rule of that name."""
    return REGISTRY[name]


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
        made = Rule(function.__name__, function, law=law, source=source, heads=heads, real=real, on=chosen)
        object.__setattr__(made, "rules", (made,))
        object.__setattr__(made, "__doc__", function.__doc__)
        if function.__module__.startswith("fsmooth."):
            REGISTRY[made.name] = made
        return made

    return decorate


# -- combinators ---------------------------------------------------------------------------------------------------


def combined(maker: Callable[..., object], parts: tuple[Strategy, ...], apply: Apply, *others: object) -> Strategy:
    """A strategy made of others, and of what is no strategy, by `maker`, after which it is named."""
    strategies_given(parts, maker.__name__)
    told = ", ".join([*[part.name for part in parts], *[repr(other) for other in others]])
    contents = ", ".join([*[part.content for part in parts], *[repr(other) for other in others]])
    name = maker.__name__
    return Strategy(f"{name}({told})", apply, (), f"{name}({contents})", (maker, (*parts, *others)))


def strategies_given(parts: Iterable[object], name: str) -> None:
    """An error, if one of these is no strategy."""
    for part in parts:
        if not isinstance(part, Strategy):
            raise StrategyError(
                f"{name} of {part!r}, which is no strategy\n  hint: fsmooth.strategies has them, fs.law makes one"
            )


def times_given(times: object, name: str) -> None:
    """An error, if this is not how often something is done."""
    if not isinstance(times, int) or isinstance(times, bool) or times < 0:
        raise StrategyError(f"{name}: {times!r} times\n  hint: give a number from 0 on")


def seq(*strategies: Strategy) -> Strategy:
    """One after the other; fails if any fails."""
    strategies_given(strategies, "seq")

    def apply(term: Term, facts: Facts) -> Term | None:
        current = term
        for strategy in strategies:
            after = strategy.run(current, facts)
            if after is None:
                return None
            current = after
        return current

    texts = [" >> ".join([_in_parentheses(part, text(part)) for part in strategies]) for text in (_name, _content)]
    return Strategy(texts[0], apply, (), texts[1], (seq, strategies))


def choice(*strategies: Strategy) -> Strategy:
    """The first that applies.  A choice of rules is a family of rules."""
    strategies_given(strategies, "choice")

    def apply(term: Term, facts: Facts) -> Term | None:
        for strategy in strategies:
            result = strategy.run(term, facts)
            if result is not None:
                return result
        return None

    families = [s.rules for s in strategies]
    rules = tuple([r for family in families for r in family]) if all(families) else ()
    names, contents = (" | ".join([text(s) for s in strategies]) for text in (_name, _content))
    return Strategy(names, apply, rules, contents, (choice, strategies))


def _name(strategy: Strategy) -> str:
    return strategy.name


def _content(strategy: Strategy) -> str:
    return strategy.content


def _in_parentheses(strategy: Strategy, text: str) -> str:
    """A choice in a sequence has parentheses around it."""
    return f"({text})" if strategy.made_of is not None and strategy.made_of[0] is choice else text


def attempt(strategy: Strategy) -> Strategy:
    """`strategy`, or the term as it is."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = strategy.run(term, facts)
        return term if result is None else result

    return combined(attempt, (strategy,), apply)


def repeat(strategy: Strategy) -> Strategy:
    """`strategy` as often as it applies (fails if it never does)."""

    def apply(term: Term, facts: Facts) -> Term | None:
        result = None
        current = strategy.run(term, facts)
        times = 1
        while current is not None:
            result = current
            current = strategy.run(current, facts)
            times += 1
            if times > thresholds.REWRITES:
                raise StrategyError(
                    f"repeat({strategy.name}) does not end: {times - 1} times by now\n  hint: {_ENDLESS}"
                )
        return result

    return combined(repeat, (strategy,), apply)


_ENDLESS = "what a rule makes must not be what it, or another rule, takes; fs.law says what each does"


def try_until(strategy: Strategy, times: int) -> Strategy:
    """`strategy` as often as it applies, at most so many times; never fails."""
    times_given(times, "try_until")

    def apply(term: Term, facts: Facts) -> Term | None:
        for _ in range(times):
            result = strategy.run(term, facts)
            if result is None:
                break
            term = result
        return term

    return combined(try_until, (strategy,), apply, times)


def not_(strategy: Strategy) -> Strategy:
    """The term as it is, where `strategy` does not apply; fails where it does."""
    return combined(not_, (strategy,), lambda term, facts: term if strategy.apply(term, facts) is None else None)


def where(predicate: Callable[[Term], bool]) -> Strategy:
    """The term as it is, where the predicate holds of it; fails where it does not."""
    if not callable(predicate):
        raise StrategyError(f"where({predicate!r})\n  hint: give a function of a term that says whether it is meant")
    name = f"where({getattr(predicate, '__name__', predicate)})"
    content = f"where({content_of(predicate)})"
    return Strategy(name, lambda term, facts: term if predicate(term) else None, (), content, (where, (predicate,)))


def mu(make: Callable[[Strategy], Strategy]) -> Strategy:
    """The strategy x with x = make(x): recursion, as in paper 002, §5.

    >>> mu(lambda x: attempt(seq(fail, x)))
    mu(x. attempt(fail >> x))
    """
    if not callable(make):
        raise StrategyError(f"mu({make!r})\n  hint: give a function from a strategy to one, `lambda x: …`")
    name, made = "x", _recursive(make, "x")
    while f"mu({name}. " in made.content:  # the x of another
        name += "'"
        made = _recursive(make, name)
    return Strategy(f"mu({name}. {made.name})", made.run, (), f"mu({name}. {made.content})", (mu, (make,)))


def _recursive(make: Callable[[Strategy], Strategy], name: str) -> Strategy:
    """What `make` makes of itself, which is called so."""
    itself = Strategy(name, lambda term, facts: body.run(term, facts))
    body = make(itself)
    strategies_given((body,), "mu")
    return body


def debug(text: str) -> Strategy:
    """The term as it is, which the trace shows under this text."""

    def apply(term: Term, facts: Facts) -> Term | None:
        if facts.trace is not None:
            facts.trace.record(text, term, term)
        return term

    return combined(debug, (), apply, text)


def _identity() -> Strategy:
    return identity


def _fail() -> Strategy:
    return fail


identity = Strategy("identity", lambda term, facts: term, (), "", (_identity, ()))
"""The term as it is."""

fail = Strategy("fail", lambda term, facts: None, (), "", (_fail, ()))
"""Applies nowhere."""
