"""Capture-free substitution of terms for variables.

A binder is renamed when it would capture a free variable of a replacement, so substitution is right even
for terms in which the same `Var` is bound more than once.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.term import Build, Collect, IFold, Lam, Let, Reduce, Term, Var
from fsmooth.core.traverse import children, rebuild

Substitution = Mapping[Var, Term]


def substitute(term: Term, replacements: Substitution) -> Term:
    """`term` with every free occurrence of each key replaced by its value, all at once.

    >>> from fsmooth.core.types import INT
    >>> from fsmooth.core.term import Const
    >>> n, i = Var("n", INT), Var("i", INT)
    >>> substitute(Build(n, i, n), {n: i})      # the bound i is renamed, the free i stays free
    build i (fun i_1 -> i)
    """
    live = {var: new for var, new in replacements.items() if var in term.free and new is not var}
    if not live:
        return term
    return _Pass(live, {}).run(term)


def substitute1(term: Term, var: Var, new: Term) -> Term:
    """`substitute` for one variable."""
    return substitute(term, {var: new})


def refresh(term: Term) -> Term:
    """An alpha-equivalent copy in which every binder is fresh."""
    return _Refresh().run(term, {})


class _Pass:
    """One substitution; results are memoised, so shared subterms are treated once."""

    def __init__(self, replacements: dict[Var, Term], memo: dict[int, Term]) -> None:
        self.replacements = replacements
        self.domain = frozenset(replacements)
        self.memo = memo
        captured: set[Var] = set()
        for new in replacements.values():
            captured |= new.free
        self.dangerous = captured

    def run(self, term: Term) -> Term:
        if isinstance(term, Var):
            return self.replacements.get(term, term)
        if self.domain.isdisjoint(term.free):
            return term
        found = self.memo.get(id(term))
        if found is not None:
            return found
        result = self.step(term)
        self.memo[id(term)] = result
        return result

    def step(self, term: Term) -> Term:
        match term:
            case Let(bindings, body):
                inner: _Pass = self
                new = []
                for var, value in bindings:
                    value = inner.run(value)
                    inner, fresh = inner.under(var)
                    new.append((fresh, value))
                return Let(tuple(new), inner.run(body))
            case Lam(parameters, body):
                inner, fresh_all = self.under_all(parameters)
                return Lam(fresh_all, inner.run(body))
            case Build(size, index, body):
                inner, fresh = self.under(index)
                return Build(self.run(size), fresh, inner.run(body))
            case Reduce(reduction, size, index, body):
                inner, fresh = self.under(index)
                return Reduce(reduction, self.run(size), fresh, inner.run(body))
            case IFold(size, init, state, index, body):
                inner, (state, index) = self.under_all((state, index))
                return IFold(self.run(size), self.run(init), state, index, inner.run(body))
            case Collect(count, generators, guard, body):
                inner = self
                renamed = []
                for size, index in generators:
                    size = inner.run(size)
                    inner, fresh = inner.under(index)
                    renamed.append((size, fresh))
                return Collect(self.run(count), tuple(renamed), inner.run(guard), inner.run(body))
            case _:
                return rebuild(term, [self.run(child) for child in children(term)])

    def under(self, var: Var) -> tuple[_Pass, Var]:
        """The pass to use in the scope of `var`, and the binder to use there."""
        if var in self.dangerous:
            fresh = var.renamed()
            return _Pass({**self.replacements, var: fresh}, {}), fresh
        if var in self.domain:
            return _Pass({v: t for v, t in self.replacements.items() if v is not var}, {}), var
        return self, var

    def under_all(self, variables: tuple[Var, ...]) -> tuple[_Pass, tuple[Var, ...]]:
        inner = self
        fresh = []
        for var in variables:
            inner, new = inner.under(var)
            fresh.append(new)
        return inner, tuple(fresh)


class _Refresh:
    def run(self, term: Term, names: dict[Var, Var]) -> Term:
        match term:
            case Var():
                return names.get(term, term)
            case Let(bindings, body):
                names = dict(names)
                new = []
                for var, value in bindings:
                    value = self.run(value, names)
                    names[var] = var.renamed()
                    new.append((names[var], value))
                return Let(tuple(new), self.run(body, names))
            case Lam(parameters, body):
                names = names | {p: p.renamed() for p in parameters}
                return Lam(tuple([names[p] for p in parameters]), self.run(body, names))
            case Build(size, index, body):
                inner = names | {index: index.renamed()}
                return Build(self.run(size, names), inner[index], self.run(body, inner))
            case Reduce(reduction, size, index, body):
                inner = names | {index: index.renamed()}
                return Reduce(reduction, self.run(size, names), inner[index], self.run(body, inner))
            case IFold(size, init, state, index, body):
                inner = names | {state: state.renamed(), index: index.renamed()}
                size, init = self.run(size, names), self.run(init, names)
                return IFold(size, init, inner[state], inner[index], self.run(body, inner))
            case Collect(count, generators, guard, body):
                inner = dict(names)
                fresh = []
                for size, index in generators:
                    size = self.run(size, inner)
                    inner[index] = index.renamed()
                    fresh.append((size, inner[index]))
                return Collect(self.run(count, names), tuple(fresh), self.run(guard, inner), self.run(body, inner))
            case _:
                return rebuild(term, [self.run(child, names) for child in children(term)])
