"""Code motion: every shared or invariant subterm is bound once, in the best scope (design §5).

The scopes of a term are its loop bodies, branches and requirements.  Parents before children, each node of the
graph (optimise/sharing.py) is placed in the innermost scope that contains all its uses, and from there moved
out of every loop on which it does not depend, but never out of a branch, and never out of a loop that may
not run if it could fail (Click 1995, global code motion).  Where it may not stand in the scope of all its uses,
because it could fail there, it has a place in each of the scopes inside in which it may.  A node that has several
uses, or that moved, is bound where it was placed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsmooth.core import primitives as p
from fsmooth.core.build import both, either
from fsmooth.core.term import (
    Build,
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
    scalar_constant,
)
from fsmooth.core.traverse import children, opens_region, rebuild
from fsmooth.core.types import Float, Int
from fsmooth.optimise.accesses import is_at_extremum
from fsmooth.optimise.failing import EXTREMA, StaticSizes, anchors_of, failing_nodes, is_certain, postorder
from fsmooth.optimise.fission import split_sums
from fsmooth.optimise.reciprocals import share_reciprocals, shared_divisors, steady_divisors
from fsmooth.optimise.sharing import Graph
from fsmooth.optimise.tabulation import tabulate
from fsmooth.optimise.unswitching import unswitch
from fsmooth.rewrite.trace import Trace


def move(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """Share and move; the result computes the same, with nothing computed twice in one scope."""
    graph = Graph()
    return _placed(graph.of(term), graph, trace, static_sizes)


def move_and_share_reciprocals(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """`move`, with one 1/p for all divisions by p."""
    graph = Graph()
    root = graph.of(term)
    return _placed(share_reciprocals(root, shared_divisors(root), graph, trace), graph, trace, static_sizes)


def move_and_share_all_reciprocals(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """`move`, with one 1/p for all divisions by p, one after the other too (real numbers)."""
    graph = Graph()
    root = graph.of(term)
    wanted = shared_divisors(root) | steady_divisors(root)
    return _placed(share_reciprocals(root, wanted, graph, trace), graph, trace, static_sizes)


def _placed(root: Term, graph: Graph, trace: Trace, static_sizes: StaticSizes) -> Term:
    root = split_sums(root, graph, trace)
    for prepare in (unswitch, tabulate):
        root = prepare(root, graph, failing_nodes(root, postorder(root), static_sizes), trace)
    return Placement(root, graph, trace, static_sizes).term()


@dataclass(eq=False)
class Scope:
    """A region of the program that is evaluated as a unit: a loop body, a branch, the whole.

    `positive` are the sizes (by identity) that are known there to be at least one.  `at_home` says whether what opens
    it is evaluated in the parent itself, not in branches or under a guard there.
    """

    parent: Scope | None
    variables: frozenset[Var] = frozenset()
    is_loop: bool = False
    certain: bool = True
    at_home: bool = True
    size: Term | None = None
    region: tuple[int, int] | None = None
    depth: int = 0
    positive: frozenset[int] = frozenset()
    bound: list[Term] = field(default_factory=list)


class Placement:
    """Where each node of a graph is computed."""

    def __init__(self, root: Term, graph: Graph, trace: Trace, static_sizes: StaticSizes) -> None:
        self.root = root
        self.graph = graph
        self.trace = trace
        self.order = postorder(root)
        self.inner: dict[tuple[int, int], Scope] = {}
        self.uses: dict[int, dict[Scope, int]] = {}
        self.evaluated: dict[int, set[Scope]] = {}
        self.guards: dict[tuple[int, Scope], list[list[Term]]] = {}
        self.generated = frozenset([i for t in self.order if isinstance(t, Collect) for _, i in t.generators])
        self.variables: dict[int, dict[Scope, Var]] = {}
        self.failing = failing_nodes(root, self.order, static_sizes)
        self.anchors = anchors_of(root, self.failing)
        self.sizes = {id(t): id(t.size) for t in self.order if isinstance(t, Reduce) and t.reduction in EXTREMA}
        self.top = Scope(None)
        self._place_all()

    def term(self) -> Term:
        """The term, with its bindings."""
        for node in self.order:
            for scope in self.variables.get(id(node), ()):
                scope.bound.append(node)
        return self._emit_scope(self.root, self.top)

    # -- placement ---------------------------------------------------------------------------------------------------

    def _place_all(self) -> None:
        self._use(self.root, self.top, 1)
        for node in reversed(self.order):
            bound, unbound = self._settle(node, self.uses[id(node)])
            around = _common_of([*bound, *unbound])
            evaluated = self._evaluated_in(node, bound)
            for k, child in enumerate(children(node)):
                if isinstance(child, Var | Const):
                    continue
                if opens_region(node, k):
                    self._use(child, self._scope_of_child(node, k, around, around in evaluated), 1)
                    continue
                for scope, count in [*[(s, 1) for s in bound], *unbound.items()]:
                    self._use(child, scope, count, scope in evaluated and not isinstance(node, Length))

    def _evaluated_in(self, node: Term, bound: list[Scope]) -> set[Scope]:
        """The scopes in which `node` is evaluated without condition."""
        found = self.evaluated.get(id(node), set()).union(bound)
        return {scope for scope in found if (id(node), scope) not in self.guards}

    def _settle(self, node: Term, uses: dict[Scope, int]) -> tuple[list[Scope], dict[Scope, int]]:
        """The scopes in which `node` is computed once, and those in which it is computed at each of its uses."""
        if node is self.root:
            return list(uses), {}
        if trivial(node) or self._escapes(node, _common_of(list(uses))):
            return [], uses
        bound: list[Scope] = []
        unbound: dict[Scope, int] = {}
        pending = [uses]
        while pending:
            group = pending.pop()
            here = _common_of(list(group))
            if not self._may_stand(node, here):
                if here in group:
                    unbound[here] = group.pop(here)
                pending.extend(_by_inner_scope(here, group))
                continue
            scope, guards = self._outside_loops(node, here)
            if guards and scope in unbound:
                scope, guards = here, []  # what is needed there is not what is left of a loop that does not run
            if scope is here and sum(group.values()) == 1:
                unbound.update(group)
                continue
            self._guard(node, scope, guards, scope in bound)
            if scope not in bound:
                bound.append(scope)
                self._bind(node, scope, moved=scope is not here, shared=sum(group.values()) > 1)
        return bound, unbound

    def _guard(self, node: Term, scope: Scope, guards: list[Term], is_bound: bool) -> None:
        """`node` is needed in `scope` if loops over all these sizes run, or those of other uses of it do."""
        others = self.guards.get((id(node), scope), [])
        if not guards:
            self.guards.pop((id(node), scope), None)
        elif others or not is_bound:
            self.guards[id(node), scope] = [*others, guards]

    def _bind(self, node: Term, scope: Scope, moved: bool, shared: bool) -> None:
        if moved:
            self.trace.record("code motion")
        if shared:
            self.trace.record("common subexpression")
        name = self.graph.names.get(id(node), "t")
        self.variables.setdefault(id(node), {})[scope] = Var(name, node.type)

    def _outside_loops(self, node: Term, scope: Scope) -> tuple[Scope, list[Term]]:
        """The outermost scope to which `node` may move from `scope`, and the sizes of the loops that must run there."""
        failing = self.failing.get(id(node), frozenset())
        guards: list[Term] = []
        mentioned = node.free  # by the node and by its guards, which go where it goes
        while scope.is_loop and scope.parent is not None and scope.variables.isdisjoint(mentioned):
            if not (scope.certain and scope.at_home) and not self._anchored(failing, scope.parent):
                if not scope.at_home:
                    break
                assert scope.size is not None
                if not self._runs_only_with(node, scope.size):
                    if not self._worth_a_guard(node):
                        break
                    guards.append(scope.size)
                    mentioned = mentioned | scope.size.free
            scope = scope.parent
        return scope, guards

    def _may_stand(self, node: Term, here: Scope) -> bool:
        """May `node` be evaluated in `here` whatever is evaluated there?  If it cannot fail, or is evaluated there anyway."""
        failing = self.failing.get(id(node), frozenset())
        return here in self.evaluated.get(id(node), ()) or self._anchored(failing, here)

    def _anchored(self, failing: frozenset[int], here: Scope | None) -> bool:
        """Is each of these nodes evaluated without condition in `here` or a scope around it?"""
        for leaf in failing:
            if here is not None and self.sizes.get(leaf) in here.positive:
                continue
            scope = here
            regions = self.anchors.get(leaf, frozenset())
            while scope is not None and scope.region not in regions:
                scope = scope.parent
            if scope is None:
                return False
        return True

    def _runs_only_with(self, node: Term, size: Term) -> bool:
        """A loop over the same size, which only its body makes fail: it does nothing where the loop around it does not run."""
        if not isinstance(node, Build | Reduce | IFold) or node.size is not size:
            return False
        before = children(node)[:-1]
        return id(node) not in self.failing[id(node)] and all([id(part) not in self.failing for part in before])

    @staticmethod
    def _worth_a_guard(node: Term) -> bool:
        """A number from a loop: it leaves a loop that may not run under a test whether it runs."""
        return isinstance(node, Reduce) and isinstance(node.type, Float | Int)

    def _escapes(self, node: Term, scope: Scope) -> bool:
        """Used by guard and body of one comprehension, which share no scope: computed in each."""
        wanted = self.generated & node.free
        here: Scope | None = scope
        while wanted and here is not None:
            wanted -= here.variables
            here = here.parent
        return bool(wanted)

    def _use(self, child: Term, scope: Scope, count: int, evaluated: bool = True) -> None:
        uses = self.uses.setdefault(id(child), {})
        uses[scope] = uses.get(scope, 0) + count
        if evaluated:
            self.evaluated.setdefault(id(child), set()).add(scope)

    def _scope_of_child(self, node: Term, k: int, scope: Scope, at_home: bool = True) -> Scope:
        match node:
            case Build(size, index) | Reduce(_, size, index) if k == 1:
                return self._inside(node, 1, scope, frozenset((index,)), size=size, at_home=at_home)
            case IFold(size, _, state, index) if k == 2:
                return self._inside(node, 2, scope, frozenset((state, index)), size=size, at_home=at_home)
            case Collect(_, generators) if k > 1:
                return self._inside(node, k, scope, frozenset([i for _, i in generators]))
            case Lam(parameters):
                return self._inside(node, 0, scope, frozenset(parameters))
            case If(condition) if k > 0:
                return self._inside(node, k, scope, condition=condition if k == 1 else None)
            case Require(condition) if k == len(children(node)) - 1:
                return self._inside(node, k, scope, condition=condition)
            case _:
                return scope

    def _inside(
        self,
        node: Term,
        k: int,
        parent: Scope,
        variables: frozenset[Var] = frozenset(),
        size: Term | None = None,
        condition: Term | None = None,
        at_home: bool = True,
    ) -> Scope:
        """The scope of child `k` of `node`: the body of a loop over `size`, or what is evaluated if `condition` holds."""
        key = (id(node), k)
        if key not in self.inner:
            certain = size is None or is_certain(size) or id(size) in parent.positive
            positive = _positive_size(condition) if size is None else size
            known = parent.positive if positive is None else parent.positive | {id(positive)}
            self.inner[key] = Scope(
                parent, variables, size is not None, certain, at_home, size, key, parent.depth + 1, known
            )
        return self.inner[key]

    # -- back to a term ----------------------------------------------------------------------------------------------

    def _emit_scope(self, node: Term, scope: Scope) -> Term:
        bindings = [(self.variables[id(n)][scope], self._guarded(n, scope)) for n in scope.bound]
        return let(bindings, self._reference(node, scope))

    def _guarded(self, node: Term, scope: Scope) -> Term:
        """A node that left loops that may not run is computed only if they do."""
        result = self._emit(node, scope)
        ways = self.guards.get((id(node), scope), [])
        if not ways:
            return result
        needed: Term = Const(False)
        for sizes in reversed(ways):
            run: Term = Const(True)
            for size in sizes:
                run = both(Prim(p.less, (Const(0), self._reference(size, scope))), run)
            needed = either(run, needed)
        return If(needed, result, scalar_constant(0, node.type))

    def _reference(self, node: Term, scope: Scope) -> Term:
        places = self.variables.get(id(node))
        here: Scope | None = scope if places is not None else None
        while here is not None:
            variable = places.get(here) if places is not None else None
            if variable is not None:
                return variable
            here = here.parent
        return self._emit(node, scope)

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
        result = rebuild(node, new)
        return self._at_extremum(node, result, scope) if is_at_extremum(node) else result

    def _at_extremum(self, node: Term, result: Term, scope: Scope) -> Term:
        """An element at an extremum, which is not there if the extremum is one of nothing."""
        assert isinstance(node, Get)
        assert isinstance(node.index, Reduce)
        size = node.index.size
        if is_certain(size) or id(size) in scope.positive:
            return result
        runs = Prim(p.less, (Const(0), self._reference(size, scope)))
        return If(runs, result, scalar_constant(0, node.type))


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


def _positive_size(condition: Term | None) -> Term | None:
    """The size that is at least one if the condition holds, if it says that of one."""
    match condition:
        case Prim(primitive, (Const(0), size)) if primitive is p.less:
            return size
        case Prim(primitive, (size, Const(0))) if primitive in (p.greater, p.not_equal) and isinstance(size, Length):
            return size
        case _:
            return None


def _common_of(scopes: list[Scope]) -> Scope:
    here, *others = scopes
    for other in others:
        here = _common(here, other)
    return here


def _by_inner_scope(here: Scope, uses: dict[Scope, int]) -> list[dict[Scope, int]]:
    """Uses strictly inside `here`, grouped by the scope just below it."""
    groups: dict[Scope, dict[Scope, int]] = {}
    for scope, count in uses.items():
        below = scope
        while below.parent is not here:
            assert below.parent is not None
            below = below.parent
        groups.setdefault(below, {})[scope] = count
    return list(groups.values())


def _common(a: Scope, b: Scope) -> Scope:
    while a is not b:
        if a.depth >= b.depth:
            assert a.parent is not None
            a = a.parent
        else:
            assert b.parent is not None
            b = b.parent
    return a
