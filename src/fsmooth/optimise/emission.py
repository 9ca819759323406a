"""From a placed graph (optimise/placement.py) back to a term: each scope binds what was placed in it."""

from __future__ import annotations

from functools import reduce

from fsmooth.core import primitives as p
from fsmooth.core.build import both, either
from fsmooth.core.term import Build, Const, Get, If, IFold, Let, Prim, Reduce, Term, Var, let, scalar_constant
from fsmooth.core.traverse import children, rebuild
from fsmooth.optimise.absent import absent, without_steps
from fsmooth.optimise.accesses import is_at_extremum
from fsmooth.optimise.failing import is_certain
from fsmooth.optimise.placement import Placement
from fsmooth.optimise.scopes import Scope


def emit(placement: Placement) -> Term:
    """The term, with its bindings."""
    return _Emission(placement).scope(placement.root, placement.scopes.top)


class _Emission:
    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.variables = placement.variables
        self.bound: dict[Scope, list[Term]] = {}
        for node in placement.order:
            for scope in self.variables.get(node, ()):
                self.bound.setdefault(scope, []).append(node)

    def scope(self, node: Term, scope: Scope) -> Term:
        """What `scope` evaluates: its bindings, then `node`."""
        bindings = self._bindings(scope)
        return let(bindings, self._reference(node, scope))

    def _bindings(self, scope: Scope) -> list[tuple[Var, Term]]:
        nodes = self.bound.get(scope, ())
        bindings = [(self.variables[n][scope], self._guarded(n, scope)) for n in nodes]
        return _in_order(bindings) if any([(n, scope) in self.placement.guards for n in nodes]) else bindings

    def _guarded(self, node: Term, scope: Scope) -> Term:
        """A node that left loops that may not run is computed only if they do."""
        result = self._made(node, scope)
        ways = self.placement.guards.get((node, scope), ())
        if not ways:
            return result
        runs: list[list[Term]] = [
            [Prim(p.less, (Const(0), self._reference(size, scope))) for size in sizes] for sizes in ways
        ]
        needed = reduce(either, [reduce(both, tests) for tests in runs])
        otherwise = absent(node)
        assert otherwise is not None
        return If(needed, result, otherwise)

    def _reference(self, node: Term, scope: Scope) -> Term:
        """The variable of `node` that is seen in `scope`, or the node itself."""
        places = self.variables.get(node)
        if places is not None:
            for here in scope.outwards():
                if here in places:
                    return places[here]
        return self._made(node, scope)

    def _made(self, node: Term, scope: Scope) -> Term:
        if isinstance(node, Let):
            return self._reference(node.body, scope)
        parts = children(node)
        if not parts:
            return node
        new = []
        head: list[tuple[Var, Term]] = []
        for k, child in enumerate(parts):
            inner = self.placement.scopes.of_child(node, k, scope)
            new.append(self._reference(child, scope) if inner is scope else self.scope(child, inner))
            if inner.parent is not None and inner.parent.preheads is node:
                head = self._bindings(inner.parent)
        result = rebuild(node, new)
        if head:
            return self._after_preheader(node, head, result, scope)
        return self._at_extremum(node, result, scope) if is_at_extremum(node) else result

    def _after_preheader(self, node: Term, head: list[tuple[Var, Term]], result: Term, scope: Scope) -> Term:
        """A loop after what is computed once before it, if it runs."""
        nothing = without_steps(node)
        assert isinstance(node, Build | Reduce | IFold)
        assert nothing is not None
        runs = Prim(p.less, (Const(0), self._reference(node.size, scope)))
        return If(runs, let(head, result), self._reference(nothing, scope))

    def _at_extremum(self, node: Term, result: Term, scope: Scope) -> Term:
        """An element at an extremum, which is not there if the extremum is one of nothing."""
        assert isinstance(node, Get)
        assert isinstance(node.index, Reduce)
        size = node.index.size
        if is_certain(size) or size in scope.positive:
            return result
        runs = Prim(p.less, (Const(0), self._reference(size, scope)))
        return If(runs, result, scalar_constant(0, node.type))


def _in_order(bindings: list[tuple[Var, Term]]) -> list[tuple[Var, Term]]:
    """Each after those that it mentions: the sizes in a guard are no parts of the node that is guarded."""
    values = dict(bindings)
    done: dict[Var, Term] = {}
    pending = [var for var, _ in reversed(bindings)]
    while pending:
        var = pending[-1]
        before = [x for x in values[var].free if x in values and x not in done and x is not var]
        if var in done or not before:
            done.setdefault(var, values[var])
            pending.pop()
        else:
            pending.extend(before)
    return list(done.items())
