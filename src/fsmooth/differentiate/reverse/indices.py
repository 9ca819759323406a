"""What is known of the indices in a fold's body: the ranges of loops, and the conditions around a place in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmooth import thresholds
from fsmooth.core.subst import substitute
from fsmooth.core.term import Check, Const, Length, Prim, Term, Var
from fsmooth.core.term.fields import Definitions, Generators, Index, State, Step
from fsmooth.core.traverse import binds, size_of_tree, steps, subterms, transform
from fsmooth.core.types import Bool, Int
from fsmooth.differentiate.reverse.writes import Place
from fsmooth.rewrite.facts import Facts


class Indices:
    """Of the body of a fold over `index` below `size`, whose binders are distinct; `outside` are definitions around it."""

    def __init__(self, body: Term, index: Var, size: Term, outside: Mapping[Var, Term]) -> None:
        self.facts = Facts()
        self.definitions: dict[Var, Term] = {}
        self.outside = outside
        self.loops = {index: size}
        self.bound = {index}
        self._known: dict[Term, Term | None] = {}
        for t in subterms(body):
            if not binds(t):
                continue
            for step in steps(t):
                if step.var is not None:
                    self.bound.add(step.var)
                    self._learn(step, step.var)
        for i, count in self.loops.items():
            self.facts.ranges[i] = self.resolved(count) or count

    def _learn(self, step: Step, var: Var) -> None:
        match step.field:
            case Definitions() if step.given is not None:
                self.definitions[var] = step.given
            case Index() | Generators() if step.given is not None:
                self.loops[var] = step.given
            case State():
                self.facts.carry(var)

    def resolved(self, term: Term) -> Term | None:
        """An index or a size in terms of loops' indices and of what is outside of the fold; None if that is not known."""
        if term not in self._known:
            result: Term | None = transform(self.expanded(term), _unchecked)
            assert result is not None
            if (
                any([x in self.bound and x not in self.loops for x in result.free])
                or size_of_tree(result) > thresholds.INDEX_NODES
            ):
                result = None
            self._known[term] = result
        return self._known[term]

    def expanded(self, term: Term) -> Term:
        """Likewise, as far as that is possible."""
        return written_out(term, self._definition)

    def _definition(self, x: Var) -> Term | None:
        if not isinstance(x.type, Int | Bool):
            return None
        own = self.definitions.get(x)
        if own is not None:
            return own
        value = self.outside.get(x)
        return value if isinstance(value, Const | Length | Prim) else None

    def differ(self, a: Place, b: Place) -> bool:
        """Are they certainly different elements, or parts of different rows?"""
        return any([i is not None and j is not None and self._unequal(i, j) for i, j in zip(a, b, strict=False)])

    def _unequal(self, i: Term, j: Term) -> bool:
        return self.facts.less(i, j) or self.facts.less(j, i)


def written_out(index: Term, define: Callable[[Var], Term | None]) -> Term:
    """An index with what is defined instead of names, as far as that is short."""
    for _ in range(thresholds.DEFINITIONS):
        known = {x: value for x in index.free if (value := define(x)) is not None}
        if not known or size_of_tree(index) > thresholds.INDEX_NODES:
            break
        index = substitute(index, known)
    return index


def _unchecked(t: Term) -> Term:
    return t.index if isinstance(t, Check) else t
