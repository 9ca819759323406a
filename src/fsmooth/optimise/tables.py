"""What tables are made of: what is worth an entry, and how an entry is read (for tabulation)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Check, Const, Get, Prim, Reduce, Term, Var
from fsmooth.core.traverse import binds, bound_in, children, is_loop
from fsmooth.core.types import Float
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.sharing import Graph


def weight(node: Term, variables: frozenset[Var], given: Term | None = None) -> float:
    """The weight of what is computed in `node` anew for other values of the variables, each distinct node counted once.

    `given` is there already: nothing that only it needs is counted.
    """
    return sum([_own_weight(n, variables) for n in dependent(node, variables, given)])


def _own_weight(node: Term, variables: frozenset[Var]) -> float:
    match node:
        case Prim(p.floor_divide | p.modulo):
            return float(node.primitive.weight)
        case Prim(primitive) if isinstance(node.type, Float):
            return float(primitive.weight)
        case Prim(p.multiply) | Check():
            return 0.0 if _is_affine(node, variables) else thresholds.SCATTERED_TEST
        case Get() if isinstance(node.type, Float):
            return 1.0
        case _ if is_loop(node):
            return thresholds.LOOP
        case _:
            return 0.0


def _is_affine(index: Term, variables: frozenset[Var]) -> bool:
    """Is the integer a + b * v in each of the variables v?"""
    if isinstance(index, Var) or variables.isdisjoint(index.free):
        return True
    match index:
        case Prim(p.add | p.subtract | p.negate, parts):
            return all([_is_affine(part, variables) for part in parts])
        case Prim(p.multiply, (a, b)):
            return _is_affine(a, variables) and _is_affine(b, variables) and (a.free & b.free).isdisjoint(variables)
        case Check(inner):
            return _is_affine(inner, variables)
        case _:
            return False


def below(node: Term) -> Iterator[Term]:
    """Every node of `node` once."""
    seen: set[Term] = set()
    stack = [node]
    while stack:
        t = stack.pop()
        if t not in seen:
            seen.add(t)
            yield t
            stack.extend(children(t))


def dependent(node: Term, variables: frozenset[Var], given: Term | None = None) -> Iterator[Term]:
    """Every node of `node` that depends on one of the variables, once; what does not is not walked, nor is `given`."""
    seen = {given}
    stack = [node]
    while stack:
        t = stack.pop()
        if t not in seen and not variables.isdisjoint(t.free):
            seen.add(t)
            yield t
            stack.extend(children(t))


def bound_inside(loop: Build | Reduce) -> frozenset[Var]:
    """The variables of the loops inside that depend on `loop`: what depends on it mentions no others from inside."""
    found: set[Var] = set()
    for node in dependent(loop.body, frozenset((loop.index,))):
        if binds(node):
            for k in range(len(children(node))):
                found.update(bound_in(node, k))
    return frozenset(found)


def entry(graph: Graph, table: Term, indices: Sequence[Term], position: int | None) -> Callable[[Replacement], Term]:
    """Where a tabulated value is found, once the loops have their new indices."""

    def read(replacement: Replacement) -> Term:
        row = table
        for index in indices:
            row = graph.node(Get(row, replacement.of(index)))
        return row if position is None else graph.node(Get(row, Const(position)))

    return read
