"""Nodes for nodes in a graph of terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmooth.core.term import Lam, Let, Term, Var
from fsmooth.core.traverse import binds, children, rebuild, remade, steps
from fsmooth.optimise.sharing import Graph


class Replacement:
    """Nodes for nodes, in a graph.  Loops that are copied get indices of their own, as the graph demands."""

    def __init__(self, graph: Graph, replacements: Mapping[Term, Callable[[Replacement], Term]]) -> None:
        self.graph = graph
        self.replacements = replacements
        self.memo: dict[Term, Term] = {}

    def of(self, node: Term) -> Term:
        """`node` with the replacements made in it."""
        found = self.memo.get(node)
        if found is not None:
            return found
        if node in self.replacements:
            new = self.replacements[node](self)
        elif isinstance(node, Lam | Let):
            new = self.graph.node(rebuild(node, [self.of(c) for c in children(node)]))
        elif binds(node):
            new = self.graph.loop(self.copy(node))
        else:
            new = self.graph.rebuilt(node, [self.of(c) for c in children(node)])
        self.memo[node] = new
        return new

    def copy(self, node: Term) -> Term:
        """A loop with the replacements made in it, and fresh indices."""
        found = steps(node)
        new: list[Term] = []
        for step in found:
            new.append(self.of(step.term) if step.var is None else self._own(step.var))
        return remade(node, found, new)

    def _own(self, var: Var) -> Var:
        fresh = self.memo[var] = var.renamed()
        return fresh
