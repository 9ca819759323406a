"""Code motion: every shared or invariant subterm is bound once, in the best scope (design §5).

The scopes of a term are its loop bodies, branches and requirements.  Parents before children, each node of the
graph (optimise/sharing.py) is placed in the innermost scope that contains all its uses, and from there moved
out of every loop on which it does not depend, but never out of a branch, and never out of a loop that may
not run if it could fail (Click 1995, global code motion).  A node that has several uses, or that moved, is
bound where it was placed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsmooth.core import primitives as p
from fsmooth.core.term import (
    Build,
    Check,
    Collect,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Require,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.traverse import children, rebuild
from fsmooth.core.types import Int
from fsmooth.optimise.reciprocals import share_reciprocals
from fsmooth.optimise.sharing import Graph
from fsmooth.optimise.tabulation import tabulate
from fsmooth.rewrite.trace import Trace


def move(term: Term, trace: Trace) -> Term:
    """Share and move; the result computes the same, with nothing computed twice in one scope."""
    graph = Graph()
    return _placed(graph.of(term), graph, trace)


def move_and_share_reciprocals(term: Term, trace: Trace) -> Term:
    """`move`, with one 1/p for all divisions by p."""
    graph = Graph()
    return _placed(share_reciprocals(graph.of(term), graph, trace), graph, trace)


def _placed(root: Term, graph: Graph, trace: Trace) -> Term:
    root = tabulate(root, graph, trace)
    return Placement(root, graph, trace).term()


@dataclass(eq=False)
class Scope:
    """A region of the program that is evaluated as a unit: a loop body, a branch, the whole."""

    parent: Scope | None
    variables: frozenset[Var] = frozenset()
    is_loop: bool = False
    certain: bool = True
    depth: int = 0
    bound: list[Term] = field(default_factory=list)


class Placement:
    """Where each node of a graph is computed."""

    def __init__(self, root: Term, graph: Graph, trace: Trace) -> None:
        self.root = root
        self.graph = graph
        self.trace = trace
        self.order = _postorder(root)
        self.number = {id(t): k for k, t in enumerate(self.order)}
        self.inner: dict[tuple[int, int], Scope] = {}
        self.place: dict[int, Scope] = {}
        self.uses: dict[int, int] = {}
        self.transparent: set[int] = set()
        self.generated = frozenset([i for t in self.order if isinstance(t, Collect) for _, i in t.generators])
        self.variable: dict[int, Var] = {}
        self.partial = _partial_nodes(self.order)
        self.top = Scope(None)
        self._place_all()

    def term(self) -> Term:
        """The term, with its bindings."""
        for node in self.order:
            if id(node) in self.variable:
                self.place[id(node)].bound.append(node)
        return self._emit_scope(self.root, self.top)

    # -- placement ---------------------------------------------------------------------------------------------------

    def _place_all(self) -> None:
        self.place[id(self.root)] = self.top
        self.uses[id(self.root)] = 1
        for node in reversed(self.order):
            scope = self._settle(node)
            count = self.uses[id(node)] if id(node) in self.transparent else 1
            for k, child in enumerate(children(node)):
                if isinstance(child, Var | Const):
                    continue
                self._use(child, self._scope_of_child(node, k, scope), count)

    def _settle(self, node: Term) -> Scope:
        """Move `node` out of the loops it does not depend on, and decide whether it is bound."""
        here = self.place[id(node)]
        if trivial(node) or self._escapes(node, here):
            self.transparent.add(id(node))
            return here
        scope = here
        can_fail = id(node) in self.partial
        while scope.is_loop and scope.parent is not None and scope.variables.isdisjoint(node.free):
            if can_fail and not scope.certain:
                break
            scope = scope.parent
        if scope is not here:
            self.place[id(node)] = scope
            self.trace.record("code motion")
        if node is not self.root and (scope is not here or self.uses[id(node)] > 1):
            if self.uses[id(node)] > 1:
                self.trace.record("common subexpression")
            name = self.graph.names.get(id(node), "t")
            self.variable[id(node)] = Var(name, node.type)
        return scope

    def _escapes(self, node: Term, scope: Scope) -> bool:
        """Used by guard and body of one comprehension, which share no scope: computed in each."""
        wanted = self.generated & node.free
        here: Scope | None = scope
        while wanted and here is not None:
            wanted -= here.variables
            here = here.parent
        return bool(wanted)

    def _use(self, child: Term, scope: Scope, count: int) -> None:
        self.uses[id(child)] = self.uses.get(id(child), 0) + count
        old = self.place.get(id(child))
        self.place[id(child)] = scope if old is None else _common(old, scope)

    def _scope_of_child(self, node: Term, k: int, scope: Scope) -> Scope:
        match node:
            case Build(size, index) | Reduce(_, size, index) if k == 1:
                return self._inside(node, 1, scope, frozenset((index,)), _certain(size))
            case IFold(size, _, state, index) if k == 2:
                return self._inside(node, 2, scope, frozenset((state, index)), _certain(size))
            case Collect(_, generators) if k > 1:
                return self._inside(node, k, scope, frozenset([i for _, i in generators]), certain=False)
            case Lam(parameters):
                return self._inside(node, 0, scope, frozenset(parameters), certain=True, is_loop=False)
            case If() if k > 0:
                return self._inside(node, k, scope, frozenset(), certain=True, is_loop=False)
            case Require() if k == len(children(node)) - 1:
                return self._inside(node, k, scope, frozenset(), certain=True, is_loop=False)
            case _:
                return scope

    def _inside(
        self, node: Term, k: int, parent: Scope, variables: frozenset[Var], certain: bool, is_loop: bool = True
    ) -> Scope:
        key = (id(node), k)
        if key not in self.inner:
            self.inner[key] = Scope(parent, variables, is_loop, certain, parent.depth + 1)
        return self.inner[key]

    # -- back to a term ----------------------------------------------------------------------------------------------

    def _emit_scope(self, node: Term, scope: Scope) -> Term:
        bindings = [(self.variable[id(n)], self._emit(n, scope)) for n in scope.bound]
        return let(bindings, self._reference(node, scope))

    def _reference(self, node: Term, scope: Scope) -> Term:
        variable = self.variable.get(id(node))
        return variable if variable is not None else self._emit(node, scope)

    def _emit(self, node: Term, scope: Scope) -> Term:
        parts = children(node)
        if not parts:
            return node
        new = []
        for k, child in enumerate(parts):
            inner = self._scope_of_child(node, k, scope)
            if inner is scope:
                new.append(self._reference(child, scope))
            else:
                new.append(self._emit_scope(child, inner))
        return rebuild(node, new)


def trivial(node: Term) -> bool:
    """Never bound: constants, variables, paths, sizes, zeros, tuples, cheap index arithmetic."""
    match node:
        case Const() | Var() | Zero() | Length() | MakeTuple() | Delta() | Lam():
            return True
        case Proj(inner, _) | Get(inner, _):
            return _is_path(inner)
        case Prim(primitive, arguments) if isinstance(node.type, Int):
            return primitive in (p.add, p.subtract, p.multiply) and all(
                [isinstance(a, Const | Var | Length) for a in arguments]
            )
        case _:
            return False


def _is_path(node: Term) -> bool:
    while isinstance(node, Get | Proj):
        node = node.array if isinstance(node, Get) else node.tuple
    return isinstance(node, Var)


def _certain(size: Term) -> bool:
    return isinstance(size, Const) and size.value > 0


def _common(a: Scope, b: Scope) -> Scope:
    while a is not b:
        if a.depth >= b.depth:
            assert a.parent is not None
            a = a.parent
        else:
            assert b.parent is not None
            b = b.parent
    return a


def _partial_nodes(order: list[Term]) -> set[int]:
    """The nodes whose evaluation can fail."""
    partial: set[int] = set()
    for node in order:
        if isinstance(node, Check | Require) or any([id(c) in partial for c in children(node)]):
            partial.add(id(node))
    return partial


def _postorder(root: Term) -> list[Term]:
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
