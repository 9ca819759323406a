"""Where each node of a graph is computed: the heart of code motion (design §5; Click 1995, global code motion).

Parents before children, each node is placed in the innermost scope that contains all its uses, and from there moved
out of every loop on which it does not depend, but never out of a branch, unless the program evaluates it further out
anyway.  What could fail leaves a loop that may not run if it can fail only where that runs, or under a test; else it goes
to the loop's preheader at most (docs/decisions/0004).  Where a node may not stand in the scope of all its uses, because it
could fail there, it has a place in each of the scopes inside in which it may.  A node that has several uses, or that moved,
is bound where it was placed.
"""

from __future__ import annotations

from fsmooth.core.hints import Hint
from fsmooth.core.term import (
    Build,
    Call,
    Const,
    Get,
    If,
    IFold,
    Length,
    Let,
    Reduce,
    Term,
    Var,
    While,
)
from fsmooth.core.traverse import binds, bound_in, children, opens_region
from fsmooth.core.types import is_scalar
from fsmooth.optimise.absent import absent, is_worth_a_test, is_worth_sharing_under_tests, without_steps
from fsmooth.optimise.curved import curved_nodes
from fsmooth.optimise.failing import EXTREMA, FailingNodes, anchors_of, postorder
from fsmooth.optimise.paths import is_trivial, root_of
from fsmooth.optimise.scopes import Scope, Scopes, bound_apart, by_inner_scope, common_of, is_at_most
from fsmooth.optimise.sharing import Graph
from fsmooth.rewrite.trace import Trace

LOOPS = (Build, Reduce, IFold, While)

Ways = list[list[Term]]
"""Sizes of loops: all those of one way must run."""


