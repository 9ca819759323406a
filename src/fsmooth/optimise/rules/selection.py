"""Selections that are only reduced: the reduction goes over all elements, with the guard, and nothing is stored.

`np.sum(x[mask] ** 2)` is read as a sum over the array of those elements that the mask selects.  That array is appended to
element by element, which no processor does in vectors; a sum of `if c i then … else zero` is added up in vectors.

    let w = collect m [i in n] (c i) (f i) in sum m (fun k -> e w[k])  ~>  sum n (fun i -> if c i then e (f i) else zero)

Conditions: whatever reads the selection is a reduction over all of it that reads it at its own index, which it uses for nothing
else, and each of the selections that one reduction reads has the same generators and guard.  Elements and guards may fail,
so what is reduced in a loop or a branch, or not to the end, stays, unless they provably cannot.  Sums that would repeat more
work than storing saves stay too (core/cost.py).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.build import number
from fsmooth.core.cost import Costs
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import Collect, Const, Deriv, Get, If, Lam, Let, Prim, Reduce, Reduction, Require, Term, Var, let
from fsmooth.core.traverse import bound_in, children, opens_region, rebuild, subterms, transform
from fsmooth.core.types import Int
from fsmooth.optimise.rules.sparsity import zero_of
from fsmooth.optimise.rules.totality import cannot_fail_below
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_TOTALS = frozenset({Reduction.SUM, Reduction.PRODUCT, Reduction.ALL, Reduction.ANY})
_STOPPING = frozenset({Reduction.ALL, Reduction.ANY})
_EXTREMA = frozenset({Reduction.MAX, Reduction.MIN})


@rule(
    "let w = collect (sum n (fun i -> if c i then 1 else 0)) [i in n] (c i) (x i) in"
    " sum (sum n (fun i -> if c i then 1 else 0)) (fun k -> w[k])"
    " ~> sum n (fun i -> if c i then x i else zero);  "
    "let w = collect (sum n (fun i -> if c i then 1 else 0)) [i in n] (c i) (x i) in"
    " product (sum n (fun i -> if c i then 1 else 0)) (fun k -> w[k] * w[k])"
    " ~> product n (fun i -> if c i then (let y = x i in y * y) else 1.0)",
    source="fsmooth",
    heads=Let,
)
def reduce_selection(t: Term, facts: Facts) -> Term | None:
    """Sums and products of selections, and whether all or any of what is selected holds."""
    return _reduced(t, facts, _TOTALS)


@rule(
    "let w = collect (sum n (fun i -> if c i then 1 else 0)) [i in n] (c i) (x i) in"
    " max (sum n (fun i -> if c i then 1 else 0)) (fun k -> w[k])"
    " ~> max n (fun i -> if c i then x i else -inf) where 0 < sum n (fun i -> if c i then 1 else 0)",
    source="fsmooth",
    heads=Let,
)
def extremum_of_selection(t: Term, facts: Facts) -> Term | None:
    """Where there are extrema among the reductions; somebody else has required that something is selected.

    Not before a derivative is taken: the first index where the right side has its maximum may be one that is not selected,
    if what is selected is -inf throughout.
    """
    return _reduced(t, facts, _TOTALS | _EXTREMA)


def _reduced(t: Term, facts: Facts, reductions: frozenset[Reduction]) -> Term | None:
    """A scope without those of its selections that are only reduced."""
    if not isinstance(t, Let) or not any([isinstance(value, Collect) for _, value in t.bindings]):
        return None
    selections = _Selections(t, facts, reductions)
    if not selections.found:
        return None
    kept = [(var, selections.rewritten(value)) for var, value in t.bindings if var not in selections.found]
    new = let(kept, selections.rewritten(t.body))
    costs = Costs()
    return new if costs.of(new).at() <= costs.of(t).at() else None


class _Selections:
    """The selections of a scope that are only reduced, by name."""

    def __init__(self, scope: Let, facts: Facts, reductions: frozenset[Reduction]) -> None:
        self.facts = facts
        self.reductions = reductions
        self.definitions = dict(scope.bindings)
        self.found: Mapping[Var, Collect] = _named(scope)
        self.guards = {var: _guard_of(selection) for var, selection in self.found.items()}
        self.counts = {var: self._count(selection.count) for var, selection in self.found.items()}
        while self.found:
            others = self._read_otherwise(scope)
            if not others:
                return
            self.found = {var: selection for var, selection in self.found.items() if var not in others}

    def rewritten(self, term: Term) -> Term:
        """A term in which reductions of the selections are reductions over everything."""
        if self.found.keys().isdisjoint(term.free):
            return term
        if isinstance(term, Reduce) and (read := self._reduced_in(term)):
            new = self._over_all(term, read)
            assert new is not None
            return new
        return rebuild(term, [self.rewritten(child) for child in children(term)])

    def _count(self, size: Term) -> Hashable:
        """What tells one number of elements from another: a name's definition; a count is no less than 0."""
        while True:
            match size:
                case Var() if size in self.definitions:
                    size = self.definitions[size]
                case Var() if self.facts.definition(size) is not size:
                    size = self.facts.definition(size)
                case Prim(p.maximum, (inner, Const(0))):
                    size = inner
                case _:
                    return alpha_key(size)

    def _read_otherwise(self, scope: Let) -> set[Var]:
        """The selections that something else reads than reductions that may be replaced."""
        others: set[Var] = set()
        seen: set[tuple[Term, bool]] = set()
        values = [value for value in self.definitions.values() if not isinstance(value, Collect)]
        stack = [(part, True) for part in (*values, scope.body)]
        while stack:
            term, always = stack.pop()
            if (term, always) in seen or self.found.keys().isdisjoint(term.free):
                continue
            seen.add((term, always))
            if isinstance(term, Var):
                others.add(term)
            elif isinstance(term, Lam | Deriv):
                others |= self.found.keys() & term.free
            elif (
                isinstance(term, Reduce) and (read := self._reduced_in(term)) and self._may_replace(term, read, always)
            ):
                continue
            else:
                runs = [isinstance(term, Require) or not opens_region(term, k) for k in range(len(children(term)))]
                stack.extend([(part, always and run) for part, run in zip(children(term), runs, strict=True)])
        for selection in [value for value in self.definitions.values() if isinstance(value, Collect)]:
            others |= self.found.keys() & selection.free
        return others

    def _reduced_in(self, loop: Reduce) -> list[Var]:
        """The selections that a reduction reads, each of them at its index, which it uses for nothing else."""
        read = [var for var in self.found if var in loop.body.free]
        if not read or loop.reduction not in self.reductions or not self.found.keys().isdisjoint(loop.size.free):
            return []
        if len({self.guards[var] for var in read}) > 1 or self._count(loop.size) not in {self.counts[v] for v in read}:
            return []
        rest = _with_elements(loop.body, loop.index, {var: Var(var.name, self.found[var].body.type) for var in read})
        return read if rest.free.isdisjoint((*read, loop.index)) else []

    def _may_replace(self, loop: Reduce, read: list[Var], always: bool) -> bool:
        """Does all of it run whenever the selection is made, or can nothing in it fail?  And is there a neutral value?"""
        if self._over_all(loop, read) is None:
            return False
        all_of_it = always and loop.reduction not in _STOPPING
        return all_of_it or all([_cannot_fail(self.found[var], self.facts) for var in read])

    def _over_all(self, loop: Reduce, read: list[Var]) -> Term | None:
        """The reduction over all that the selections are of."""
        first = refresh(self.found[read[0]])
        assert isinstance(first, Collect)
        indices = [index for _, index in first.generators]
        if loop.reduction in _EXTREMA and any([not size.free.isdisjoint(indices) for size, _ in first.generators]):
            return None
        values = {}
        for var in read:
            own = refresh(self.found[var])
            assert isinstance(own, Collect)
            renamed = {old: new for (_, old), new in zip(own.generators, indices, strict=True)}
            values[var] = substitute(own.body, renamed)
        names = {var: Var(var.name, value.type, var.site) for var, value in values.items()}
        element = _with_elements(loop.body, loop.index, names)
        if isinstance(element, Var):
            (element,) = values.values()
        else:
            element = Let(tuple([(names[var], value) for var, value in values.items()]), element)
        neutral = _neutral(loop, element)
        if neutral is None or not neutral.free.isdisjoint([*indices, *names.values()]):
            return None
        new: Term = If(first.guard, element, neutral)
        for size, index in reversed(first.generators):
            new = Reduce(loop.reduction, size, index, new)
        return refresh(new)


