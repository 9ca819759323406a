"""Code motion: every shared or invariant subterm is bound once, in the best scope (design §5).

The term becomes a graph in which equal subterms are one node (optimise/sharing.py).  Loops, conditions and tables are
arranged there so that more can move; each node is given its place (optimise/placement.py), and the graph becomes a term
again (optimise/emission.py).
"""

from __future__ import annotations

from fsmooth.core.term import Term
from fsmooth.optimise.emission import emit
from fsmooth.optimise.failing import FailingNodes, StaticSizes, failing_nodes, postorder
from fsmooth.optimise.fission import split_sums
from fsmooth.optimise.placement import Placement
from fsmooth.optimise.reciprocals import share_reciprocals, shared_divisors, steady_divisors
from fsmooth.optimise.sharing import Graph
from fsmooth.optimise.siblings import tabulate_siblings
from fsmooth.optimise.tabulation import tabulate
from fsmooth.optimise.unswitching import unswitch
from fsmooth.rewrite.trace import Trace


def move(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """Share and move; the result computes the same, with nothing computed twice in one scope."""
    graph = Graph()
    return _placed(graph.of(term), graph, trace, static_sizes)


def move_before_derivative(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """`move`, but what is curved stays in its branches (optimise/curved.py)."""
    graph = Graph()
    root, failing = _prepared(graph.of(term), graph, trace, static_sizes)
    return emit(Placement(root, graph, trace, failing, before_derivative=True))


def move_and_share_reciprocals(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """`move`, with one 1/p for all divisions by p."""
    graph = Graph()
    root = graph.of(term)
    return _placed(share_reciprocals(root, shared_divisors(root), graph, trace), graph, trace, static_sizes)


def move_and_share_all_reciprocals(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """`move`, with one 1/p for all divisions by p, one after the other too (real numbers)."""
    graph = Graph()
    root = graph.of(term)
    wanted = shared_divisors(root) | steady_divisors(root)
    return _placed(share_reciprocals(root, wanted, graph, trace), graph, trace, static_sizes)


def _placed(root: Term, graph: Graph, trace: Trace, static_sizes: StaticSizes) -> Term:
    root, failing = _prepared(root, graph, trace, static_sizes)
    return emit(Placement(root, graph, trace, failing))


def _prepared(root: Term, graph: Graph, trace: Trace, static_sizes: StaticSizes) -> tuple[Term, FailingNodes]:
    """The graph with its loops, conditions and tables arranged so that more can move, and what in it can fail."""
    root = split_sums(root, graph, trace)
    failing = failing_nodes(root, postorder(root), static_sizes)
    for prepare in (unswitch, tabulate_siblings, tabulate):
        new = prepare(root, graph, failing, trace)
        if new is not root:
            root, failing = new, failing_nodes(new, postorder(new), static_sizes)
    return root, failing
