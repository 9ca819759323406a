"""The constructors of the language, without those that tests define."""

from __future__ import annotations

from fsmooth.core.term import MapTerm, Term


def constructors() -> set[type[Term]]:
    """Each that declares its fields, and no special case of one; those of linear maps count as one."""
    found: set[type[Term]] = set()
    pending = [Term]
    while pending:
        for constructor in pending.pop().__subclasses__():
            if constructor is MapTerm or "declared" in vars(constructor):
                found.add(constructor)
            else:
                pending.append(constructor)
    return {c for c in found if c.__module__.startswith("fsmooth.")}
