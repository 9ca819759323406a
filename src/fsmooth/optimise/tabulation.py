"""Tabulation: motion makes arrays (design §5, "Motion makes arrays").

On the graph of optimise/sharing.py, from the outermost loops inwards: what is the same in each iteration of a loop
further out (optimise/nests.py), and what depends on a loop only through a gather (optimise/gathers.py).  The tables
have tables of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.term import Build, Const, If, Reduce, Term, Var
from fsmooth.core.traverse import children
from fsmooth.optimise.gathers import Gathers
from fsmooth.optimise.nesting import Around
from fsmooth.optimise.nests import Nests
from fsmooth.optimise.sharing import Graph
from fsmooth.rewrite.trace import Trace

Failing = Mapping[Term, frozenset[Term]]


def tabulate(root: Term, graph: Graph, failing: Failing, trace: Trace) -> Term:
    """The root of the graph with tables; `failing` are the nodes that can fail, with what fails in them."""
    return _Tabulation(graph, failing, trace, root).visit(root, Around())


class _Tabulation:
    def __init__(self, graph: Graph, failing: Failing, trace: Trace, root: Term) -> None:
        self.graph = graph
        self.nests = Nests(graph, failing, trace)
        self.gathers = Gathers(graph, failing, trace, root)
        self.memo: dict[Term, Term] = {}

    def visit(self, node: Term, around: Around) -> Term:
        """`node` with tables in all its loops."""
        if isinstance(node, Var | Const):
            return node
        found = self.memo.get(node)
        if found is not None:
            return found
        result = node
        if isinstance(node, Build | Reduce):
            result = self.gathers.tabulated(self.nests.tabulated(node, around))
        if isinstance(result, If) and result is not node:
            around = around.inside(result, 1)
            ways = [self._children(way, around) for way in (result.then, result.otherwise)]
            result = self.graph.rebuilt(result, [result.condition, *ways])
        else:
            result = self._children(result, around)
        self.memo[node] = result
        return result

    def _children(self, node: Term, around: Around) -> Term:
        return self.graph.rebuilt(node, [self.visit(c, around.inside(node, k)) for k, c in enumerate(children(node))])
