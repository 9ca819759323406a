"""A record of which rules fired, for `.explain()`, for `.trace()` and for tests."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from fsmooth.core.term import Term


class Firing(Struct, frozen=True):
    """One rewriting: what fired, and what it made of which term."""

    name: str
    before: Term
    after: Term


class Trace:
    """Counts of rules that fired, in the order in which each first did; with `firings`, each firing too."""

    def __init__(self, firings: list[Firing] | None = None) -> None:
        self.fired: Counter[str] = Counter()
        self.firings = firings

    def record(self, name: str, before: Term | None = None, after: Term | None = None) -> None:
        """Note that `name` fired once; on which term, and what it made of it, where there is one."""
        self.fired[name] += 1
        if self.firings is not None and before is not None and after is not None:
            self.firings.append(Firing(name, before, after))

    def fresh(self) -> Trace:
        """An empty one of the same kind."""
        return Trace(None if self.firings is None else [])

    def extend(self, other: Trace) -> None:
        """Note all that another one has."""
        self.fired.update(other.fired)
        if self.firings is not None and other.firings is not None:
            self.firings += other.firings

    def __str__(self) -> str:
        return "\n".join(f"{count:6d}  {name}" for name, count in self.fired.items())
