"""Capture-free substitution of terms for variables.

A binder is renamed when it would capture a free variable of a replacement, so substitution is right even
for terms in which the same `Var` is bound more than once.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.term import Build, Collect, IFold, Lam, Let, Reduce, Term, Var, While
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


class _Pass:
    """One substitution; results are memoised, so shared subterms are treated once."""

    def __init__(self, replacements: dict[Var, Term], memo: dict[int, tuple[Term, Term]]) -> None:
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
        found = self.memo.get(id(term))
        if found is not None:
            return found[1]
        result = self.step(term)
        self.memo[id(term)] = (term, result)
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
            case While(init, state, condition, body):
                inner, state = self.under(state)
                return While(self.run(init), state, inner.run(condition), inner.run(body))
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
        if var in self.replacements:
            return _Pass({v: t for v, t in self.replacements.items() if v is not var}, {}), var
        self.passed.add(var)
        return self, var

    def under_all(self, variables: tuple[Var, ...]) -> tuple[_Pass, tuple[Var, ...]]:
        inner = self
        fresh = []
        for var in variables:
            inner, new = inner.under(var)
            fresh.append(new)
        return inner, tuple(fresh)


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
            self._pass.memo = {k: known for k, known in self._pass.memo.items() if var not in known[0].free}
        self._pass.replacements[var] = new
        self._pass.dangerous |= new.free

    def __call__(self, term: Term) -> Term:
        return self._pass.run(term)


class _Refresh:
    """The new names of the binders of one scope; terms that do not mention them belong to a scope further out."""

    def __init__(self, outer: _Refresh | None, names: dict[Var, Var]) -> None:
        self.outer = outer
        self.names = names
        self.memo: dict[int, Term] = {}

    def run(self, term: Term) -> Term:
        scope = self
        while scope.outer is not None and scope.names.keys().isdisjoint(term.free):
            scope = scope.outer
        if isinstance(term, Var):
            return scope.names.get(term, term)
        found = scope.memo.get(id(term))
        if found is None:
            found = scope.memo[id(term)] = scope.step(term)
        return found

    def inside(self, *binders: Var) -> _Refresh:
        """The scope below binders."""
        return _Refresh(self, {var: var.renamed() for var in binders})

    def step(self, term: Term) -> Term:
        match term:
            case Let():
                return self.scopes(term)
            case Lam(parameters, body):
                inner = self.inside(*parameters)
                return Lam(tuple([inner.names[q] for q in parameters]), inner.run(body))
            case Build(size, index, body):
                inner = self.inside(index)
                return Build(self.run(size), inner.names[index], inner.run(body))
            case Reduce(reduction, size, index, body):
                inner = self.inside(index)
                return Reduce(reduction, self.run(size), inner.names[index], inner.run(body))
            case IFold(size, init, state, index, body):
                inner = self.inside(state, index)
                size, init = self.run(size), self.run(init)
                return IFold(size, init, inner.names[state], inner.names[index], inner.run(body))
            case While(init, state, condition, body):
                inner = self.inside(state)
                return While(self.run(init), inner.names[state], inner.run(condition), inner.run(body))
            case Collect(count, generators, guard, body):
                inner = self
                fresh = []
                for size, index in generators:
                    size = inner.run(size)
                    inner = inner.inside(index)
                    fresh.append((size, inner.names[index]))
                return Collect(self.run(count), tuple(fresh), inner.run(guard), inner.run(body))
            case _:
                return rebuild(term, [self.run(child) for child in children(term)])

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
