"""Sums of tuples are taken apart where a part depends on fewer loops than the others (paper 000, Fig. 8g).

    sum n (fun i -> (a i, b i j))   is   (sum n (fun i -> a i), sum n (fun i -> b i j))

in a loop over j: the first sum can then leave that loop.  Parts that depend on the same loops stay together.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.core.term import Const, Length, MakeTuple, Proj, Reduce, Reduction, Term, Var
from fsmooth.core.traverse import bound_in, children, is_loop, opens_region, subterms
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph, under_definitions
from fsmooth.rewrite.trace import Trace


def split_sums(root: Term, graph: Graph, trace: Trace) -> Term:
    """The root of the graph with its sums taken apart where that lets one of them leave a loop."""
    inner = frozenset(
        [var for t in subterms(root) if is_loop(t) for k in range(len(children(t))) for var in bound_in(t, k)]
    )
    memo: dict[Term, Term] = {}

    def of(node: Term) -> Term:
        if isinstance(node, Var | Const):
            return node
        found = memo.get(node)
        if found is None:
            new = graph.rebuilt(node, [of(c) for c in children(node)])
            if isinstance(new, Proj) and isinstance(new.tuple, MakeTuple):
                new = new.tuple.items[new.position]
            found = memo[node] = _split(new, graph, inner, trace)
        return found

    return of(root)


def _split(node: Term, graph: Graph, inner: frozenset[Var], trace: Trace) -> Term:
    if not isinstance(node, Reduce):
        return node
    definitions, body = under_definitions(node.body)
    match node.reduction, body:
        case Reduction.SUM, MakeTuple(items):
            size, index = node.size, node.index
            groups: dict[frozenset[Var], list[int]] = {}
            for k, item in enumerate(items):
                groups.setdefault((item.free & inner) - {index}, []).append(k)
            if len(groups) < 2:
                return node
            trace.record("loop fission")
            parts: dict[int, Term] = {}
            for number, positions in enumerate(groups.values()):
                before = _shared([*definitions, *items], [items[k] for k in positions])
                loop = _sum_of(size, index, before, [items[k] for k in positions], graph, number > 0)
                for j, k in enumerate(positions):
                    parts[k] = loop if len(positions) == 1 else graph.node(Proj(loop, j))
            return graph.node(MakeTuple(tuple([parts[k] for k in range(len(items))]), body.type))
        case _:
            return node


def _sum_of(size: Term, index: Var, definitions: list[Term], items: list[Term], graph: Graph, renamed: bool) -> Term:
    """The sum of some parts; all but the first have indices of their own, as the graph demands."""
    if renamed:
        own = index.renamed()
        replacement = Replacement(graph, {index: lambda r: own})
        index, items = own, [replacement.of(item) for item in items]
        definitions = [replacement.of(value) for value in definitions]
    body = items[0] if len(items) == 1 else graph.node(MakeTuple(tuple(items)))
    return graph.loop(Reduce(Reduction.SUM, size, index, graph.under(definitions, body)))


def _shared(evaluated: list[Term], items: list[Term]) -> list[Term]:
    """The largest parts that are evaluated without condition here, but only under conditions in `items`."""
    parts = {t for item in items for t in subterms(item)}
    seen = set(_unconditional(items, set()))
    return [t for t in _unconditional(evaluated, parts) if t in parts and t not in seen]


def _unconditional(evaluated: list[Term], leaves: set[Term]) -> Iterator[Term]:
    """What these nodes evaluate without condition, down to `leaves`."""
    seen: set[Term] = set()
    stack = [*reversed(evaluated)]
    while stack:
        node = stack.pop()
        if node in seen or isinstance(node, Var | Const):
            continue
        seen.add(node)
        yield node
        if node not in leaves and not isinstance(node, Length):
            stack.extend([c for k, c in enumerate(children(node)) if not opens_region(node, k)])
