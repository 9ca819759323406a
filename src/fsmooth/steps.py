"""What a program went through on its way to C, step by step (`Function.trace`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from msgspec import Struct

from fsmooth.core.cost import cost
from fsmooth.core.polynomial import Polynomial
from fsmooth.core.term import NOWHERE, Site, Term
from fsmooth.core.traverse import subterms
from fsmooth.driver import Stages
from fsmooth.rewrite.strategy import REGISTRY
from fsmooth.rewrite.trace import Firing, Trace

if TYPE_CHECKING:
    from fsmooth.entries import Entry

WIDTH = 72
"""Terms are shown up to so many characters."""


class Step(Struct, frozen=True):
    """One rewriting.

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

    def __init__(self, firings: Sequence[Firing]) -> None:
        self._steps = [Step(f.name, f.before, f.after) for f in firings]

    @staticmethod
    def of(entry: Entry, values: Mapping[str, object]) -> Steps:
        """What the program of an entry went through, for these arguments."""
        return Steps(traced(entry, values).trace.firings or [])

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
