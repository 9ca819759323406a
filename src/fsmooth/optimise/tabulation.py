"""Tabulation: motion makes arrays (design §5, "Motion makes arrays").

Two cases, both on the graph of optimise/sharing.py:

nest     in a loop over j inside a loop over i, a subterm that depends on j only becomes an array over j,
         computed once outside both (`1/v[j]` in NNMF, exp(q) in GMM);
gather   in a loop over k, the subterms that depend on k only through one checked index g[k] < n become an
         array over 0 … n-1 (a camera's rotation in bundle adjustment).  A test at run time, n < the trip count,
         chooses between the loop with the table and the loop without.

Only what costs more than a load is tabulated.  What can fail must be evaluated in every iteration, of a nest also where
the loop over i has no branch around the loop over j: then the table can leave that loop, under a test whether it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from fsmooth.core import primitives as p
from fsmooth.core.term import (
    Build,
    Check,
    Collect,
    Const,
    Get,
    If,
    IFold,
    Lam,
    Let,
    Prim,
    Reduce,
    Require,
    Term,
    Var,
    Vector,
)
from fsmooth.core.traverse import binds, bound_in, children, opens_region
from fsmooth.core.types import INT, Float
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph
from fsmooth.rewrite.trace import Trace

_LOAD = 4.0

Failing = Mapping[int, frozenset[int]]


def tabulate(root: Term, graph: Graph, failing: Failing, trace: Trace) -> Term:
    """The root of the graph with tables; `failing` are the nodes that can fail, by identity, with what fails in them."""
    return _Tabulation(graph, failing, trace).visit(root, _OUTSIDE)


class Around(NamedTuple):
    """The indices of the loops around a node, and of those that no branch parts from it."""

    all: frozenset[Var]
    near: frozenset[Var]

    def inside(self, node: Term, k: int) -> Around:
        """Around child `k` of `node`."""
        bound = () if isinstance(node, Lam) else bound_in(node, k)
        if bound and not isinstance(node, Collect | Let):
            return Around(self.all.union(bound), self.near.union(bound))
        return Around(self.all.union(bound), frozenset()) if opens_region(node, k) else self


_OUTSIDE = Around(frozenset(), frozenset())


class _Tabulation:
    def __init__(self, graph: Graph, failing: Failing, trace: Trace) -> None:
        self.graph = graph
        self.failing = failing
        self.trace = trace
        self.memo: dict[int, Term] = {}
        self.weights: dict[int, float] = {}

    def visit(self, node: Term, outer: Around) -> Term:
        """`node` with tables in all its loops; `outer` are the loops around it."""
        if isinstance(node, Var | Const):
            return node
        found = self.memo.get(id(node))
        if found is not None:
            return found
        result: Term
        if isinstance(node, Build | Reduce):
            loop = node if outer.all.isdisjoint(node.free) else self._nested(node, outer)
            result = self._gathered(loop)
            if isinstance(result, If):
                outer = outer.inside(result, 1)
                ways = [self._children(way, outer) for way in (result.then, result.otherwise)]
                result = self.graph.rebuilt(result, [result.condition, *ways])
            else:
                result = self._children(result, outer)
        else:
            result = self._children(node, outer)
        self.memo[id(node)] = result
        return result

    def _children(self, node: Term, outer: Around) -> Term:
        return self.graph.rebuilt(node, [self.visit(c, outer.inside(node, k)) for k, c in enumerate(children(node))])

    # -- gather ------------------------------------------------------------------------------------------------------

    def _gathered(self, loop: Build | Reduce) -> Term:
        gathers = _gathers(loop)
        for gather in gathers:
            chosen = self._through(loop, gather)
            if not chosen:
                continue
            self.trace.record("tabulation through a gather")
            own = Var(f"{loop.index.name}_of", INT)
            inside = Replacement(self.graph, {id(gather): lambda r: own})
            table = self.graph.loop(
                Build(gather.size, own, self.graph.node(Vector(tuple([inside.of(x) for x in chosen]))))
            )
            self.graph.names.setdefault(id(table), "table")
            places = {id(x): self._entry(table, gather, k) for k, x in enumerate(chosen)}
            with_table = self.graph.loop(Replacement(self.graph, places).copy(loop))
            test = self.graph.node(Prim(p.less, (gather.size, loop.size)))
            return self.graph.named_like(loop, self.graph.node(If(test, with_table, loop)))
        return loop

    def _through(self, loop: Build | Reduce, gather: Check) -> list[Term]:
        """The largest subterms of the body that depend on the loop only through `gather` and cost enough."""
        inner = _bound_inside(loop.body) | {loop.index}
        memo: dict[int, bool] = {}

        def only(node: Term) -> bool:
            """No failure but the gather's, and no variable of the loop but through it."""
            if node is gather:
                return True
            if node is loop.index:
                return False
            known = memo.get(id(node))
            if known is None:
                if isinstance(node, Check | Require) or binds(node) or self._fails_itself(node):
                    known = False
                elif isinstance(node, Var):
                    known = node not in inner
                else:
                    known = all([only(c) for c in children(node)])
                memo[id(node)] = known
            return known

        return [x for x in self._candidates(loop.body, lambda x, _: only(x)) if gather.index.free <= x.free]

    # -- nest --------------------------------------------------------------------------------------------------------

    def _nested(self, loop: Build | Reduce, outer: Around) -> Build | Reduce:
        inner = _bound_inside(loop.body)
        if not outer.all.isdisjoint(loop.size.free):
            return loop

        def only(node: Term, certain: bool) -> bool:
            if not (outer.all.isdisjoint(node.free) and inner.isdisjoint(node.free)):
                return False
            return (certain and bool(outer.near)) or not self._can_fail(node)

        chosen = [x for x in self._candidates(loop.body, only) if loop.index in x.free]
        if not chosen:
            return loop
        self.trace.record("tabulation of a nest")
        own = loop.index.renamed()
        inside = Replacement(self.graph, {id(loop.index): lambda r: own})
        items = [inside.of(x) for x in chosen]
        value = items[0] if len(items) == 1 else self.graph.node(Vector(tuple(items)))
        table = self.graph.loop(Build(loop.size, own, value))
        self.graph.names.setdefault(id(table), "table")
        places = {id(x): self._entry(table, loop.index, k if len(items) > 1 else None) for k, x in enumerate(chosen)}
        result = self.graph.loop(Replacement(self.graph, places).copy(loop))
        assert isinstance(result, Build | Reduce)
        return result

    def _entry(self, table: Term, index: Term, position: int | None) -> Callable[[Replacement], Term]:
        """Where a tabulated value is found, once the loop has its new index."""

        def entry(replacement: Replacement) -> Term:
            row = self.graph.node(Get(table, replacement.of(index)))
            return row if position is None else self.graph.node(Get(row, Const(position)))

        return entry

    def _can_fail(self, node: Term) -> bool:
        """Of new nodes only what they are made of is known."""
        return any([id(n) in self.failing or isinstance(n, Check | Require) for n in _below(node)])

    def _fails_itself(self, node: Term) -> bool:
        return id(node) in self.failing.get(id(node), ())

    # -- candidates --------------------------------------------------------------------------------------------------

    def _candidates(self, body: Term, only: Callable[[Term, bool], bool]) -> list[Term]:
        """Real-valued nodes for which `only` holds, largest first found, not in branches but those of a selected number.

        `only` is told whether the body evaluates the node without condition.
        """
        chosen: list[Term] = []
        seen: set[int] = set()
        certain, stack = True, [body]
        inside: list[Term] = []
        while stack or inside:
            if not stack:
                certain, stack, inside = False, inside[::-1], []
            node = stack.pop()
            if id(node) in seen or isinstance(node, Var | Const):
                continue
            seen.add(id(node))
            if isinstance(node.type, Float) and only(node, certain):
                if self._weight(node) > _LOAD:
                    chosen.append(node)
                continue
            parts = children(node)
            if isinstance(node, If) and not isinstance(node.type, Float):
                parts = parts[:1]
            elif isinstance(node, IFold | Collect):
                parts = parts[:2] if isinstance(node, IFold) else parts[:1]
            regions = [c for k, c in enumerate(parts) if opens_region(node, k)]
            stack.extend([c for k, c in reversed(list(enumerate(parts))) if not opens_region(node, k)])
            inside.extend(regions)
        return chosen

    def _weight(self, node: Term) -> float:
        """The weight of the distinct nodes below (each counted once)."""
        found = self.weights.get(id(node))
        if found is None:
            found = sum([_own_weight(n) for n in _below(node)])
            self.weights[id(node)] = found
        return found