def _named(scope: Let) -> dict[Var, Collect]:
    """The selections that a scope names and reads, of which nothing is named otherwise further in."""
    parts = children(scope)
    read = frozenset[Var]().union(*[part.free for part in parts])
    inner = {x for part in parts for t in subterms(part) for k in range(len(children(t))) for x in bound_in(t, k)}
    names = [var for var, _ in scope.bindings]
    found = {}
    for place, (var, value) in enumerate(scope.bindings):
        if isinstance(value, Collect) and var in read:
            taken = {*value.free, var}
            if taken.isdisjoint(inner) and names.count(var) == 1 and taken.isdisjoint(names[place + 1 :]):
                found[var] = value
    return found


def _guard_of(selection: Collect) -> Hashable:
    """What two selections of the same elements have in common."""
    return alpha_key(Collect(Const(0), selection.generators, selection.guard, Const(0)))


def _with_elements(body: Term, index: Var, names: Mapping[Var, Var]) -> Term:
    """A term with names for the elements of arrays at an index."""

    def change(t: Term) -> Term:
        is_element = isinstance(t, Get) and t.index is index and isinstance(t.array, Var)
        return names.get(t.array, t) if is_element else t  # type: ignore[attr-defined]

    return transform(body, change)


def _cannot_fail(selection: Collect, facts: Facts) -> bool:
    """Have the guard and the elements values whether anything is selected or not?"""
    sizes = [size for size, _ in selection.generators]
    ranges = {index: size for size, index in selection.generators}
    return cannot_fail_below(ranges, (*sizes, selection.guard, selection.body), facts)


def _neutral(loop: Reduce, element: Term) -> Term | None:
    """What changes nothing in a reduction."""
    match loop.reduction:
        case Reduction.SUM:
            return zero_of(element)
        case Reduction.PRODUCT:
            return number(1, loop.type)
        case Reduction.ALL | Reduction.ANY:
            return Const(loop.reduction is Reduction.ALL)
        case _:
            is_max = loop.reduction is Reduction.MAX
            if isinstance(loop.type, Int):
                return Const(-(2**63) if is_max else 2**63 - 1)
            return number(-math.inf if is_max else math.inf, loop.type)
