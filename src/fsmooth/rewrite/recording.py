"""Walks that record each of their steps, so that it can be found and done once more (rewrite/replay.py).

A walk carries its substitution along, tries what it then gives up, and takes the branch of a condition that is known without
a rule.  A record of it has terms as they stand after all substitutions, nothing of what was given up, and such branches as steps.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core.subst import substitute
from fsmooth.core.term import If, Let, Term, Var
from fsmooth.core.traverse import children
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.memory import Memory
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.trace import Again, Firing, Trace


class Recording(Normaliser):
    """A walk that records its steps in a trace, which has firings."""

    def __init__(self, rules: Iterable[Rule], trace: Trace | None = None, memory: Memory | None = None) -> None:
        super().__init__(rules, trace, memory)
        self.begin()

    def begin(self) -> None:
        """Record from here on."""
        assert self.trace.firings is not None
        self.firings = self.trace.firings
        self.first = len(self.firings)
        self.places: list[_Place] = []
        """The terms that are being walked, outermost first."""
        self.branches: list[int] = []
        """Where the firings in the branches begin that are being walked."""

    def derived(self, start: Term, end: Term) -> None:
        """Note that the walk led from one term to the other."""
        self.trace.derived(start, end, self.first, self.facts.static_sizes)

    def note(self, name: str, before: Term, after: Term, again: Again) -> None:
        """Record a step at this place of the walk."""
        before, after = self.here(before), self.here(after)
        self.firings.append(Firing(name, before, after, tuple(self.open), _path(self.places), again))

    def here(self, term: Term) -> Term:
        """The term with what is to be substituted substituted."""
        return substitute(term, self.env) if self.env else term

    def fired(self, rule: Rule, before: Term, after: Term) -> None:
        super().fired(rule, before, after)
        self.note(rule.name, before, after, rule.apply)

    def taken(self, term: If, condition: Term, truth: bool) -> Term:
        branch = super().taken(term, condition, truth)
        self.note("if_known", If(condition, self.here(term.then), self.here(term.otherwise)), branch, _taken)
        self.places[-1] = _Place(branch, self.places[-1].own, len(self.open))
        return branch

    def run(self, term: Term) -> Term:
        bound = len(self.open)
        self.places.append(_Place(term, self.places[-1].path_to(term, bound) if self.places else (), bound))
        result = super().run(term)
        if isinstance(term, Var) and result is not (found := self.env.get(term, term)):
            self.firings.append(
                Firing("name of a branch", found, result, tuple(self.open), _path(self.places), _chosen)
            )
        self.places.pop()
        return result

    def scope(self, term: Let) -> Term:
        place = self.places[-1]
        place.is_scope = True
        result = super().scope(term)
        place.is_scope = False
        return result

    def where(self, condition: Term, value: bool, branch: Term) -> Term:
        self.branches.append(len(self.firings))
        result = super().where(condition, value, branch)
        self.branches.pop()
        return result

    def has_sizes_of(self, new: Term, old: Term) -> bool:
        end = len(self.firings)
        result = super().has_sizes_of(new, old)
        del self.firings[end if result else self.branches[-1] :]
        return result


class _Place:
    """A term that is being walked: by which parts it is reached from the one around it, and how much is bound there."""

    __slots__ = ("bound", "is_scope", "met", "own", "parts", "required")

    def __init__(self, term: Term, own: tuple[int, ...], bound: int) -> None:
        self.parts = children(term)
        self.own = own
        self.bound = bound
        self.met = 0
        self.is_scope = False
        self.required: list[tuple[int, int]] = []
        """Of a scope: the requirements that have come before what is left, as which part that is, under how many variables."""

    def path_to(self, part: Term, bound: int) -> tuple[int, ...]:
        """By which parts the part is reached, of those that are one term the next; (): it takes the place of the whole.

        Each definition of a scope is part 0 of a scope of its own.
        """
        for k in (*range(self.met, len(self.parts)), *range(self.met)):
            if self.parts[k] is part:
                self.met = k + 1
                break
        else:
            k = -1
        if not self.is_scope:
            return (k,) if k >= 0 else ()
        required = tuple([last for last, around in self.required if around == bound])
        return required if k == len(self.parts) - 1 else (*required, 0)


def _path(places: list[_Place]) -> tuple[int, ...]:
    """The numbers of the parts since the last variable was bound."""
    found: list[int] = []
    bound, was_scope = 0, False
    for place in places:
        is_inside = place.bound != bound
        if is_inside:
            found.clear()
        if was_scope or not is_inside:
            found.extend(place.own)
        bound, was_scope = place.bound, place.is_scope
    return tuple(found)


def _taken(term: Term, facts: Facts) -> Term | None:
    """The branch of a condition that is known."""
    truth = facts.truth(term.condition) if isinstance(term, If) else None
    if truth is None or not isinstance(term, If):
        return None
    return term.then if truth else term.otherwise


def _chosen(term: Term, facts: Facts) -> Term | None:
    """The name that a name for one of two has where it is known for which."""
    return facts.chosen(term) if isinstance(term, Var) else None
