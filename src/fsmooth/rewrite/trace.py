"""A record of which rules fired, for `.explain()`, for `.trace()`, for `Steps.replay()` and for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Site, Term, Var

if TYPE_CHECKING:
    from fsmooth.rewrite.facts import Facts

StaticSizes = Mapping[tuple[Var, int], int]
Again = Callable[[Term, "Facts"], Term | None]


class Firing(Struct, frozen=True):
    """One rewriting: what fired, and what it made of which term.

    For replaying it (rewrite/replay.py): `scope` are the variables bound around the place, outermost first; `path` are the
    numbers of the parts from the last of them on, which tell the place from others that have the same term; `again` does the
    same once more.  Where `defines`, the terms are scopes `let x = a in x`: of a definition, and what takes its place.
    """

    name: str
    before: Term
    after: Term
    scope: tuple[Var, ...] = ()
    path: tuple[int, ...] = ()
    again: Again | None = None
    defines: bool = False


class Derivation(Struct, frozen=True):
    """Firings, from number `first` to before number `last`, that lead from a term to another, one after the other.

    It is part of a later one where it is about something that this makes in one step: a function before it is
    differentiated, say.
    """

    start: Term
    end: Term
    first: int
    last: int
    static_sizes: StaticSizes
    is_part: bool = False


class Trace:
    """Counts of rules that fired, in the order in which each first did; with `firings`, each firing too."""

    def __init__(self, firings: list[Firing] | None = None) -> None:
        self.fired: Counter[str] = Counter()
        self.firings = firings
        self.derivations: list[Derivation] = []
        self.kept: list[Site] = []
        """Where indices are in bounds because of what the steps of a loop keep."""

    def record(self, name: str, before: Term | None = None, after: Term | None = None) -> None:
        """Note that `name` fired once; on which term, and what it made of it, where there is one."""
        self.fired[name] += 1
        if self.firings is not None and before is not None and after is not None:
            self.firings.append(Firing(name, before, after))

    def derived(self, start: Term, end: Term, first: int, static_sizes: StaticSizes) -> None:
        """Note that all firings from number `first` on have led from one term to the other."""
        assert self.firings is not None
        self.derivations.append(Derivation(start, end, first, len(self.firings), static_sizes))

    def one_step(self, name: str, before: Term, after: Term, again: Again, sizes: StaticSizes, since: int) -> None:
        """Note what was made of a whole term at once, if anything was and each firing is to be noted.

        The derivations from number `since` on are parts of it.
        """
        if self.firings is None:
            return
        self.derivations[since:] = [replace(d, is_part=True) for d in self.derivations[since:]]
        if not alpha_equal(before, after):
            self.firings.append(Firing(name, before, after, again=again))
            self.derived(before, after, len(self.firings) - 1, sizes)

    def leads(self, start: Term, end: Term, since: int) -> bool:
        """Do the derivations from number `since` on lead from one term to the other?"""
        for derivation in self.derivations[since:]:
            if derivation.is_part:
                continue
            if derivation.start is not start:
                return False
            start = derivation.end
        return start is end

    def fresh(self) -> Trace:
        """An empty one of the same kind."""
        return Trace(None if self.firings is None else [])

    def extend(self, other: Trace) -> None:
        """Note all that another one has."""
        self.fired.update(other.fired)
        if self.firings is not None and other.firings is not None:
            moved = len(self.firings)
            self.firings += other.firings
            for d in other.derivations:
                self.derivations.append(replace(d, first=d.first + moved, last=d.last + moved))

    def __str__(self) -> str:
        return "\n".join(f"{count:6d}  {name}" for name, count in self.fired.items())
