"""Common subexpressions: a term as a graph in which equal subterms are one node.

Definitions are replaced by what they define, equal loops are unified up to the names of their indices, and
every loop of the graph has variables of its own.  `optimise.motion` turns the graph back into a term with
each shared node bound once, at the best place.

A definition is evaluated where it stands, even if what follows reads it only in a loop or a branch.  So that this is
not forgotten, the body of a region is then a scope, whose definitions are the nodes that the region evaluates first
and whose variables occur nowhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from fsmooth import thresholds
from fsmooth.core.hints import Hint
from fsmooth.core.term import Const, Lam, Length, Let, Term, Var
from fsmooth.core.term.fields import Runs
from fsmooth.core.traverse import binds, children, opens_region, rebuild, remade, steps
from fsmooth.optimise.shapes import Shapes, head, in_order


class _Region:
    """What is defined in a region, and what is read there and in regions inside."""

    def __init__(self) -> None:
        self.defined: list[Term] = []
        self.read: set[Term] = set()
        self.inside: set[Term] = set()

    def for_inside(self) -> list[Term]:
        """The definitions that only regions inside read."""
        return [node for node in self.defined if node in self.inside and node not in self.read]


class _Scope:
    """What variables stand for, and the nodes of the terms met so far; `own` are bound here, not in the scope around it.

    What is met in lengths only, which read nothing, is kept apart: it may be read yet.
    """

    def __init__(
        self,
        env: dict[Var, Term],
        outer: _Scope | None = None,
        own: Iterable[Var] = (),
    ) -> None:
        self.env = env
        self.outer = outer
        self.own = frozenset(own)
        self.known: dict[Term, Term] = {}
        self.in_lengths: dict[Term, Term] = {}

    def for_definitions(self) -> _Scope:
        """A scope of the same variables, to which definitions are added."""
        made = _Scope(dict(self.env))
        if len(self.known) < thresholds.SHARED_SCOPE:
            made.known, made.in_lengths = dict(self.known), dict(self.in_lengths)
        return made

    def define(self, var: Var, node: Term) -> None:
        if var in self.env:
            self.known, self.in_lengths = {}, {}
        self.env[var] = node

    def inside(self, own: Mapping[Var, Term]) -> _Scope:
        """A scope that binds these variables."""
        return _Scope({**self.env, **own}, self, own)

    def again(self) -> _Scope:
        """A scope of the same variables, for another region."""
        return _Scope(self.env, self.outer, self.own)

    def of(self, term: Term) -> _Scope:
        """The outermost scope in which the term means the same."""
        scope = self
        while scope.outer is not None and scope.own.isdisjoint(term.free):
            scope = scope.outer
        return scope


class Graph:
    """Interned nodes: structurally equal terms are the same object.

    names    of nodes: those of the definitions that they were
    tables   of nodes that are tables (optimise/nests.py): the sizes of the loops over which they are; unless these run,
             making the table evaluates no entry

    Of terms that are graphs `without_definitions` what does not depend on a loop's variables is found once for all regions.
    """

    def __init__(self, *, without_definitions: bool = False) -> None:
        self._without_definitions = without_definitions
        self._outermost = _Scope({})
        self._nodes: dict[Hashable, Term] = {}
        self._loops: dict[Hashable, Term] = {}
        self._shapes = Shapes()
        self._used: set[Var] = set()
        self._region = _Region()
        self._in_length = False
        self.names: dict[Term, Hint] = {}
        self.tables: dict[Term, set[Term]] = {}

    def of(self, term: Term) -> Term:
        """The node of `term`."""
        return self._body(term, self._outermost if self._without_definitions else _Scope({}))

    def under(self, definitions: Iterable[Term], body: Term) -> Term:
        """The node that evaluates `definitions`, then `body`."""
        values = dict.fromkeys(definitions)
        if not values:
            return body
        return self.node(Let(tuple([(Var("evaluated", value.type), value) for value in values]), body))

    # -- from terms to nodes -----------------------------------------------------------------------------------------

    def _intern(self, term: Term, scope: _Scope) -> Term:
        if isinstance(term, Var):
            node = scope.env.get(term, term)
            if not isinstance(node, Var):
                self._region.read.add(node)
            return node
        if self._without_definitions:
            scope = scope.of(term)
        known = scope.in_lengths if self._in_length else scope.known
        found = known.get(term)
        if found is not None:
            return found
        result = self._make(term, scope)
        known[term] = result
        return result

    def _body(self, term: Term, scope: _Scope) -> Term:
        """The node of what is evaluated as a unit, with what it defines for its own regions."""
        around, self._region = self._region, _Region()
        body = self._intern(term, scope)
        region, self._region = self._region, around
        around.inside |= region.inside | region.read
        return self.under(region.for_inside(), body)

    def _make(self, term: Term, scope: _Scope) -> Term:
        match term:
            case Let(bindings, body):
                inner = scope.for_definitions()
                for var, value in bindings:
                    node = self._intern(value, inner)
                    inner.define(var, node)
                    if not isinstance(node, Var | Const):
                        self._region.defined.append(node)
                        self.names.setdefault(node, Hint.of(var))
                return self._intern(body, inner)
            case Length(array, axis):
                around, self._region = self._region, _Region()  # a length reads nothing
                was_in_length, self._in_length = self._in_length, not self._without_definitions
                array = self._intern(array, scope)
                self._region, self._in_length = around, was_in_length
                return self.node(Length(array, axis))
            case _ if binds(term):
                return self._binder(term, scope)
            case _:
                return self.node(rebuild(term, [self._child(term, k, scope) for k in range(len(children(term)))]))

    def _binder(self, term: Term, scope: _Scope) -> Term:
        """A loop or a function, with variables of its own."""
        found = steps(term)
        new: list[Term] = []
        inner = scope
        for step in found:
            if step.var is not None:
                own = self._own(step.var)
                inner = inner.inside({step.var: own})
                new.append(own)
                continue
            is_region = step.runs is not Runs.ONCE
            new.append(self._body(step.term, inner.again()) if is_region else self._intern(step.term, inner))
        made = remade(term, found, new)
        return self.node(made) if isinstance(made, Lam) else self.loop(made)

    def _child(self, term: Term, k: int, scope: _Scope) -> Term:
        child = children(term)[k]
        return self._body(child, scope) if opens_region(term, k) else self._intern(child, scope)

    def _own(self, var: Var) -> Var:
        if var in self._used:
            var = var.renamed()
        self._used.add(var)
        return var

    def node(self, term: Term) -> Term:
        """The one node equal to `term`, whose children are nodes or constants."""
        if isinstance(term, Var):
            return term
        # numbers, since those of a commutative operation are sorted
        parts = [id(self.node(c) if isinstance(c, Const) else c) for c in children(term)]
        return self._nodes.setdefault((head(term), *in_order(term, parts)), term)

    def loop(self, term: Term) -> Term:
        """The one node equal to `term` up to the names of its indices."""
        return self._loops.setdefault(self._shapes.of(term), term)

    def rebuilt(self, node: Term, parts: list[Term]) -> Term:
        """The node like `node` with other children; it keeps the name."""
        new = rebuild(node, parts)
        if new is node:
            return node
        new = self.loop(new) if binds(new) and not isinstance(new, Lam | Let) else self.node(new)
        return self.named_like(node, new)

    def named_like(self, node: Term, new: Term) -> Term:
        """`new`, which is computed instead of `node`, with its name."""
        if node in self.names:
            self.names.setdefault(new, self.names[node])
        if node in self.tables:
            self.tables.setdefault(new, set()).update(self.tables[node])
        return new


def under_definitions(body: Term) -> tuple[list[Term], Term]:
    """What the body of a region evaluates first, and the rest."""
    if isinstance(body, Let):
        return [value for _, value in body.bindings], body.body
    return [], body
