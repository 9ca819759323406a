"""Tabulation through a gather: in a loop over k, what depends on k only through one index g[k] < n.

The subterms become an array over 0 … n-1 (a camera's rotation in bundle adjustment).  A test at run time, n < the trip
count, chooses between the loop with the table and the loop without.

That g[k] < n is tested, for whatever is read there, or all elements of g are required to be indices: then it is one of the array
that is read there, and of no other in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.element_ranges import ranges_in
from fsmooth.core.hints import Hint
from fsmooth.core.term import (
    Build,
    Check,
    Collect,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Prim,
    Reduce,
    Require,
    Term,
    Var,
    Vector,
)
from fsmooth.core.traverse import binds, children, opens_region
from fsmooth.core.types import INT, Float
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph
from fsmooth.optimise.tables import bound_inside, dependent, entry, weight
from fsmooth.rewrite.trace import Trace


class Gather(Struct, frozen=True):
    """An index that depends on the loop's, and what it is below; `array` is what it is proved to be in, None if it is tested."""

    index: Term
    size: Term
    array: Term | None = None

    @property
    def own(self) -> Term:
        """The element of the array of indices."""
        return self.index.index if isinstance(self.index, Check) else self.index


class Gathers:
    """Loops with tables for what they read through gathers."""

    def __init__(self, graph: Graph, failing: Mapping[Term, frozenset[Term]], trace: Trace, root: Term) -> None:
        self.graph = graph
        self.indices = _arrays_of_indices(root)
        self.failing = failing
        self.trace = trace

    def tabulated(self, loop: Build | Reduce) -> Term:
        """The loop, or the choice between it and one with a table."""
        for gather in [*_tested(loop), *_proved(loop, self.graph, self.indices)]:
            chosen = self._through(loop, gather)
            if not chosen:
                continue
            self.trace.record("tabulation through a gather")
            own = Var(f"{loop.index.name}_of", INT)
            inside = Replacement(self.graph, {gather.index: lambda r: own})
            table = self.graph.loop(
                Build(gather.size, own, self.graph.node(Vector(tuple([inside.of(x) for x in chosen]))))
            )
            self.graph.names.setdefault(table, Hint("table"))
            places = {x: entry(self.graph, table, [gather.index], k) for k, x in enumerate(chosen)}
            with_table = self.graph.loop(Replacement(self.graph, places).copy(loop))
            test = self.graph.node(Prim(p.less, (gather.size, loop.size)))
            return self.graph.named_like(loop, self.graph.node(If(test, with_table, loop)))
        return loop

    def _through(self, loop: Build | Reduce, gather: Gather) -> list[Term]:
        """The largest subterms of the body that depend on the loop only through `gather` and cost enough."""
        inner = bound_inside(loop) | {loop.index}
        memo: dict[Term, bool] = {}

        def only(node: Term) -> bool:
            """No failure but the gather's, and no variable of the loop but through it."""
            if node is gather.index:
                return True
            if node is loop.index:
                return False
            known = memo.get(node)
            if known is None:
                if isinstance(node, Check | Require) or binds(node) or self._fails_itself(node):
                    known = False
                elif gather.array is not None and isinstance(node, Get) and loop.index in node.index.free:
                    known = node.index is gather.index and node.array is gather.array
                elif isinstance(node, Var):
                    known = node not in inner
                else:
                    known = all([only(c) for c in children(node)])
                memo[node] = known
            return known

        chosen: list[Term] = []
        seen: set[Term] = set()
        stack, inside = [loop.body], list[Term]()
        branches: list[Term] = []  # what is read there is in the table if there is one anyway: it stands outside them
        while stack or inside or (branches and chosen):
            if not stack and not inside:
                stack, branches = branches[::-1], []
            elif not stack:
                stack, inside = inside[::-1], []
            node = stack.pop()
            if node in seen or loop.index not in node.free or isinstance(node, Var):
                continue
            seen.add(node)
            if isinstance(node.type, Float) and only(node):
                costs = weight(node, frozenset((loop.index,)), gather.index)
                if gather.own.free <= node.free and costs > thresholds.ENTRY:
                    chosen.append(node)
                continue
            parts = children(node)
            if isinstance(node, If) and not isinstance(node.type, Float):
                branches.extend(parts[1:])
                parts = parts[:1]
            elif isinstance(node, IFold | Collect):
                parts = parts[:2] if isinstance(node, IFold) else parts[:1]
            inside.extend([c for k, c in enumerate(parts) if opens_region(node, k)])
            stack.extend([c for k, c in reversed(list(enumerate(parts))) if not opens_region(node, k)])
        return chosen

    def _fails_itself(self, node: Term) -> bool:
        return node in self.failing.get(node, ())


def _tested(loop: Build | Reduce) -> list[Gather]:
    """Checked indices of the body that depend on the loop's index, with a size that does not."""
    found = [node for node in _dependent(loop) if isinstance(node, Check) and _is_element(node.index, loop)]
    bound = bound_inside(loop) | {loop.index} if found else frozenset()
    return [Gather(node, node.size) for node in found if node.size.free.isdisjoint(bound)]


def _proved(loop: Build | Reduce, graph: Graph, indices: frozenset[Term]) -> list[Gather]:
    """Elements of arrays of indices, where they are read in an array that does not depend on the loop."""
    found = [
        node
        for node in _dependent(loop)
        if isinstance(node, Get)
        and isinstance(node.array, Var)
        and isinstance(node.index, Get)
        and node.index.array in indices
        and _is_element(node.index, loop)
        and loop.index not in node.array.free
    ]
    bound = bound_inside(loop) if found else frozenset()
    return [Gather(node.index, graph.node(Length(node.array)), node.array) for node in found if node.array not in bound]


def _arrays_of_indices(root: Term) -> frozenset[Term]:
    """The arrays that the program requires to be of indices before it does anything else (core/element_ranges.py)."""
    found: set[Term] = set()
    body = root.body if isinstance(root, Lam) else root
    while isinstance(body, Require):
        found.update([array for array, _ in ranges_in(body.condition, lambda t: t, lambda size, length: True)])
        body = body.body
    return frozenset(found)


def _dependent(loop: Build | Reduce) -> Iterator[Term]:
    return dependent(loop.body, frozenset((loop.index,)))


def _is_element(index: Term, loop: Build | Reduce) -> bool:
    """Is it an element of an array, at a place that depends on the loop and on nothing inside it?"""
    return isinstance(index, Get) and loop.index in index.free and index.free <= loop.free | {loop.index}
