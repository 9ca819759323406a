"""Tabulation of a nest: what depends on some of the loops around it, but not on one further out, becomes an array.

In a loop over r inside a loop over k inside a loop over i, a subterm that depends on k and r only is an array over k
and r, computed once outside all three (exp(q) in GMM); one that depends on r only is an array over r (`1/v[j]` in NNMF);
one that depends on i and r is an array over r in the loop over i.  Where the size of an inner loop depends on k, the
array is the rectangle around the triangle, and zero where the loops do not come.

Only what costs more than its entry is tabulated, for as many iterations as it is the same in.  What can fail must be
evaluated in every iteration of all those loops: then the table leaves them under a test whether they run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.hints import Hint
from fsmooth.core.term import (
    Build,
    Check,
    Collect,
    Const,
    Get,
    If,
    IFold,
    Prim,
    Reduce,
    Require,
    Term,
    Var,
    Vector,
    scalar_constant,
)
from fsmooth.core.traverse import children, opens_region
from fsmooth.core.types import Float, Int, Type
from fsmooth.optimise.absent import absent
from fsmooth.optimise.failing import is_certain
from fsmooth.optimise.nesting import Around, Level
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph
from fsmooth.optimise.tables import bound_inside, dependent, entry, weight
from fsmooth.rewrite.trace import Trace

Loop = Build | Reduce | IFold


class Nests:
    """Loops with tables for what is the same in each iteration of a loop further out."""

    def __init__(self, graph: Graph, failing: Mapping[Term, frozenset[Term]], trace: Trace) -> None:
        self.graph = graph
        self.failing = failing
        self.trace = trace
        self._sound: set[Term] = set()

    def tabulated(self, loop: Build | Reduce, around: Around) -> Build | Reduce:
        """`loop`, which stands `around` there, with what it reads from tables."""
        nest = around.nest_of(loop)
        if len(nest) == 1:
            return loop
        inner = bound_inside(loop)
        found: dict[tuple[Type, tuple[Term, ...]], list[Term]] = {}

        def wanted(node: Term, certain: bool) -> bool:
            """No variable from inside the loop, nor of all loops around it."""
            if loop.index not in node.free or not inner.isdisjoint(node.free):
                return False
            over = _over(nest, node)
            if not over or not self._pays(node, nest, over):
                return False
            return (certain and nest[_first_skipped(nest, node)].certain) or not self._can_fail(node)

        for node in self._candidates(loop, wanted):
            key = (node.type, tuple([level.loop for level in _over(nest, node)]))
            found.setdefault(key, []).append(node)
        places: dict[Term, Callable[[Replacement], Term]] = {}
        for same in found.values():
            over = _over(nest, same[0])
            for items in [same] if len(over) == 1 else [[x] for x in same]:
                table = self._table(over, items, [level.loop for level in nest if level not in over])
                if table is None:
                    continue
                indices = [_loop(level).index for level in over]
                positions = [None] if len(items) == 1 else range(len(items))
                places.update({x: entry(self.graph, table, indices, k) for x, k in zip(items, positions, strict=True)})
        if not places:
            return loop
        self.trace.record("tabulation of a nest")
        result = self.graph.loop(Replacement(self.graph, places).copy(loop))
        assert isinstance(result, Build | Reduce)
        return result

    def _table(self, over: tuple[Level, ...], items: list[Term], skipped: list[Term]) -> Term | None:
        """An array over these loops, or nothing if it could not leave those that are skipped."""
        loops = [_loop(level) for level in over]
        own = {loop.index: loop.index.renamed() for loop in loops}
        inside = Replacement(self.graph, {key: _always(var) for key, var in own.items()})
        entries = [inside.of(x) for x in items]
        value = entries[0] if len(entries) == 1 else self.graph.node(Vector(tuple(entries)))
        zeros = [scalar_constant(0, x.type) for x in items]
        zero = zeros[0] if len(zeros) == 1 else self.graph.node(Vector(tuple(zeros)))
        sizes: list[Term] = []
        bounds: dict[Var, Term] = {}
        for loop in loops:
            size = self._largest(loop.size, bounds)
            if size is None:
                return None
            sizes.append(size)
            bounds[loop.index] = size
        for loop, size in zip(reversed(loops), reversed(sizes), strict=True):
            if size is not loop.size:
                test = self.graph.node(Prim(p.less, (own[loop.index], inside.of(loop.size))))
                value = self.graph.node(If(test, value, zero))
        for loop, size in zip(reversed(loops), reversed(sizes), strict=True):
            value = self.graph.loop(Build(size, own[loop.index], value))
        if absent(value) is None and any([self._can_fail(x) for x in items]) and not all(map(_runs, skipped)):
            return None
        self.graph.names.setdefault(value, Hint("table"))
        self.graph.tables.setdefault(value, set()).update([loop.size for loop in loops])
        return value

    def _largest(self, size: Term, bounds: Mapping[Var, Term]) -> Term | None:
        """What `size` is at most, for indices below these bounds; None if that is not simple."""
        if size.free.isdisjoint(bounds):
            return size
        match size:
            case Var():
                return bounds.get(size)
            case Prim(primitive, (a, b)) if primitive is p.add:
                parts = self._largest(a, bounds), self._largest(b, bounds)
            case Prim(primitive, (a, b)) if primitive is p.subtract and _not_negative(b):
                parts = self._largest(a, bounds), Const(0) if not b.free.isdisjoint(bounds) else b
            case _:
                return None
        left, right = parts
        if left is None or right is None:
            return None
        if isinstance(right, Const) and right.value == 0:
            return left
        return self.graph.node(Prim(primitive, (left, right)))

    def _pays(self, node: Term, nest: tuple[Level, ...], over: tuple[Level, ...]) -> bool:
        """Evaluations x weight against storing each entry and loading it in each evaluation.

        A table of several indices must be no larger than an array that is read there, or worth a loop.
        """
        indices = frozenset([_loop(level).index for level in over])
        each = weight(node, indices)
        if len(over) > 1 and (
            each <= 2 * thresholds.ENTRY or (each < thresholds.LOOP and not _reads_at(node, indices))
        ):
            return False
        skipped = prod([_trips(level) for level in nest[_first_skipped(nest, node) :] if level not in over])
        return each > thresholds.ENTRY and skipped * each > each + 1.0 + skipped * thresholds.ENTRY

    def _can_fail(self, node: Term) -> bool:
        """Of new nodes only what they are made of is known."""
        seen: set[Term] = set()
        stack = [node]
        while stack:
            n = stack.pop()
            if n in self.failing or isinstance(n, Check | Require):
                return True
            if n not in seen:
                seen.add(n)
                stack.extend([c for c in children(n) if c not in self._sound])
        self._sound |= seen
        return False

    def _candidates(self, loop: Build | Reduce, wanted: Callable[[Term, bool], bool]) -> list[Term]:
        """Numbers that are `wanted`, the largest, where the loop evaluates them or loops in it do, but not in branches.

        `wanted` is told whether each iteration evaluates the node without condition.
        """
        chosen: list[Term] = []
        seen: set[Term] = set()
        certain, stack = True, [loop.body]
        inside: list[Term] = []
        while stack or inside:
            if not stack:
                certain, stack, inside = False, inside[::-1], []
            node = stack.pop()
            if node in seen or loop.index not in node.free or isinstance(node, Var):
                continue
            seen.add(node)
            if _is_entry(node) and wanted(node, certain):
                chosen.append(node)
                continue
            parts = children(node)
            if isinstance(node, If):
                parts = parts[:1]
            elif isinstance(node, IFold | Collect):
                parts = parts[:2] if isinstance(node, IFold) else parts[:1]
            regions = [c for k, c in enumerate(parts) if opens_region(node, k)]
            stack.extend([c for k, c in reversed(list(enumerate(parts))) if not opens_region(node, k)])
            inside.extend(regions)
        return chosen


def _is_entry(node: Term) -> bool:
    """A real number, or an index that was checked and is work to find: it is not checked again."""
    return isinstance(node.type, Float) or (isinstance(node, Check) and not isinstance(node.index, Get))


def _first_skipped(nest: tuple[Level, ...], node: Term) -> int:
    """The position of the outermost loop on which `node` does not depend."""
    for k, level in enumerate(nest):
        if level.variables.isdisjoint(node.free):
            return k
    return len(nest)


def _over(nest: tuple[Level, ...], node: Term) -> tuple[Level, ...]:
    """The loops over which `node` would be tabulated; none if it depends on all, or their sizes on others inside."""
    first = _first_skipped(nest, node)
    over: list[Level] = []
    skipped: set[Var] = set()
    for level in nest[first:]:
        used = level.variables & node.free
        if not used:
            skipped |= level.variables
            continue
        loop = level.loop
        if not isinstance(loop, Loop) or used != {loop.index} or not skipped.isdisjoint(loop.size.free):
            return ()
        over.append(level)
    return tuple(over) if skipped else ()


def _always(term: Term) -> Callable[[Replacement], Term]:
    return lambda replacement: term


def _reads_at(node: Term, indices: frozenset[Var]) -> bool:
    """Does `node` read an array at all of these indices together?"""
    for access in dependent(node, indices):
        if indices <= access.free:
            if isinstance(access, Check):
                return True
            while isinstance(access, Get):
                access = access.array
                if indices.isdisjoint(access.free):
                    return True
    return False


def _loop(level: Level) -> Loop:
    assert isinstance(level.loop, Loop)
    return level.loop


def _runs(loop: Term) -> bool:
    return isinstance(loop, Loop) and is_certain(loop.size)


def _trips(level: Level) -> int:
    match level.loop:
        case Build(Const(n)) | Reduce(_, Const(n)) | IFold(Const(n)):
            return int(n)
        case _:
            return int(thresholds.TRIPS)


def _not_negative(term: Term) -> bool:
    """Indices and sizes of arrays, and sums of them."""
    match term:
        case Var():
            return isinstance(term.type, Int)
        case Const(value):
            return value >= 0
        case Prim(primitive, (a, b)) if primitive is p.add:
            return _not_negative(a) and _not_negative(b)
        case _:
            return False
