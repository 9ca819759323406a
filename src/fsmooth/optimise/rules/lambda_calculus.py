"""λ-calculus rules (paper 000, Fig. 8a)."""

from __future__ import annotations

from fsmooth.core.alpha import alpha_key
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    App,
    Check,
    Const,
    Delta,
    Get,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Require,
    Term,
    Update,
    Var,
    Vector,
    let,
)
from fsmooth.core.traverse import children, rebuild
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule("(fun x -> a) b  ~>  let x = b in a", source="000, Fig. 8a", heads=App)
def beta(t: Term, facts: Facts) -> Term | None:
    """Parameters are renamed, since an argument may mention a variable of the same identity."""
    match t:
        case App(Lam(parameters, _), arguments):
            if not parameters:
                assert isinstance(t.function, Lam)
                return t.function.body
            clash = any(not frozenset(parameters).isdisjoint(a.free) for a in arguments)
            function = refresh(t.function) if clash else t.function
            assert isinstance(function, Lam)
            return let(tuple(zip(function.parameters, arguments, strict=True)), function.body)
    return None


@rule("let x = a in b  ~>  b  (x not in b)", source="000, Fig. 8a", heads=Let)
def drop_unused(t: Term, facts: Facts) -> Term | None:
    """Terms have no effect, so an unused definition goes, and with it any check in it."""
    match t:
        case Let(bindings, body):
            needed = set(body.free)
            kept = []
            for var, value in reversed(bindings):
                if var in needed:
                    kept.append((var, value))
                    needed.discard(var)
                    needed |= value.free
            if len(kept) < len(bindings):
                return let(tuple(reversed(kept)), body)
    return None


@rule("let x = (let y = a in b) in c  ~>  let y = a in let x = b in c", source="000, Fig. 8a", heads=Let)
def flatten_let(t: Term, facts: Facts) -> Term | None:
    """Inner binders are renamed, since c could mention a variable of the same identity."""
    match t:
        case Let(bindings, body) if any(isinstance(v, Let) for _, v in bindings) or isinstance(body, Let):
            flat: list[tuple[Var, Term]] = []
            for var, value in bindings:
                if isinstance(value, Let):
                    fresh = refresh(value)
                    assert isinstance(fresh, Let)
                    flat.extend(fresh.bindings)
                    flat.append((var, fresh.body))
                else:
                    flat.append((var, value))
            return let(flat, body)
    return None


@rule("let x = a in let y = a in b  ~>  let x = a in let y = x in b", source="000, Fig. 8a", heads=Let)
def share_definition(t: Term, facts: Facts) -> Term | None:
    """The general form, for subterms as well as definitions, is `optimise.sharing`."""
    match t:
        case Let(bindings, body):
            seen: dict[object, Var] = {}
            new: list[tuple[Var, Term]] = []
            changed = False
            for var, value in bindings:
                if isinstance(value, Var | Const):
                    new.append((var, value))
                    continue
                key = alpha_key(value)
                if key in seen:
                    new.append((var, seen[key]))
                    changed = True
                else:
                    seen[key] = var
                    new.append((var, value))
            if changed and len({v for v, _ in bindings}) == len(bindings):
                return Let(tuple(new), body)
    return None


_STRICT = (App, Prim, Get, Proj, Length, Check, Vector, MakeTuple, Delta, Update)


@rule("f (let x = a in b)  ~>  let x = a in f b", source="000, Fig. 8a", heads=_STRICT)
def let_out_of_argument(t: Term, facts: Facts) -> Term | None:
    """Out of strict positions: operations, projections, indexing, displays, tuples."""
    parts = children(t)
    if not any([isinstance(part, Let) for part in parts]):
        return None
    taken = set().union(*[part.free for part in parts])
    bindings: list[tuple[Var, Term]] = []
    new = []
    for part in parts:
        if isinstance(part, Let):
            if any([var in taken for var, _ in part.bindings]):
                fresh = refresh(part)
                assert isinstance(fresh, Let)
                part = fresh
            taken.update([var for var, _ in part.bindings])
            bindings.extend(part.bindings)
            part = part.body
        new.append(part)
    return let(bindings, rebuild(t, new))


@rule("f (require c in a)  ~>  require c in f a", source="fsmooth", heads=(Prim, Get, Proj, Length, Check))
def require_out_of_argument(t: Term, facts: Facts) -> Term | None:
    """What has to hold for an argument has to hold for the operation."""
    parts = children(t)
    for k, part in enumerate(parts):
        if isinstance(part, Require):
            inner = rebuild(t, [*parts[:k], part.body, *parts[k + 1 :]])
            return Require(part.condition, inner, part.failure, part.numbers, part.site)
    return None
