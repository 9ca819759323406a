"""What the tests of binders share: terms in disguise, and alpha-equivalence by its definition."""

from __future__ import annotations

import random
from collections.abc import Mapping

from fsmooth.core.term import Build, Collect, Const, IFold, Lam, Let, Prim, Reduce, Term, Var, While
from fsmooth.core.traverse import bound_in, children, rebuild, subterms


def binders(term: Term) -> list[Var]:
    """Every variable that is bound somewhere inside."""
    found: dict[Var, None] = {}
    for t in subterms(term):
        for k in range(len(children(t))):
            found.update(dict.fromkeys(bound_in(t, k)))
    return list(found)


def disguised(term: Term, rng: random.Random) -> Term:
    """An alpha-equivalent term whose binders are other variables of the term, bound twice, shadowed, as it falls."""
    pool = binders(term) + list(term.free)
    return _Disguise(rng, pool).run(term, {})


class _Disguise:
    def __init__(self, rng: random.Random, pool: list[Var]) -> None:
        self.rng = rng
        self.pool = pool

    def pick(self, var: Var, scope: frozenset[Var], names: Mapping[Var, Var], taken: tuple[Var, ...] = ()) -> Var:
        """A binder to use instead of `var`, where `scope` is free in what it binds."""
        kept = {names.get(v, v) for v in scope if v is not var} | set(taken)
        choices = [v for v in self.pool if v.type == var.type and v not in kept]
        return self.rng.choice([*choices, var.renamed()])

    def run(self, term: Term, names: dict[Var, Var]) -> Term:
        match term:
            case Var():
                return names.get(term, term)
            case Let(bindings, body):
                new, names = [], dict(names)
                for k, (var, value) in enumerate(bindings):
                    value = self.run(value, names)
                    names[var] = self.pick(var, Let(bindings[k + 1 :], body).free, names)
                    new.append((names[var], value))
                return Let(tuple(new), self.run(body, names))
            case Lam(parameters, body):
                names, chosen = dict(names), []
                for var in parameters:
                    chosen.append(self.pick(var, body.free, names, tuple(chosen)))
                    names[var] = chosen[-1]
                return Lam(tuple(chosen), self.run(body, names))
            case Build(size, index, body):
                inner = names | {index: self.pick(index, body.free, names)}
                return Build(self.run(size, names), inner[index], self.run(body, inner))
            case Reduce(reduction, size, index, body):
                inner = names | {index: self.pick(index, body.free, names)}
                return Reduce(reduction, self.run(size, names), inner[index], self.run(body, inner))
            case IFold(size, init, state, index, body):
                first = self.pick(state, body.free, names)
                inner = names | {state: first}
                inner[index] = self.pick(index, body.free, inner, (first,))
                return IFold(self.run(size, names), self.run(init, names), first, inner[index], self.run(body, inner))
            case While(init, state, condition, body):
                inner = names | {state: self.pick(state, condition.free | body.free, names)}
                return While(self.run(init, names), inner[state], self.run(condition, inner), self.run(body, inner))
            case Collect(count, ((size, index),), guard, body):
                inner = names | {index: self.pick(index, guard.free | body.free, names)}
                generators = ((self.run(size, names), inner[index]),)
                return Collect(self.run(count, names), generators, self.run(guard, inner), self.run(body, inner))
            case _:
                return rebuild(term, [self.run(child, names) for child in children(term)])


def equivalent(left: Term, right: Term, pairs: tuple[tuple[Var, Var], ...] = ()) -> bool:
    """Alpha-equivalence as it is defined: walk both, remember which binders correspond."""
    if type(left) is not type(right) or left.type != right.type:
        return False
    if isinstance(left, Var) and isinstance(right, Var):
        for a, b in reversed(pairs):
            if a is left or b is right:
                return a is left and b is right
        return left is right
    if isinstance(left, Const) and isinstance(right, Const):
        return repr(left.value) == repr(right.value)
    if isinstance(left, Prim) and isinstance(right, Prim) and left.primitive is not right.primitive:
        return False
    for name in ("axis", "position", "reduction", "leaf", "wrt", "verb", "single", "failure"):
        if getattr(left, name, None) != getattr(right, name, None):
            return False
    parts = list(zip(children(left), children(right), strict=False))
    if len(children(left)) != len(children(right)):
        return False
    for k, (a, b) in enumerate(parts):
        bound = tuple(zip(bound_in(left, k), bound_in(right, k), strict=True))
        if not equivalent(a, b, pairs + bound):
            return False
    return True
