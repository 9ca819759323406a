"""What can fail, and where it is evaluated anyway: what code motion must know before it moves anything.

A node that can fail may stand only where it is evaluated without condition already: in one of its anchors, or inside one.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.definitions import has_calls
from fsmooth.core.term import Const, Delta, Get, If, Lam, Reduce, Reduction, Term, Update, Var
from fsmooth.core.term.fields import Failing
from fsmooth.core.traverse import children, opens_region
from fsmooth.optimise.accesses import Accesses

StaticSizes = Mapping[tuple[Var, int], int]
FailingNodes = dict[Term, frozenset[Term]]
"""The nodes that can fail, or have such inside, with those that can fail."""

Region = tuple[Term, int]
"""A child that its node evaluates under its own conditions, by the node and the child's number."""


def sizes_of_parameters(sizes: StaticSizes, before: Term, after: Term) -> StaticSizes:
    """The sizes of the parameters of `before` as those of `after`, which is the same program and may have other names."""
    if not (isinstance(before, Lam) and isinstance(after, Lam)) or before.parameters == after.parameters:
        return sizes
    names = dict(zip(before.parameters, after.parameters, strict=True))
    return {(names.get(var, var), axis): size for (var, axis), size in sizes.items()}


def is_certain(size: Term) -> bool:
    return isinstance(size, Const) and size.value > 0


EXTREMA = (Reduction.MAX, Reduction.MIN)


def failing_nodes(root: Term, order: list[Term], static_sizes: StaticSizes) -> FailingNodes:
    """For each node, the nodes in it that can fail, or could if they stood outside the loops where they are."""
    failing: FailingNodes = {}
    accesses = Accesses(root, order, static_sizes)
    for node in order:
        inside = [failing[c] for c in children(node) if c in failing]
        match node.failing, node:
            case Failing.ALWAYS, _:  # a loop that its guard keeps from running might not end
                inside.append(frozenset((node,)))
            case Failing.EMPTY, Reduce(reduction, size) if reduction in EXTREMA and not is_certain(size):
                inside.append(frozenset((node,)))
            case Failing.BOUNDS, Get() | Update() | Delta() if not accesses.proved(node):
                inside.append(frozenset((node,)))
        if inside:
            failing[node] = inside[0].union(*inside[1:])
    return failing


def anchors_of(root: Term, failing: FailingNodes) -> dict[Term, frozenset[Region | None]]:
    """The regions in which each node that can fail is evaluated without condition."""
    found: dict[Term, set[Region | None]] = {}
    regions: list[tuple[Region | None, Term]] = [(None, root)]
    entered: set[Region] = set()
    branches: list[tuple[Region | None, Term]] = []
    while regions:
        region, start = regions.pop()
        seen: set[Term] = set()
        stack = [start]
        while stack:
            node = stack.pop()
            if node in seen or node not in failing:
                continue
            seen.add(node)
            if isinstance(node, If):
                branches.append((region, node))
            if node in failing[node]:
                found.setdefault(node, set()).add(region)
            for k, child in enumerate(children(node)):
                if not opens_region(node, k):
                    stack.append(child)
                elif (node, k) not in entered:
                    entered.add((node, k))
                    regions.append(((node, k), child))
    _anchor_both_branches(found, branches)
    return {leaf: frozenset(places) for leaf, places in found.items()}


def _anchor_both_branches(found: dict[Term, set[Region | None]], branches: list[tuple[Region | None, Term]]) -> None:
    """What both branches of an `if` evaluate without condition is evaluated wherever the `if` is."""
    leaves: dict[Region | None, set[Term]] = {}
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
    """Every node once, children before parents; calls as they are written, what has none from its last child on."""
    seen: set[Term] = set()
    order: list[Term] = []
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
            continue
        if node in seen or isinstance(node, Var | Const):
            continue
        seen.add(node)
        stack.append((node, True))
        parts = children(node)
        stack.extend([(c, False) for c in (reversed(parts) if has_calls(node) else parts) if c not in seen])
    return order
