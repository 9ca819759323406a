"""Which fields of frames are needed: those that something reads, each once where several are always the same."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.definitions import reachable
from fsmooth.core.term import Field, Inject, Term
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Data

Constructor = tuple[Data, int]


class Fields:
    """Of a program: for each field of a constructor that is read, the position of the field that it is stored as."""

    def __init__(self, program: Term) -> None:
        bodies = [program, *[header.definition for header in reachable(program)]]
        read: dict[Constructor, set[int]] = {}
        made: dict[Constructor, list[Inject]] = {}
        for term in (t for body in bodies if _has_data(body) for t in subterms(body)):
            if isinstance(term, Field) and isinstance(term.operand.type, Data):
                read.setdefault((term.operand.type, term.constructor), set()).add(term.position)
            elif isinstance(term, Inject):
                made.setdefault((term.data, term.constructor), []).append(term)
        self._stored = {key: _stored(sorted(positions), made.get(key, ())) for key, positions in read.items()}

    def stored(self, data: Data, constructor: int) -> list[int]:
        """The positions of the fields that are stored."""
        return sorted(set(self._stored.get((data, constructor), {}).values()))

    def place(self, data: Data, constructor: int, position: int) -> int:
        """The position of the field that a field is stored as."""
        return self._stored[data, constructor][position]


def _has_data(body: Term) -> bool:
    return not body.kinds.isdisjoint((Field, Inject))


def _stored(read: list[int], made: Sequence[Inject]) -> dict[int, int]:
    """Each field that is read, as the first that is the same wherever the frame is made; itself if it is made nowhere."""
    found: dict[int, int] = {}
    for j in read:
        firsts = [k for k in found if found[k] == k and made]
        same = [k for k in firsts if all([alpha_equal(t.items[k], t.items[j]) for t in made])]
        found[j] = same[0] if same else j
    return found