class Placement:
    """Where each node of a graph is computed.

    variables    of the nodes that are bound: the scopes in which they are, and by what name
    guards       of bound nodes: the sizes of loops one group of which must run for the node to be needed
    """

    def __init__(
        self, root: Term, graph: Graph, trace: Trace, failing: FailingNodes, *, before_derivative: bool = False
    ) -> None:
        self.root = root
        self.order = postorder(root)
        self.scopes = Scopes()
        self.variables: dict[Term, dict[Scope, Var]] = {}
        self.guards: dict[tuple[Term, Scope], Ways] = {}
        self._names = graph.names
        self._tables = graph.tables
        self._trace = trace
        self._uses: dict[Term, dict[Scope, int]] = {}
        self._tested: dict[tuple[Term, Scope], list[Ways]] = {}
        self._evaluated: dict[Term, set[Scope]] = {}
        self._reached: dict[Term, set[Scope]] = {}
        self._states = frozenset([t.state for t in self.order if isinstance(t, IFold)])
        self._indices = frozenset([t.index for t in self.order if isinstance(t, Build | Reduce)])
        self._apart = _bound_in_several(self.order)
        self._endless = _containing(self.order, (While, Call))
        self._looping = _containing(self.order, (*LOOPS, Call))
        self._untested = _without_tests(self.order, failing)
        self._failing = failing
        self._failing_without: dict[Term, set[Term]] = {}
        self._curved = curved_nodes(self.order) if before_derivative else frozenset()
        self._anchors = anchors_of(root, self._failing)
        self._sizes: dict[Term, Term] = {
            t: t.size for t in self.order if isinstance(t, Reduce) and t.reduction in EXTREMA
        }
        self._place_all()

    def _place_all(self) -> None:
        self._use(self.root, self.scopes.top, 1)
        self._evaluate(self.root, self.scopes.top)
        for node in reversed(self.order):
            uses = self._uses.get(node)
            bound, unbound = ([], {}) if uses is None else self._settle(node, uses)
            evaluated = self._evaluated_in(node, bound)
            for scope in evaluated:
                self._evaluate_parts(node, scope)
            if uses is not None:
                self._use_parts(node, bound, unbound, evaluated)

    def _evaluated_in(self, node: Term, bound: list[Scope]) -> set[Scope]:
        """The outermost scopes in which `node` is evaluated without condition."""
        found = self._evaluated.get(node, set()).union(bound)
        found = {scope for scope in found if (node, scope) not in self.guards}
        return {scope for scope in found if scope.parent is None or found.isdisjoint(scope.parent.outwards())}

    def _evaluate_parts(self, node: Term, scope: Scope) -> None:
        """What `node` is made of is evaluated with it, but not what a length is the length of."""
        if isinstance(node, Length):
            return
        for k, child in enumerate(children(node)):
            if not opens_region(node, k):
                self._evaluate(child, scope)

    def _use_parts(self, node: Term, bound: list[Scope], unbound: dict[Scope, int], evaluated: set[Scope]) -> None:
        """The parts of `node` are used where it is computed; of a scope with definitions, only what it comes to."""
        wheres = [*[(s, 1) for s in bound], *unbound.items()]
        arounds = self.scopes.copies(node, [*bound, *unbound])
        for k, child in enumerate(children(node)):
            if isinstance(child, Var | Const) or (isinstance(node, Let) and child is not node.body):
                continue
            if opens_region(node, k):
                for around in arounds:
                    at_home = not evaluated.isdisjoint(around.outwards())
                    inside = self.scopes.of_child(node, k, around, at_home)
                    self._use(child, inside, 1)
                    self._evaluate(child, inside)
                continue
            for scope, count in wheres:
                self._use(child, scope, count)
                ways = self._ways_to(node, scope, unbound.get(scope, 0))
                if ways:
                    self._tested.setdefault((child, scope), []).extend([ways] * count)

    def _ways_to(self, node: Term, scope: Scope, unbound: int) -> Ways:
        """How the loops must run for `node` to be computed in `scope`, where it has so many uses for each of which it is."""
        if not unbound:
            return self.guards.get((node, scope), [])
        tested = self._tested.get((node, scope), [])
        return _shortest([way for ways in tested for way in ways]) if len(tested) == unbound else []

    def _use(self, child: Term, scope: Scope, count: int) -> None:
        uses = self._uses.setdefault(child, {})
        uses[scope] = uses.get(scope, 0) + count

    def _evaluate(self, child: Term, scope: Scope) -> None:
        """`child` is evaluated in `scope`, so also around a loop that runs, if it is the same in each iteration."""
        found = self._evaluated.setdefault(child, set())
        found.add(scope)
        while scope.parent is not None and scope.runs and scope.variables.isdisjoint(child.free):
            scope = scope.parent
            found.add(scope)
        if child not in self._curved:
            return
        reached = self._reached.setdefault(child, set())
        reached.add(scope)
        while scope.parent is not None and not scope.is_branch and scope.variables.isdisjoint(child.free):
            scope = scope.parent
            reached.add(scope)

    # -- one node ----------------------------------------------------------------------------------------------------

    def _settle(self, node: Term, uses: dict[Scope, int]) -> tuple[list[Scope], dict[Scope, int]]:
        """The scopes in which `node` is computed once, and those in which it is computed at each of its uses."""
        if node is self.root:
            return list(uses), {}
        if is_trivial(node) and not self._is_state_number(node):
            return [], uses
        bound: list[Scope] = []
        unbound: dict[Scope, int] = {}
        tested: dict[Scope, int] = {}  # where it is used under tests only
        pending = [uses]
        while pending:
            group = pending.pop()
            here = common_of(list(group))
            if self._escapes(node, here):
                pending.extend(by_inner_scope(here, group))
                continue
            if not self._may_stand(node, here):
                if here in group:
                    count = group.pop(here)
                    are_tested = count == len(self._tested.get((node, here), ()))
                    (tested if are_tested and is_worth_sharing_under_tests(node) else unbound)[here] = count
                pending.extend(by_inner_scope(here, group))
                continue
            scope, guards = self._outside_loops(node, here)
            if guards and scope in unbound:
                scope, guards = here, []  # what is needed there is not what is left of a loop that does not run
            count = sum(group.values()) + tested.get(scope, 0)
            if scope is here and count == 1:
                unbound.update(group)
                continue
            if scope not in bound:
                bound.append(scope)
                self._guard(node, scope, [guards] if guards else [])
                self._bind(node, scope, moved=scope is not here, shared=count > 1)
            elif (node, scope) in self.guards:
                self._guard(node, scope, [*self.guards[node, scope], guards] if guards else [])
        for scope, count in tested.items():
            if scope not in bound and count > 1:
                bound.append(scope)
                self._guard(node, scope, [[]])
                self._bind(node, scope, moved=False, shared=True)
            elif scope not in bound:
                unbound[scope] = count
        return bound, unbound

    def _guard(self, node: Term, scope: Scope, ways: Ways) -> None:
        """`node` is needed in `scope` if loops run one of these ways, or as the tests of other uses there say."""
        self.guards.pop((node, scope), None)
        if ways:
            tested = self._tested.get((node, scope), [])
            self.guards[node, scope] = _shortest([*[way for others in tested for way in others], *ways])

    def _bind(self, node: Term, scope: Scope, moved: bool, shared: bool) -> None:
        if moved:
            self._trace.record("code motion")
        if shared:
            self._trace.record("common subexpression")
        hint = self._names.get(node.body if isinstance(node, Let) else node, Hint("t"))
        self.variables.setdefault(node, {})[scope] = hint.var(node.type)

    def _outside_loops(self, node: Term, scope: Scope) -> tuple[Scope, list[Term]]:
        """The outermost scope to which `node` may move from `scope`, and the sizes of the loops that must run there.

        It leaves branches only to leave a loop around them, and only if the program evaluates it outside anyway; what
        cannot fail leaves what follows a requirement, too.
        """
        here = scope
        guards: list[Term] = []
        mentioned = node.free  # by the node and by its guards, which go where it goes
        while here.parent is not None and here.variables.isdisjoint(mentioned):
            around = here.parent
            if not (self._is_evaluated(node, around) or self._leaves_freely(node, here, around)):
                if here.preheads is None or here.size is None:
                    break
                if not here.at_home or not self._may_be_tested(node, here, around):
                    return here if self._is_costly(node) and self._may_hold_more(here) else scope, guards
                guards.append(here.size)
                mentioned = mentioned | here.size.free
            if here.preheads is not None or (here.variables and around.preheads is None):
                scope = around
            here = around
        return scope, guards

    def _leaves_freely(self, node: Term, here: Scope, around: Scope) -> bool:
        """May `node`, which the program does not evaluate around this scope, leave it without a test?"""
        if here.is_loop and here.certain and here.at_home:
            return True
        if here.is_branch:
            return False
        if self._may_stand(node, around):
            return True
        if here.preheads is None or here.size is None or not here.at_home or self._is_curved_in(node, around):
            return False
        if here.size in self._tables.get(node, ()):
            return True
        without = self._without(here.size)
        rest = [x for x in self._untested.get(node, ()) if not self._may_stand(x, around)]
        return without.isdisjoint([node, *rest])

    def _may_be_tested(self, node: Term, preheader: Scope, around: Scope) -> bool:
        """May `node` leave the preheader of a loop under a test whether the loop runs?

        Not if it is made of what has no test: each of these would have a copy of that.
        """
        is_worth_it = is_worth_a_test(node) or (self._is_costly(node) and absent(node) is not None)
        if not is_worth_it or preheader.size in self._endless:
            return False
        untested = self._untested.get(node, ())
        return not self._may_hold_more(preheader) or all([self._may_stand(x, around) for x in untested])

    def _is_costly(self, node: Term) -> bool:
        """Is a loop tested for its sake?  For loops and calls, and choices among such."""
        return isinstance(node, (*LOOPS, Call, If)) and node in self._looping

    def _may_hold_more(self, preheader: Scope) -> bool:
        """May a preheader hold what the program does not evaluate before the loop?  Then the loop has a test around it."""
        assert preheader.preheads is not None
        return preheader.size not in self._looping and without_steps(preheader.preheads) is not None

    def _may_stand(self, node: Term, here: Scope) -> bool:
        """May `node` be evaluated in `here` whatever is evaluated there?  If it cannot fail, or is evaluated there anyway.

        Before it is differentiated, what is curved leaves no branch: its derivative there may be infinite, and nothing times
        that is not a number.
        """
        if self._is_curved_in(node, here):
            return False
        failing = self._failing.get(node)
        if failing is None or self._is_evaluated(node, here):
            return True
        for leaf in failing:  # of the many of a large node the first may do
            if self._sizes.get(leaf) not in here.positive and not self._is_anchored(leaf, here):
                return False
        return True

    def _is_curved_in(self, node: Term, here: Scope) -> bool:
        """Is it curved, and in `here` outside of the branch in which the program has it?"""
        return node in self._curved and self._reached.get(node, set()).isdisjoint(here.outwards())

    def _is_evaluated(self, node: Term, here: Scope) -> bool:
        """Is `node` evaluated without condition in `here` or a scope around it?"""
        evaluated = self._evaluated.get(node)
        return evaluated is not None and not evaluated.isdisjoint(here.outwards())

    def _is_anchored(self, leaf: Term, here: Scope) -> bool:
        """Is this node evaluated without condition in `here` or a scope around it?"""
        regions = self._anchors.get(leaf, frozenset())
        return not regions.isdisjoint([scope.region for scope in here.outwards()])

    def _without(self, size: Term) -> set[Term]:
        """What could fail where loops over this size do not run, in which the rest could."""
        if size not in self._failing_without:
            self._failing_without[size] = _failing_without(size, self.order, self._failing)
        return self._failing_without[size]

    def _is_state_number(self, node: Term) -> bool:
        """A number that a step reads from its state has a name: then the state may change before all is done with it."""
        is_number = isinstance(node, Get) and is_scalar(node.type) and root_of(node) in self._states
        return is_number and self._indices.isdisjoint(node.free)

    def _escapes(self, node: Term, scope: Scope) -> bool:
        """Used by guard and body of one comprehension, or by condition and body of a `while`, which share no scope."""
        wanted = self._apart & node.free
        if wanted:
            for here in scope.outwards():
                wanted -= here.variables
        return bool(wanted)