def _own_weight(node: Term) -> float:
    match node:
        case Prim(primitive) if isinstance(node.type, Float):
            return float(primitive.weight)
        case Get() if isinstance(node.type, Float):
            return 1.0
        case Reduce() | IFold() | Build():
            return 1000.0
        case _:
            return 0.0


def _below(node: Term) -> Iterator[Term]:
    seen: set[int] = set()
    stack = [node]
    while stack:
        t = stack.pop()
        if id(t) not in seen:
            seen.add(id(t))
            yield t
            stack.extend(children(t))


def _gathers(loop: Build | Reduce) -> list[Check]:
    """Checked indices of the body that depend on the loop's index, with a size that does not."""
    found = []
    for node in _below(loop.body):
        if isinstance(node, Check) and loop.index in node.index.free and isinstance(node.index, Get):
            if node.size.free.isdisjoint(_bound_inside(loop.body) | {loop.index}) and node.index.free <= _outer_of(
                loop
            ):
                found.append(node)
    return found


def _outer_of(loop: Build | Reduce) -> frozenset[Var]:
    return loop.free | {loop.index}


def _bound_inside(body: Term) -> frozenset[Var]:
    found: set[Var] = set()
    for node in _below(body):
        if binds(node):
            for k in range(len(children(node))):
                found.update(bound_in(node, k))
    return frozenset(found)
