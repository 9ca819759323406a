"""Nodes for nodes in a graph of terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmooth.core.term import Build, Collect, IFold, Lam, Let, Reduce, Term, Var, While
from fsmooth.core.traverse import binds, children, rebuild
from fsmooth.optimise.sharing import Graph


class Replacement:
    """Nodes for nodes, in a graph.  Loops that are copied get indices of their own, as the graph demands."""

    def __init__(self, graph: Graph, replacements: Mapping[int, Callable[[Replacement], Term]]) -> None:
        self.graph = graph
        self.replacements = replacements
        self.memo: dict[int, Term] = {}
        self.keep: list[Term] = []

    def of(self, node: Term) -> Term:
        """`node` with the replacements made in it."""
        found = self.memo.get(id(node))
        if found is not None:
            return found
        if id(node) in self.replacements:
            new = self.replacements[id(node)](self)
        elif isinstance(node, Lam | Let):
            new = self.graph.node(self.copy(node))
        elif binds(node):
            new = self.graph.loop(self.copy(node))
        else:
            new = self.graph.rebuilt(node, [self.of(c) for c in children(node)])
        self.keep.append(node)
        self.memo[id(node)] = new
        return new

    def copy(self, node: Term) -> Term:
        """A loop with the replacements made in it, and fresh indices."""
        match node:
            case Build(size, index, body):
                return Build(self.of(size), self._own(index), self.of(body))
            case Reduce(reduction, size, index, body):
                return Reduce(reduction, self.of(size), self._own(index), self.of(body))
            case IFold(size, init, state, index, body):
                return IFold(self.of(size), self.of(init), self._own(state), self._own(index), self.of(body))
            case While(init, state, condition, body):
                return While(self.of(init), self._own(state), self.of(condition), self.of(body))
            case Collect(count, generators, guard, body):
                new = tuple([(self.of(size), self._own(index)) for size, index in generators])
                return Collect(self.of(count), new, self.of(guard), self.of(body))
            case _:
                return rebuild(node, [self.of(c) for c in children(node)])

    def _own(self, var: Var) -> Var:
        fresh = var.renamed()
        self.memo[id(var)] = fresh
        self.keep.append(var)
        return fresh
