"""Shapes: numbers that two nodes of a graph of terms share exactly if they are equal up to their bound variables.

Equal nodes are one object, loops too; so only what depends on the variables of the loop in question is walked, each node
of that once.
"""

from __future__ import annotations

from collections.abc import Hashable

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Lam, Prim, Term, Var
from fsmooth.core.traverse import bound_in, children

_COMMUTATIVE = frozenset({p.add, p.multiply, p.equal, p.not_equal, p.minimum, p.maximum, p.hypot})


class _Scope:
    """The variables that are bound around a node, by their level, and the shapes of what depends on the innermost."""

    def __init__(self, outer: _Scope | None, own: tuple[Var, ...]) -> None:
        self.outer = outer
        self.own = frozenset(own)
        self.levels: dict[Var, int] = {} if outer is None else dict(outer.levels)
        for var in own:
            self.levels[var] = len(self.levels)
        self.shapes: dict[Term, int] = {}


class Shapes:
    """The shapes of the nodes of one graph."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, loop: Term) -> int:
        """The shape of a loop that need not be a node, but whose children are."""
        return self._structure(loop, _Scope(None, ()))

    def _shape(self, node: Term, scope: _Scope) -> int:
        if isinstance(node, Var) and node in scope.levels:
            return self._number(("bound", scope.levels[node]))
        if isinstance(node, Const):
            return self._number(head(node))
        while scope.outer is not None and scope.own.isdisjoint(node.free):
            scope = scope.outer
        if scope.outer is None and not isinstance(node, Lam):  # functions are nodes of their own, with their parameters
            return self._number(("node", node))
        found = scope.shapes.get(node)
        if found is None:
            found = scope.shapes[node] = self._structure(node, scope)
        return found

    def _structure(self, node: Term, scope: _Scope) -> int:
        """What it is, at which level its own variables begin, and the shapes of its children."""
        parts = []
        for k, child in enumerate(children(node)):
            own = bound_in(node, k)
            parts.append(self._shape(child, _Scope(scope, own) if own else scope))
        return self._number((head(node), len(scope.levels), *in_order(node, parts)))

    def _number(self, structure: Hashable) -> int:
        return self._numbers.setdefault(structure, len(self._numbers))


def in_order(node: Term, parts: list[int]) -> list[int]:
    """The numbers of its children, sorted where their order does not matter."""
    return sorted(parts) if isinstance(node, Prim) and node.primitive in _COMMUTATIVE else parts


def head(term: Term) -> Hashable:
    """What distinguishes a node beyond its children."""
    data = term.declared.data(term)
    return (type(term), *data, term.parameters) if isinstance(term, Lam) else (type(term), *data)
