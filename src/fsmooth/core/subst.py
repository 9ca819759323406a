"""Capture-free substitution of terms for variables.

A binder is renamed when it would capture a free variable of a replacement, so substitution is right even
for terms in which the same `Var` is bound more than once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

from fsmooth.core.term import Let, Term, Var
from fsmooth.core.traverse import binds, children, rebuild, remade, steps

Substitution = Mapping[Var, Term]


def substitute(term: Term, replacements: Substitution) -> Term:
    """`term` with every free occurrence of each key replaced by its value, all at once.

    >>> from fsmooth.core.types import INT
    >>> from fsmooth.core.term import Build
    >>> n, i = Var("n", INT), Var("i", INT)
    >>> substitute(Build(n, i, n), {n: i})      # the bound i is renamed, the free i stays free
    build i (fun i_1 -> i)
    """
    free = term.free
    if len(free) < len(replacements):
        live = {var: replacements[var] for var in free if var in replacements}
    else:
        live = {var: new for var, new in replacements.items() if var in free}
    live = {var: new for var, new in live.items() if new is not var}
    if not live:
        return term
    return _Pass(live, {}).run(term)


def substitute1(term: Term, var: Var, new: Term) -> Term:
    """`substitute` for one variable."""
    return substitute(term, {var: new})


def refresh(term: Term) -> Term:
    """An alpha-equivalent copy in which every binder is fresh; subterms that are one object stay one."""
    return _Refresh(None, {}).run(term)


class _Walk(Protocol):
    """A walk over terms, in one scope."""

    def run(self, term: Term) -> Term:
        """What becomes of a term in this scope."""

    def under(self, var: Var) -> tuple[Self, Var]:
        """The walk in the scope of a variable, and what that is called there."""


def _in_scopes(walk: _Walk, term: Term) -> Term:
    """`term` with each child as the walk makes it in the scope where it stands."""
    found = steps(term)
    new: list[Term] = []
    for step in found:
        if step.var is not None:
            walk, fresh = walk.under(step.var)
            new.append(fresh)
        else:
            new.append(walk.run(step.term))
    return remade(term, found, new)


class _Pass:
    """One substitution; results are memoised, so shared subterms are treated once."""

    def __init__(self, replacements: dict[Var, Term], memo: dict[Term, Term]) -> None:
        self.replacements = replacements
        self.memo = memo
        self.passed: set[Var] = set()
        captured: set[Var] = set()
        for new in replacements.values():
            captured |= new.free
        self.dangerous = captured

    def run(self, term: Term) -> Term:
        if isinstance(term, Var):
            return self.replacements.get(term, term)
        if self.replacements.keys().isdisjoint(term.free):
            return term
        found = self.memo.get(term)
        if found is not None:
            return found
        result = self.step(term)
        self.memo[term] = result
        return result

    def step(self, term: Term) -> Term:
        if not binds(term):
            return rebuild(term, [self.run(child) for child in children(term)])
        return _in_scopes(self, term)

    def under(self, var: Var) -> tuple[_Pass, Var]:
        """The pass to use in the scope of `var`, and the binder to use there."""
        if var in self.dangerous:
            fresh = var.renamed()
            return _Pass({**self.replacements, var: fresh}, {}), fresh
        if var in self.replacements:
            return _Pass({v: t for v, t in self.replacements.items() if v is not var}, {}), var
        self.passed.add(var)
        return self, var


class Renaming:
    """A substitution that grows while a program is walked, whose binders are distinct; results are memoised throughout."""

    def __init__(self, replacements: Substitution) -> None:
        self._pass = _Pass(dict(replacements), {})

    def add(self, var: Var, new: Term) -> None:
        """From here on `var` becomes `new`.

        What was memoised of terms that mention `var` is forgotten: they were met below its binder, as part of a larger
        term, or as the same object in another scope.
        """
        if var in self._pass.passed or var in self._pass.replacements:
            self._pass.memo = {old: made for old, made in self._pass.memo.items() if var not in old.free}
        self._pass.replacements[var] = new
        self._pass.dangerous |= new.free

    def __call__(self, term: Term) -> Term:
        return self._pass.run(term)


class _Refresh:
    """The new names of the binders of one scope; terms that do not mention them belong to a scope further out."""

    def __init__(self, outer: _Refresh | None, names: dict[Var, Var]) -> None:
        self.outer = outer
        self.names = names
        self.memo: dict[Term, Term] = {}

    def run(self, term: Term) -> Term:
        scope = self
        while scope.outer is not None and scope.names.keys().isdisjoint(term.free):
            scope = scope.outer
        if isinstance(term, Var):
            return scope.names.get(term, term)
        found = scope.memo.get(term)
        if found is None:
            found = scope.memo[term] = scope.step(term)
        return found

    def step(self, term: Term) -> Term:
        if isinstance(term, Let):
            return self.scopes(term)
        if not binds(term):
            return rebuild(term, [self.run(child) for child in children(term)])
        return _in_scopes(self, term)

    def under(self, var: Var) -> tuple[_Refresh, Var]:
        """The scope below a binder, and its name there."""
        inner = _Refresh(self, {var: var.renamed()})
        return inner, inner.names[var]

    def scopes(self, term: Let) -> Term:
        """A chain of lets, in one scope as long as no name hides another."""
        inner = _Refresh(self, {})
        chain: list[tuple[tuple[Var, Term], ...]] = []
        body: Term = term
        while isinstance(body, Let):
            new = []
            for var, value in body.bindings:
                value = inner.run(value)
                if var in inner.names or var in term.free:
                    inner = _Refresh(inner, {})
                inner.names[var] = var.renamed()
                new.append((inner.names[var], value))
            chain.append(tuple(new))
            body = body.body
        result = inner.run(body)
        for bindings in reversed(chain):
            result = Let(bindings, result)
        return result
