"""What a schedule is: stages in their order, what they do to a function before it is differentiated, and a term on its way
through them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from msgspec import Struct

from fsmooth.core.term import Term, Var
from fsmooth.loops.passes.schedule import PLAIN, Passes
from fsmooth.rewrite.trace import Trace

StaticSizes = Mapping[tuple[Var, int], int]
Stage = Callable[[Term, Trace, StaticSizes], Term]
Stages = tuple[tuple[str, Stage], ...]


class Destinations(Enum):
    """Are arrays computed where they belong (destination-passing style), or in storage of their own and copied?"""

    PASSED = "passed"
    COPIED = "copied"


class Schedule(Struct, frozen=True):
    """A named order of passes from term to term, and how the result is lowered.

    `first` is what is done to a function that is about to be differentiated, `once` what is done besides if the
    derivative runs it once, and `loops` what is done to the loops that the result becomes.
    """

    name: str
    stages: Stages
    first: Stages = ()
    once: Stages = ()
    destinations: Destinations = Destinations.PASSED
    loops: Passes = PLAIN

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
        return OnItsWay(self.whole, term, static_sizes)


class OnItsWay:
    """A term on its way through the stages, which run when what they make is asked for, and once."""

    def __init__(self, stages: Stages, term: Term, static_sizes: StaticSizes) -> None:
        self.trace = Trace()
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


def _run(stages: Stages, term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    for _, stage in stages:
        term = stage(term, trace, sizes)
    return term
