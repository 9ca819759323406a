"""What the walks of one simplification know of each other: which subterms are normal where, so that none is walked again
where nothing has changed.

A walk marks each term that it finds normal with itself and the context it stands in.  A later walk takes the term as it is
in the same context if what is known of its free variables is the same objects as before.  In the context are the
conditions that are assumed there; what is known of a variable is its definition, or the size of the loop it counts.
"""

from __future__ import annotations

from collections.abc import Collection

from fsmooth.core.term import Lam, Let, Term, Var
from fsmooth.core.traverse import is_loop, subterms

_SCOPES = frozenset((Let, Lam))


class Context:
    """What is assumed at a place.  Walks that assume the same terms, one below the other, are in the same context."""

    __slots__ = ("_below", "depth")

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth
        self._below: dict[tuple[Term, bool], Context] = {}

    def under(self, condition: Term, value: bool) -> Context:
        """The context where a condition has this value, too."""
        found = self._below.get((condition, value))
        if found is None:
            found = self.afresh(condition, value)
        return found

    def afresh(self, condition: Term, value: bool) -> Context:
        """The same, where more may be known of the condition than to walks before: this is what later ones find."""
        found = self._below[condition, value] = Context(self.depth + 1)
        return found


class Mark:
    """That a term is normal: the walk that found it so, and where."""

    __slots__ = ("context", "walk")

    def __init__(self, walk: object, context: Context) -> None:
        self.walk = walk
        self.context = context


class Memory:
    """What walks over the same term, one after the other, share."""

    def __init__(self) -> None:
        self.start = Context()
        self._known: set[tuple[Var, Term]] = set()
        self.undecided: Collection[Var] | None = None
        """The let-bound variables about which this walk may decide otherwise than the one before; None if it may of all."""

    def is_settled(self, term: Term) -> bool:
        """Will each definition in a term be treated as before?  Of scopes, only those of whole loops are looked through."""
        if term.kinds.isdisjoint(_SCOPES):
            return True
        if self.undecided is None or not is_loop(term):
            return False
        for part in subterms(term):
            if isinstance(part, Lam) or (
                isinstance(part, Let) and any([x in self.undecided for x, _ in part.bindings])
            ):
                return False
        return True

    def is_new(self, var: Var, known: Term) -> bool:
        """Is it the first time that this is known of a variable?  Copies of a loop's body bind the same ones."""
        before = len(self._known)
        self._known.add((var, known))
        return len(self._known) > before
