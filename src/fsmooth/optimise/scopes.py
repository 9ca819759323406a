"""The scopes of a graph: what is evaluated as a unit, and what is known there (for code motion, optimise/placement.py)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Length, Prim, Require, Term, Var
from fsmooth.core.term.fields import Generators, Index, Runs
from fsmooth.core.traverse import binders_around, bound_in, children, condition_of, is_loop, runs, steps
from fsmooth.optimise.failing import Region, is_certain


class Scope(Struct, eq=False):
    """A region of the program that is evaluated as a unit: a loop body, a branch, the whole.

    `positive` are the sizes that are known there to be at least one.  `required` says that the scope is what follows a
    requirement.  `at_home` says whether what opens it is evaluated in the parent itself, not in branches or under a guard
    there.  `preheads` is the loop whose preheader the scope is: it is evaluated once before the loop, if the loop runs at
    all; a loop that is certain to run has none.  `is_apart` says that its variables are bound in another scope, too, which
    shares nothing with it: the condition and the body of a `while`.
    """

    parent: Scope | None
    variables: frozenset[Term] = frozenset()
    is_loop: bool = False
    required: bool = False
    certain: bool = True
    at_home: bool = True
    size: Term | None = None
    region: Region | None = None
    depth: int = 0
    positive: frozenset[Term] = frozenset()
    is_apart: bool = False
    preheads: Term | None = None

    @property
    def runs(self) -> bool:
        """Is it the body of a loop that runs at least once whenever the scope around is evaluated?"""
        return self.is_loop and self.certain and self.at_home

    @property
    def is_branch(self) -> bool:
        """Is it evaluated only if a condition holds?  (A program whose requirements do not hold ends.)"""
        return not (self.is_loop or self.required or self.preheads is not None)

    def outwards(self) -> Iterator[Scope]:
        """The scope and those around it, innermost first."""
        here: Scope | None = self
        while here is not None:
            yield here
            here = here.parent


class Scopes:
    """The tree of scopes, each made when it is first asked for."""

    def __init__(self) -> None:
        self.top = Scope(None)
        self._inner: dict[tuple[Term, int, Scope | None], Scope] = {}

    def of_child(self, node: Term, k: int, scope: Scope, at_home: bool = True) -> Scope:
        """Where child `k` of `node` is evaluated, if `node` is evaluated in `scope`."""
        how_often = runs(node)[k] if node.declared.has_regions else Runs.ONCE
        if how_often is Runs.ONCE:
            return scope
        binders = binders_around(node, k)
        variables = frozenset([step.term for step in binders])
        condition = _where(node, k)
        if how_often is not Runs.MANY:
            return self._inside(node, k, scope, variables, condition=condition)
        sizes = [step.given for step in binders if isinstance(step.field, Index)]
        inside = self._inside(node, k, scope, variables, size=sizes[-1] if sizes else None, at_home=at_home)
        if not sizes:
            inside.is_apart = True
            inside.is_loop = not any([isinstance(step.field, Generators) for step in binders])
            inside.certain = condition is None
        return inside

    def copies(self, node: Term, wheres: list[Scope]) -> list[Scope]:
        """Where the parts of `node` stand that is computed in all these scopes: in one, or one for each part that is apart."""
        groups: dict[Scope | None, list[Scope]] = {}
        for scope in wheres:
            groups.setdefault(_apart_in(node, scope), []).append(scope)
        return [common_of(group) for group in groups.values()]

    def _inside(
        self,
        node: Term,
        k: int,
        parent: Scope,
        variables: frozenset[Term] = frozenset(),
        size: Term | None = None,
        condition: Term | None = None,
        at_home: bool = True,
    ) -> Scope:
        """The scope of child `k` of `node`: the body of a loop over `size`, or what is evaluated if `condition` holds."""
        key = (node, k, _apart_in(node, parent))
        if key in self._inner:
            return self._inner[key]
        region = (node, k)
        positive = _positive_size(condition) if size is None else size
        known = parent.positive if positive is None else parent.positive | {positive}
        if size is not None and not _runs(size, parent):
            depth = parent.depth + 1
            parent = Scope(
                parent, at_home=at_home, size=size, region=region, depth=depth, positive=known, preheads=node
            )
            at_home = True
        made = Scope(
            parent,
            variables,
            is_loop=size is not None,
            required=isinstance(node, Require),
            at_home=at_home,
            size=size,
            region=region,
            depth=parent.depth + 1,
            positive=known,
        )
        self._inner[key] = made
        return made


def _runs(size: Term, scope: Scope) -> bool:
    """Is a size known to be at least one?"""
    return is_certain(size) or size in scope.positive or any([is_at_most(known, size) for known in scope.positive])


def is_at_most(size: Term, other: Term) -> bool:
    """Is a size no larger than another, by what is written?"""
    if size is other:
        return True
    match size:
        case Prim(p.minimum, parts) if any([is_at_most(part, other) for part in parts]):
            return True
        case Prim(p.subtract, (whole, Const(taken))) if taken >= 0 and is_at_most(whole, other):
            return True
    match other:
        case Prim(p.maximum, parts):
            return any([is_at_most(size, part) for part in parts])
        case _:
            return False


def _apart_in(node: Term, scope: Scope) -> Scope | None:
    """Which part of a `while` or a comprehension a node belongs to that mentions its state or indices; None for others."""
    for here in scope.outwards():
        if here.is_apart and not here.variables.isdisjoint(node.free):
            return here
    return None


def common_of(scopes: list[Scope]) -> Scope:
    """The innermost scope that contains all of these."""
    here, *others = scopes
    for other in others:
        here = _common(here, other)
    return here


def bound_apart(node: Term) -> tuple[Var, ...]:
    """The variables that a node binds in several scopes, neither of them in another."""
    if not is_loop(node) or runs(node).count(Runs.MANY) < 2:
        return ()
    return bound_in(node, len(children(node)) - 1)


def _where(node: Term, k: int) -> Term | None:
    """The condition that holds where child `k` is evaluated."""
    found = steps(node)
    at = [position for position, step in enumerate(found) if step.var is None][k]
    given = condition_of(node, found[at], [step.term for step in found])
    return given[0] if given is not None and given[1] else None


def by_inner_scope(here: Scope, uses: dict[Scope, int]) -> list[dict[Scope, int]]:
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


def _positive_size(condition: Term | None) -> Term | None:
    """The size that is at least one if the condition holds, if it says that of one."""
    match condition:
        case Prim(primitive, (Const(0), size)) if primitive is p.less:
            return size
        case Prim(primitive, (size, Const(0))) if primitive in (p.greater, p.not_equal) and isinstance(size, Length):
            return size
        case _:
            return None
