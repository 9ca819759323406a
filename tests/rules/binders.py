"""The same term with as few variables as possible: binders shared between scopes, and names of free variables reused."""

from __future__ import annotations

from fsmooth.core.subst import substitute1
from fsmooth.core.term import Build, IFold, Let, Reduce, Term, Var, While, let
from fsmooth.core.traverse import children, rebuild
from fsmooth.core.types import Type

Pool = dict[Type, Var]


def shadowed(term: Term) -> Term:
    """An alpha-equivalent term, in which one variable of each type is bound wherever it can be."""
    pool: Pool = {}
    for var in sorted(term.free, key=lambda v: v.id):
        pool.setdefault(var.type, var)
    return _reuse(term, pool)


def _reuse(term: Term, pool: Pool) -> Term:
    match term:
        case Let(((var, value), *others), body):
            value = _reuse(value, pool)
            rest = let(tuple(others), body)
            var, rest = _renamed(var, rest, pool)
            return let(((var, value),), _reuse(rest, pool))
        case Build(size, index, body):
            index, body = _renamed(index, body, pool)
            return Build(_reuse(size, pool), index, _reuse(body, pool))
        case Reduce(reduction, size, index, body):
            index, body = _renamed(index, body, pool)
            return Reduce(reduction, _reuse(size, pool), index, _reuse(body, pool))
        case IFold(size, init, state, index, body):
            if state.type != index.type:
                state, body = _renamed(state, body, pool)
            index, body = _renamed(index, body, pool)
            return IFold(_reuse(size, pool), _reuse(init, pool), state, index, _reuse(body, pool))
        case While(init, state, condition, body):
            wanted = pool.setdefault(state.type, state)
            if wanted in condition.free | body.free:
                wanted = state
            condition, body = substitute1(condition, state, wanted), substitute1(body, state, wanted)
            return While(_reuse(init, pool), wanted, _reuse(condition, pool), _reuse(body, pool))
        case _:
            return rebuild(term, [_reuse(part, pool) for part in children(term)])


def _renamed(var: Var, scope: Term, pool: Pool) -> tuple[Var, Term]:
    wanted = pool.setdefault(var.type, var)
    if wanted is var or wanted in scope.free:
        return var, scope
    return wanted, substitute1(scope, var, wanted)
