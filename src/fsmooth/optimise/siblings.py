"""Tabulation of siblings: a number that two loops over the same size compute, each for its own index, becomes an array.

A gradient and a second derivative both ask which centroid is nearest to each point.  Only what takes a loop to compute,
cannot fail, is evaluated in every iteration of both loops, and depends on no other loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fsmooth.core.hints import Hint
from fsmooth.core.term import Build, Const, Lam, Reduce, Term, Var
from fsmooth.core.traverse import bound_in, children, opens_region
from fsmooth.core.types import Float, Int
from fsmooth.optimise.nesting import stops_early
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph
from fsmooth.optimise.tables import below, entry
from fsmooth.rewrite.trace import Trace


def tabulate_siblings(root: Term, graph: Graph, failing: Mapping[Term, frozenset[Term]], trace: Trace) -> Term:
    """The root of the graph with one table for what several loops compute."""
    loops = [node for node in below(root) if isinstance(node, Build | Reduce) and not stops_early(node)]
    found: dict[Term, list[tuple[Build | Reduce, Term]]] = {}
    for loop in loops:
        for node in _numbers(loop, failing):
            own = loop.index.renamed()  # a table is a loop, and every loop of the graph has an index of its own
            inside = Replacement(graph, {loop.index: _always(own)})
            found.setdefault(graph.loop(Build(loop.size, own, inside.of(node))), []).append((loop, node))
    bound = {var for node in below(root) for k in range(len(children(node))) for var in bound_in(node, k)}
    places: dict[Term, Callable[[Replacement], Term]] = {}
    for table, uses in found.items():
        if not table.free <= root.free and not bound.isdisjoint(table.free - _parameters(root)):
            continue  # it belongs into a loop
        others = [(loop, node) for loop, node in uses if loop is not table]
        if len({loop for loop, _ in uses}) > 1 and not _nested([loop for loop, _ in uses]):
            graph.names.setdefault(table, Hint("table"))
            places.update({node: entry(graph, table, [loop.index], None) for loop, node in others})
    if not places:
        return root
    trace.record("tabulation of siblings")
    return Replacement(graph, places).of(root)


def _parameters(root: Term) -> frozenset[Var]:
    return frozenset(root.parameters) if isinstance(root, Lam) else frozenset()


def _always(term: Term) -> Callable[[Replacement], Term]:
    return lambda replacement: term


def _numbers(loop: Build | Reduce, failing: Mapping[Term, frozenset[Term]]) -> Iterator[Term]:
    """What each iteration reduces to a number of its own, and cannot fail."""
    seen: set[Term] = set()
    stack = [loop.body]
    while stack:
        node = stack.pop()
        if node in seen or loop.index not in node.free:
            continue
        seen.add(node)
        stack.extend([c for k, c in enumerate(children(node)) if not opens_region(node, k)])
        if isinstance(node, Reduce) and isinstance(node.type, Float | Int) and node not in failing:
            if not isinstance(node.size, Const):
                yield node


def _nested(loops: list[Build | Reduce]) -> bool:
    """Is one of the loops inside another?"""
    inside = [set(below(loop.body)) for loop in loops]
    return any([loop in nodes for loop in loops for nodes in inside])
