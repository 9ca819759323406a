"""What a schedule is: stages in their order, what they do to a function before it is differentiated, and a term on its way
through them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from typing import Protocol, cast

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from fsmooth.core.term import Term, Var
from fsmooth.errors import StrategyError
from fsmooth.loops.passes.schedule import PLAIN, Passes
from fsmooth.optimise.failing import sizes_of_parameters
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Rule, Strategy, strategies_given
from fsmooth.rewrite.trace import Trace

StaticSizes = Mapping[tuple[Var, int], int]
Stage = Callable[[Term, Trace, StaticSizes], Term]
Stages = tuple[tuple[str, Stage], ...]


class Normalising(Protocol):
    """A stage that normalises by a family of rules."""

    def with_rules(self, rules: tuple[Rule, ...]) -> Stage:
        """The stage with more rules in its family."""


class Lifted(Struct, frozen=True):
    """A strategy as a stage: what it makes of the whole term, or the term as it is where it does not apply."""

    strategy: Strategy

    def __call__(self, term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
        facts = Facts()
        facts.scope.update(term.free)
        facts.static_sizes = static_sizes
        facts.trace = trace
        result = self.strategy.run(term, facts)
        return term if result is None else result


class Destinations(Enum):
    """Are arrays computed where they belong (destination-passing style), or in storage of their own and copied?"""

    PASSED = "passed"
    COPIED = "copied"


class Schedule(Struct, frozen=True):
    """A named order of passes from term to term, and how the result is lowered.

    `first` is what is done to a function that is about to be differentiated, `once` what is done besides if the
    derivative runs it once, and `loops` what is done to the loops that the result becomes.  `whole`, if it is there, removes
    derivatives itself, before the stages.  `content` says all of it, as text: schedules with one content do the same.
    """

    name: str
    stages: Stages
    first: Stages = ()
    once: Stages = ()
    destinations: Destinations = Destinations.PASSED
    loops: Passes = PLAIN
    whole: Stage | None = None
    content: str = ""
    made_of: tuple[Callable[..., Schedule], tuple[object, ...]] | None = None
    """The function and the arguments that it was made by, if it is not one of those with names."""

    def __post_init__(self) -> None:
        if not self.content:
            force_setattr(self, "content", self.name)

    def __reduce__(self) -> str | tuple[object, ...]:
        from fsmooth.optimise.schedules import named  # noqa: PLC0415  (which is made of this)

        return (named, (self.name,)) if self.made_of is None else self.made_of

    @property
    def steps(self) -> dict[str, Strategy]:
        """What is done to the term after derivatives are taken, in order, each step by its name as a strategy that never fails.

        All of them in sequence are the schedule: `st.seq(*schedule.steps.values())`.
        """
        return {name: self.step(name) for name, _ in self.stages}

    def step(self, name: str) -> Strategy:
        """The step of that name."""
        stage = dict(self.stages)[name]
        told = f"{self.name}.step({name!r})"
        return Strategy(told, as_strategy(stage), (), f"{self.content}.step({name!r})", (Schedule.step, (self, name)))

    def with_rules(self, *given: Strategy) -> Schedule:
        """The schedule with these rules, laws and families of rules in each family that it normalises by, before
        differentiation too.

        Raises:
            StrategyError: for what is no rule, and no choice of rules.

        """
        strategies_given(given, "with_rules")
        for strategy in given:
            if not strategy.rules:
                hint = "a strategy comes before or after a schedule, or between its steps"
                raise StrategyError(f"with_rules of {strategy!r}, which is no rule\n  hint: {hint}")
        rules = tuple([rule for strategy in given for rule in strategy.rules])
        told = ", ".join([rule.content for rule in rules])
        return replace(
            self,
            name=f"{self.name} with {', '.join([rule.name for rule in rules])}",
            stages=_with_rules(self.stages, rules),
            first=_with_rules(self.first, rules),
            content=f"{self.content} with {told}",
            made_of=(Schedule.with_rules, (self, *rules)),
        )

    def __rshift__(self, strategy: Strategy) -> Schedule:
        """The schedule, and what `strategy` makes of the term at its end."""
        return replace(
            self,
            name=f"{self.name} >> {strategy.name}",
            stages=(*self.stages, (strategy.name, Lifted(strategy))),
            content=f"{self.content} >> {strategy.content}",
            made_of=(Schedule.__rshift__, (self, strategy)),
        )

    @property
    def before(self) -> Before:
        """What is done to a function that is about to be differentiated."""
        return self.before_derivative(Trace(), {})

    def before_derivative(self, trace: Trace, static_sizes: StaticSizes) -> Before:
        """Likewise, in a program with known sizes."""
        return Before(self.first, self.once, self.stages, trace, static_sizes)

    def __call__(self, term: Term, trace: Trace | None = None, static_sizes: StaticSizes | None = None) -> Term:
        """The optimised term.  `static_sizes` gives the lengths of parameters that are known constants."""
        return _run(self.stages, term, trace if trace is not None else Trace(), static_sizes or {})

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        terms, loops = (" >> ".join([name for name, _ in passes]) for passes in (self.stages, self.loops))
        return f"{self.name}: {terms}; of loops: {loops}"


class Before(Struct, frozen=True):
    """What is done to functions that are about to be differentiated."""

    first: Stages
    once: Stages
    whole: Stages
    trace: Trace
    static_sizes: StaticSizes

    def __call__(self, term: Term) -> Term:
        """The function as either mode wants it."""
        return _run(self.first, term, self.trace, self.static_sizes)

    def run_once(self, term: Term) -> Term:
        """The function, so made, as a derivative wants it that runs it once."""
        return _run(self.once, term, self.trace, self.static_sizes)

    def alone(self, term: Term, static_sizes: StaticSizes) -> OnItsWay:
        """A derivative as it is optimised where it is compiled alone, to compare what it costs."""
        return OnItsWay(self.whole, term, static_sizes, self.trace.fresh())


class OnItsWay:
    """A term on its way through the stages, which run when what they make is asked for, and once."""

    def __init__(self, stages: Stages, term: Term, static_sizes: StaticSizes, trace: Trace) -> None:
        self.trace = trace
        self._stages = stages
        self._static_sizes = static_sizes
        self._term = term
        self._done = 0

    def simplified(self) -> Term:
        """The term after the first stage, fused and sparse: nothing is shared or moved yet (if it is not finished already)."""
        return self._after(1)

    def finished(self) -> Term:
        """The term after all stages."""
        return self._after(len(self._stages))

    def _after(self, wanted: int) -> Term:
        """The term after so many stages."""
        left = self._stages[self._done : wanted]
        self._done = max(self._done, wanted)
        self._term = _run(left, self._term, self.trace, self._static_sizes)
        return self._term


def _with_rules(stages: Stages, rules: tuple[Rule, ...]) -> Stages:
    return tuple([(n, cast(Normalising, s).with_rules(rules) if hasattr(s, "with_rules") else s) for n, s in stages])


def _run(stages: Stages, term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    if trace.firings is not None:
        return _run_recorded(stages, term, trace, sizes)
    for _, stage in stages:
        made = stage(term, trace, sizes)
        sizes = sizes_of_parameters(sizes, term, made)
        term = made
    return term


def _run_recorded(stages: Stages, term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    """The same; what a stage makes is one step, unless it notes its own."""
    for name, stage in stages:
        noted = len(trace.derivations)
        new = stage(term, trace, sizes)
        if not trace.leads(term, new, noted):
            trace.one_step(name, term, new, as_strategy(stage), sizes, noted)
        term = new
    return term


def _again(stage: Stage, term: Term, facts: Facts) -> Term:
    """What a stage makes of a term, as a strategy."""
    return stage(term, Trace() if facts.trace is None else facts.trace, facts.static_sizes)


def as_strategy(stage: Stage) -> Callable[[Term, Facts], Term | None]:
    """A stage as what a strategy applies."""
    return partial(_again, stage)
