"""Definitions in a graph (optimise/sharing.py): which of them say that something is evaluated where nothing else does.

    let y = e in b   in a region   is   b

if e cannot fail, or b evaluates without condition whatever in e can.  What is left is what the program evaluates, and
fails in, before loops and branches that read it: code motion may compute it there.
"""

from __future__ import annotations

from collections.abc import Container

from fsmooth.core.term import Const, Length, Let, Term, Var
from fsmooth.core.traverse import children, opens_region
from fsmooth.optimise.sharing import Graph


def drop_needless_definitions(root: Term, graph: Graph, failing: Container[int]) -> Term:
    """The root of the graph without definitions that say nothing; `failing` are the nodes that can fail."""
    memo: dict[int, Term] = {}

    def of(node: Term) -> Term:
        if isinstance(node, Var | Const):
            return node
        found = memo.get(id(node))
        if found is None:
            if isinstance(node, Let):
                kept = [of(value) for value in _telling(node, failing)]
                found = graph.under(kept, of(node.body))
            else:
                found = graph.rebuilt(node, [of(c) for c in children(node)])
            memo[id(node)] = found
        return found

    return of(root)


def under_definitions(body: Term) -> tuple[list[Term], Term]:
    """What a region evaluates first, and the rest."""
    if isinstance(body, Let):
        return [value for _, value in body.bindings], body.body
    return [], body


def _telling(scope: Let, failing: Container[int]) -> list[Term]:
    """The values that can fail, and are not evaluated without condition by what comes after them."""
    evaluated: set[int] = set()
    kept: list[Term] = []

    def evaluate(start: Term) -> None:
        stack = [start]
        while stack:
            node = stack.pop()
            if id(node) in failing and id(node) not in evaluated:
                evaluated.add(id(node))
                if not isinstance(node, Length):
                    stack.extend([c for k, c in enumerate(children(node)) if not opens_region(node, k)])

    evaluate(scope.body)
    for _, value in reversed(scope.bindings):
        if id(value) in failing and id(value) not in evaluated:
            kept.append(value)
            evaluate(value)
    return kept[::-1]
