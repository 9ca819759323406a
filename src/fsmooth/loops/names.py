"""The names of one function of loops: C identifiers, each given once, but for indices, which loops side by side may share."""

from __future__ import annotations

from fsmooth.core.hints import Hint
from fsmooth.core.term import NOWHERE
from fsmooth.core.types import INT
from fsmooth.loops.identifiers import identifier
from fsmooth.loops.tree import Name


class Names:
    """The names that are taken; `hints` are, for each, what it was made from."""

    def __init__(self) -> None:
        self.hints: dict[str, Hint] = {}
        self._counts: dict[str, int] = {}
        self._taken: set[str] = set()
        self._indices: set[str] = set()
        self._open: set[str] = set()

    def fresh(self, like: str | Hint) -> str:
        """A C identifier that is not used yet in this function."""
        hint = Hint(like) if isinstance(like, str) else like
        base = identifier(hint.text)
        count = self._counts.get(base, 0)
        name = base if count == 0 else f"{base}_{count}"
        while name in self._taken or name in self._indices:
            count += 1
            name = f"{base}_{count}"
        self._counts[base] = count + 1
        self._taken.add(name)
        self.hints[name] = hint
        return name

    def beside(self, name: str, suffix: str) -> str:
        """Likewise, for what belongs to something that has a name, and comes from where that does."""
        return self.fresh(Hint(f"{name}_{suffix}", self.hints[name].site if name in self.hints else NOWHERE))

    def open_index(self, hint: str) -> Name:
        """The name of a loop index: the user's, if no enclosing loop and nothing else has it."""
        base = identifier(hint)
        name, count = base, 0
        while name in self._open or name in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._indices.add(name)
        self._open.add(name)
        return Name(name, INT)

    @property
    def in_loop(self) -> bool:
        """Is a loop being written?"""
        return bool(self._open)

    def close_index(self, index: Name) -> None:
        """Let the next loop use the name."""
        self._open.discard(index.name)
