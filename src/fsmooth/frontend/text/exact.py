"""Text read as the very term that it writes: what the printer wrote, the two sides of a law."""

from __future__ import annotations

from fsmooth.core.term import Term
from fsmooth.frontend.agreement import Steps
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.elaborate import Elaborator


class Exact(Elaborator):
    """Adds no requirements on sizes: the optimiser may have made them elsewhere, and a law knows nothing of sizes."""

    def alike(self, value: Term, model: Term, node: tree.Node, what: str) -> Term:
        """The value as it is written."""
        return value

    def rectangular(self, array: Term, node: tree.Node) -> Term:
        """The array as it is written."""
        return array

    def steady(self, fold: Steps, node: tree.Node) -> tuple[Term, Term]:
        """The loop as it is written."""
        return fold.inits[0], fold.step
