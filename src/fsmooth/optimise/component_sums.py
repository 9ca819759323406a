"""Sums of arrays that are a component of another sum: they are read there (on the graph of optimise/sharing.py).

    let s = sum n (fun i -> f i) in let t = sum n (fun i -> build m (fun j -> ((f i)[j], g i j))) in c s[j] t[j]
    ~>
    let t = sum n (fun i -> build m (fun j -> ((f i)[j], g i j))) in c t[j].0 t[j]

A product with a Hessian sums pairs of slopes and their tangents; a program that also asks for the gradient sums the
slopes a second time.  Only a sum that is read element by element, so that no array is made of the components; and only
if the wider one is evaluated whenever the program is, once its requirements are met.  (Sums of tuples are summed
component by component: optimise/rules/loop_fission.py.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fsmooth.core.term import (
    Build,
    Delta,
    Get,
    If,
    Lam,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Vector,
    Zero,
)
from fsmooth.core.traverse import children, opens_region, rebuild
from fsmooth.core.types import Tuple, leaf_of, rank_of
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph, under_definitions
from fsmooth.optimise.tables import below
from fsmooth.rewrite.trace import Trace

Readers = Mapping[int, list[Term]]


def read_in_wider_sums(root: Term, graph: Graph, trace: Trace) -> Term:
    """The root of the graph without the sums that are components of wider ones."""
    if isinstance(root, Lam | Require):
        *before, body = children(root)
        return graph.rebuilt(root, [*before, read_in_wider_sums(body, graph, trace)])
    sums = [n for n in below(root) if isinstance(n, Reduce) and n.reduction is Reduction.SUM and rank_of(n.type)]
    narrow = {id(n): n for n in sums if not isinstance(leaf_of(n.type), Tuple)}
    sizes = {id(n.size) for n in narrow.values()}
    wide = [n for n in sums if id(n) not in narrow and id(n.size) in sizes]
    if not wide:
        return root
    evaluated, readers = _evaluated(root), _readers(root)
    places: dict[int, Callable[[Replacement], Term]] = {}
    for whole in wide:
        if id(whole) not in evaluated or any([id(n) in narrow for n in below(whole)]):
            continue
        for position, part in _parts(whole, graph):
            reads = _reads(part, readers) if id(part) in narrow else None
            if reads is not None:
                places[id(part)] = _whole(whole)
                places.update({id(n): _read(n, position, graph) for n in reads})
                trace.record("sum read in a wider one")
    return Replacement(graph, places).of(root) if places else root


def _evaluated(region: Term) -> set[int]:
    """The nodes that are evaluated whenever the region is."""
    seen: set[int] = set()
    stack = [region]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend([c for k, c in enumerate(children(node)) if not opens_region(node, k)])
    return seen


def _readers(root: Term) -> Readers:
    """The nodes of which a node is a child."""
    found: dict[int, list[Term]] = {}
    for node in below(root):
        for child in children(node):
            found.setdefault(id(child), []).append(node)
    return found


# -- components --------------------------------------------------------------------------------------------------------


def _parts(whole: Reduce, graph: Graph) -> Iterator[tuple[int, Term]]:
    """The sums of the components alone, as nodes, as far as these are written out."""
    leaf = leaf_of(whole.type)
    assert isinstance(leaf, Tuple)
    for position in range(len(leaf.items)):
        part = _Component(position, graph).of(whole)
        if part is not None:
            yield position, Replacement(graph, {}).of(part)


class _Component:
    """One component of the elements of arrays of tuples; the loops around it are not nodes yet."""

    def __init__(self, position: int, graph: Graph) -> None:
        self.position = position
        self.graph = graph
        self.known: dict[int, Term | None] = {}

    def of(self, node: Term) -> Term | None:
        if id(node) not in self.known:
            self.known[id(node)] = self._of(node)
        return self.known[id(node)]

    def _of(self, node: Term) -> Term | None:
        match node:
            case Reduce(Reduction.SUM, size, index, body):
                inner = self.of(body)
                return None if inner is None else Reduce(Reduction.SUM, size, index, inner)
            case If(condition, then, otherwise):
                a, b = self.of(then), self.of(otherwise)
                return None if a is None or b is None else self.graph.node(If(condition, a, b))
            case Let():
                definitions, body = under_definitions(node)
                inner = self.of(body)
                if inner is None:
                    return None
                needed = {id(n) for n in below(inner)}
                return self.graph.under([x for x in definitions if id(x) in needed], inner)
            case MakeTuple(items):
                return items[self.position]
            case Build(size, index, body):
                inner = self.of(body)
                if isinstance(inner, Zero) and index not in inner.free:
                    return self.graph.node(Zero((size, *inner.sizes), inner.leaf))
                return None if inner is None else Build(size, index, inner)
            case Delta(size, at, value):
                inner = self.of(value)
                return None if inner is None else self.graph.node(Delta(size, at, inner))
            case Plus(items) | Vector(items):
                parts = [x for x in [self.of(item) for item in items] if x is not None]
                return self.graph.node(rebuild(node, parts)) if len(parts) == len(items) else None
            case _:
                return None if rank_of(node.type) else self.graph.node(Proj(node, self.position))


# -- how they are read -------------------------------------------------------------------------------------------------


def _reads(part: Term, readers: Readers) -> list[Term] | None:
    """The elements that are read of an array, and the definitions of its rows; None if it is read in another way."""
    definitions: list[Term] = []
    rows = {id(part): part}
    for _ in range(rank_of(part.type)):
        inner: dict[int, Term] = {}
        for row in rows.values():
            for reader in readers.get(id(row), []):
                match reader:
                    case Get(array) if array is row:
                        inner[id(reader)] = reader
                    case Let(_, body) if body is not row:
                        definitions.append(reader)
                    case _:
                        return None
        rows = inner
    return [*rows.values(), *definitions]


def _whole(whole: Term) -> Callable[[Replacement], Term]:
    return lambda replacement: replacement.of(whole)


def _read(node: Term, position: int, graph: Graph) -> Callable[[Replacement], Term]:
    """What stands for an element; or for definitions, whose values have other types now."""

    def read(replacement: Replacement) -> Term:
        if isinstance(node, Let):
            definitions, body = under_definitions(node)
            return graph.under([replacement.of(x) for x in definitions], replacement.of(body))
        return graph.node(Proj(graph.node(rebuild(node, [replacement.of(c) for c in children(node)])), position))

    return read
