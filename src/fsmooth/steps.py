"""What a program went through on its way to C, step by step (`Function.trace`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from msgspec import Struct

from fsmooth.core.cost import cost
from fsmooth.core.polynomial import Polynomial
from fsmooth.core.term import NOWHERE, Site, Term
from fsmooth.core.traverse import steps, subterms
from fsmooth.driver import Stages, with_deep_recursion
from fsmooth.errors import StrategyError
from fsmooth.rewrite.replay import replayed
from fsmooth.rewrite.strategy import REGISTRY
from fsmooth.rewrite.trace import Trace

if TYPE_CHECKING:
    from fsmooth.entries import Entry

WIDTH = 72
"""Terms are shown up to so many characters."""


class Step(Struct, frozen=True):
    """One rewriting: by a rule, of a definition or a loop, or of the whole term by a pass.

    `rule` is what fired, `source` where that law comes from; `before` became `after`; `line` is a line of the program that
    the term comes from, 0 if none is known.
    """

    rule: str
    before: Term
    after: Term

    @property
    def source(self) -> str:
        """The paper and figure of the rule."""
        found = REGISTRY.get(self.rule)
        return "" if found is None else found.source

    @property
    def costs(self) -> tuple[Polynomial, Polynomial]:
        """What evaluating the term costs, before and after."""
        return cost(self.before), cost(self.after)

    @property
    def site(self) -> Site:
        """A place of the program that the term comes from: the last line of those it has."""
        sites = [getattr(part, "site", None) for part in subterms(self.before)]
        sites += [x.site for part in subterms(self.before) for step in steps(part) if (x := step.var) is not None]
        return max([site for site in sites if isinstance(site, Site)], key=lambda site: site.line, default=NOWHERE)

    @property
    def line(self) -> int:
        """A line of the program that the term comes from."""
        return self.site.line

    def __str__(self) -> str:
        before, after = self.costs
        cheaper = str(before) if before == after else f"{before} → {after}"
        return f"{self.rule:24} {_short(self.before)}  ~>  {_short(self.after)}   {cheaper}"


class Steps(Sequence[Step]):
    """The steps in their order.  Printed, each is a line with a number."""

    def __init__(self, trace: Trace, start: Term | None = None, end: Term | None = None) -> None:
        """`start` and `end` are the program before and after."""
        self._trace, self._start, self._end = trace, start, end
        self._steps = [Step(f.name, f.before, f.after) for f in trace.firings or []]

    @staticmethod
    def of(entry: Entry, values: Mapping[str, object]) -> Steps:
        """What the program of an entry went through, for these arguments."""
        stages = traced(entry, values)
        return Steps(stages.trace, stages.terms["definition"], stages.terms["optimised"])

    def replay(self) -> Term:
        """The term that the steps reach from the program as it is written, each done once more: found in the whole term, made by
        its rule as a function under what is known at its place, and compared with what is recorded.

        Raises:
            StrategyError: with the number of the step that cannot be found there, or gives something else.

        """
        start, end = self._start, self._end
        if start is None or end is None:
            raise StrategyError("these steps lead from no program to another\n  hint: `f.trace(...).replay()`")
        return with_deep_recursion(lambda: replayed(self._trace, start, end))

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def __str__(self) -> str:
        return "\n".join([f"{n:4d}  {step}" for n, step in enumerate(self._steps, 1)])

    def __repr__(self) -> str:
        return f"<{len(self)} steps>"


def traced(entry: Entry, values: Mapping[str, object]) -> Stages:
    """All stages, made anew for these arguments, with each firing of a rule."""
    return entry.compiled(entry.sizes(entry.inputs(values)), Trace([]))


def _short(term: Term) -> str:
    text = " ".join(str(term).split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
