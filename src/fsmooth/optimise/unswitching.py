"""Conditions that a loop does not change go around it (loop unswitching; design §5).

    build n (fun i -> if c then a i else b i)   is   if c then build n (fun i -> a i) else build n (fun i -> b i)

Nothing may leave a branch, so what is invariant in a branch inside the loop can leave the loop only like this.
Done where a branch has a loop of its own, which may be invariant; the condition must not be able to fail.
"""

from __future__ import annotations

from collections.abc import Container

from fsmooth import thresholds
from fsmooth.core.term import Build, Const, If, Reduce, Term, Var
from fsmooth.core.traverse import binds, children, subterms
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph, under_definitions
from fsmooth.rewrite.trace import Trace


def unswitch(root: Term, graph: Graph, failing: Container[Term], trace: Trace) -> Term:
    """The root of the graph with invariant conditions outside loops; `failing` are the nodes that can fail."""
    memo: dict[Term, Term] = {}

    def of(node: Term) -> Term:
        if isinstance(node, Var | Const):
            return node
        found = memo.get(node)
        if found is None:
            new = graph.rebuilt(node, [of(c) for c in children(node)])
            found = memo[node] = _unswitched(new, graph, failing, trace)
        return found

    return of(root)


def _unswitched(node: Term, graph: Graph, failing: Container[Term], trace: Trace) -> Term:
    if not isinstance(node, Build | Reduce):
        return node
    definitions, body = under_definitions(node.body)
    match body:
        case If(c, a, b) if node.index not in c.free and c not in failing and _worth_it(node.size, a, b):
            trace.record("loop unswitching")
            own = node.index.renamed()
            other = Replacement(graph, {node.index: lambda r: own}).of(graph.under(definitions, b))
            then = _over(node, node.index, graph.under(definitions, a), graph)
            return graph.node(If(c, then, _over(node, own, other, graph)))
        case _:
            return node


def _over(loop: Build | Reduce, index: Var, body: Term, graph: Graph) -> Term:
    """The same loop over another index and body."""
    match loop:
        case Build(size):
            return graph.loop(Build(size, index, body))
        case Reduce(reduction, size):
            return graph.loop(Reduce(reduction, size, index, body))


def _worth_it(size: Term, then: Term, otherwise: Term) -> bool:
    if isinstance(size, Const):
        return False
    nodes = [*subterms(then), *subterms(otherwise)]
    return len(nodes) <= thresholds.UNSWITCHED and any([binds(n) for n in nodes])
