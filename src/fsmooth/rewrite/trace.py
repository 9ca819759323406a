"""A record of which rules fired, for `.explain()` and for tests."""

from __future__ import annotations

from collections import Counter


class Trace:
    """Counts of rules that fired, in the order in which each first did."""

    def __init__(self) -> None:
        self.fired: Counter[str] = Counter()

    def record(self, name: str) -> None:
        """Note that the rule `name` fired once."""
        self.fired[name] += 1

    def __str__(self) -> str:
        return "\n".join(f"{count:6d}  {name}" for name, count in self.fired.items())