def _bound_in_several(order: list[Term]) -> frozenset[Var]:
    """Variables whose scopes may be several: those that parts of a loop share that share no scope, and those of loops which
    mention one, and are in each of these parts.
    """
    found = {x for t in order for x in bound_apart(t)}
    if found:
        for t in reversed(order):
            if binds(t) and not found.isdisjoint(t.free):
                found.update([x for k in range(len(children(t))) for x in bound_in(t, k)])
    return frozenset(found)


def _containing(order: list[Term], kinds: tuple[type[Term], ...]) -> set[Term]:
    """The nodes that are, or have in them, terms of these kinds."""
    found: set[Term] = set()
    for node in order:
        if isinstance(node, kinds) or any([c in found for c in children(node)]):
            found.add(node)
    return found


def _without_tests(order: list[Term], failing: FailingNodes) -> dict[Term, frozenset[Term]]:
    """What in each node could leave it, and can fail, and has nothing that could stand for it: loops and calls."""
    found: dict[Term, frozenset[Term]] = {}
    for node in order:
        own = {x for k in range(len(children(node))) for x in bound_in(node, k)} if binds(node) else set()
        inside = [frozenset([x for x in found[c] if own.isdisjoint(x.free)]) for c in children(node) if c in found]
        if isinstance(node, While | Call) or (isinstance(node, IFold) and node in failing and absent(node) is None):
            inside.append(frozenset((node,)))
        if inside:
            found[node] = inside[0].union(*inside[1:])
    return found


def _failing_without(size: Term, order: list[Term], failing: FailingNodes) -> set[Term]:
    """The nodes that could fail where loops over this size do not run."""
    found: set[Term] = set()
    for node in order:
        if node not in failing:
            continue
        parts = children(node)
        if isinstance(node, Build | Reduce | IFold) and is_at_most(node.size, size):
            parts = parts[:-1]
        if node in failing[node] or any([part in found for part in parts]):
            found.add(node)
    return found


def _shortest(ways: Ways) -> Ways:
    """These ways, but those that another implies."""
    kept: dict[frozenset[Term], list[Term]] = {}
    for way in sorted(ways, key=len):
        sizes = frozenset(way)
        if sizes and not any([other <= sizes for other in kept]):
            kept[sizes] = way
    return list(kept.values())
