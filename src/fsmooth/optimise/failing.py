"""What can fail, and where it is evaluated anyway: what code motion must know before it moves anything.

A node that can fail may stand only where it is evaluated without condition already: in one of its anchors, or inside one.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.term import Const, Delta, Get, If, Reduce, Reduction, Term, Update, Var
from fsmooth.core.term.fields import Failing
from fsmooth.core.traverse import children, opens_region
from fsmooth.optimise.accesses import Accesses

StaticSizes = Mapping[tuple[Var, int], int]
FailingNodes = dict[int, frozenset[int]]
"""By identity, the nodes that can fail, or have such inside, with those that can fail."""


def is_certain(size: Term) -> bool:
    return isinstance(size, Const) and size.value > 0


EXTREMA = (Reduction.MAX, Reduction.MIN)


def failing_nodes(root: Term, order: list[Term], static_sizes: StaticSizes) -> FailingNodes:
    """For each node, the nodes in it that can fail, or could if they stood outside the loops where they are."""
    failing: FailingNodes = {}
    accesses = Accesses(root, order, static_sizes)
    for node in order:
        inside = [failing[id(c)] for c in children(node) if id(c) in failing]
        match node.failing, node:
            case Failing.ALWAYS, _:  # a loop that its guard keeps from running might not end
                inside.append(frozenset((id(node),)))
            case Failing.EMPTY, Reduce(reduction, size) if reduction in EXTREMA and not is_certain(size):
                inside.append(frozenset((id(node),)))
            case Failing.BOUNDS, Get() | Update() | Delta() if not accesses.proved(node):
                inside.append(frozenset((id(node),)))
        if inside:
            failing[id(node)] = inside[0].union(*inside[1:])
    return failing


def anchors_of(root: Term, failing: FailingNodes) -> dict[int, frozenset[tuple[int, int] | None]]:
    """The regions in which each node that can fail is evaluated without condition."""
    found: dict[int, set[tuple[int, int] | None]] = {}
    regions: list[tuple[tuple[int, int] | None, Term]] = [(None, root)]
    entered: set[tuple[int, int]] = set()
    branches: list[tuple[tuple[int, int] | None, int]] = []
    while regions:
        region, start = regions.pop()
        seen: set[int] = set()
        stack = [start]
        while stack:
            node = stack.pop()
            if id(node) in seen or id(node) not in failing:
                continue
            seen.add(id(node))
            if isinstance(node, If):
                branches.append((region, id(node)))
            if id(node) in failing[id(node)]:
                found.setdefault(id(node), set()).add(region)
            for k, child in enumerate(children(node)):
                if not opens_region(node, k):
                    stack.append(child)
                elif (id(node), k) not in entered:
                    entered.add((id(node), k))
                    regions.append(((id(node), k), child))
    _anchor_both_branches(found, branches)
    return {leaf: frozenset(places) for leaf, places in found.items()}


def _anchor_both_branches(
    found: dict[int, set[tuple[int, int] | None]], branches: list[tuple[tuple[int, int] | None, int]]
) -> None:
    """What both branches of an `if` evaluate without condition is evaluated wherever the `if` is."""
    leaves: dict[tuple[int, int] | None, set[int]] = {}
    for leaf, places in found.items():
        for region in places:
            leaves.setdefault(region, set()).add(leaf)
    changing = True
    while changing:
        changing = False
        for region, branch in reversed(branches):
            both = leaves.get((branch, 1), set()) & leaves.get((branch, 2), set())
            new = both - leaves.get(region, set())
            if new:
                changing = True
                leaves.setdefault(region, set()).update(new)
                for leaf in new:
                    found[leaf].add(region)


def postorder(root: Term) -> list[Term]:
    """Every node once, children before parents."""
    seen: set[int] = set()
    order: list[Term] = []
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
            continue
        if id(node) in seen or isinstance(node, Var | Const):
            continue
        seen.add(id(node))
        stack.append((node, True))
        stack.extend([(c, False) for c in children(node) if id(c) not in seen])
    return order
