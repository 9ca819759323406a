"""λ-calculus rules (paper 000, Fig. 8a)."""

from __future__ import annotations

from collections.abc import Hashable

from fsmooth.core.alpha import alpha_key
from fsmooth.core.subst import refresh, substitute1
from fsmooth.core.term import (
    App,
    Check,
    Const,
    Delta,
    Get,
    If,
    Lam,
    Length,
    Let,
    MakeTuple,
    Plus,
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


@rule("(fun x -> e x) a ~> let x = a in e x", source="000, Fig. 8a", heads=App)
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


@rule("let x = a in e x ~> e a", source="000, Fig. 8a", heads=Let)
def inline(t: Term, facts: Facts) -> Term | None:
    """The first definition, wherever it is used.  Whether it pays is for `optimise.simplify` to decide."""
    match t:
        case Let(((var, value), *others), body):
            return substitute1(let(tuple(others), body), var, value)
    return None


@rule("let x = a in e ~> e", source="000, Fig. 8a", heads=Let)
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


@rule("let x = (let y = a in b y) in e x ~> let y = a in let x = b y in e x", source="000, Fig. 8a", heads=Let)
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


@rule("let x = a in let y = a in e x y ~> let x = a in let y = x in e x y", source="000, Fig. 8a", heads=Let)
def share_definition(t: Term, facts: Facts) -> Term | None:
    """The general form, for subterms as well as definitions, is `optimise.sharing`.

    A definition is forgotten where a variable in it, or its name, is bound anew.
    """
    match t:
        case Let(bindings, body):
            known: dict[Hashable, tuple[Var, Term]] = {}
            new: list[tuple[Var, Term]] = []
            for var, value in bindings:
                key = None if isinstance(value, Var | Const) else alpha_key(value)
                shared = known.get(key)
                new.append((var, value if shared is None else shared[0]))
                known = {k: (x, a) for k, (x, a) in known.items() if x is not var and var not in a.free}
                if key is not None and shared is None and var not in value.free:
                    known[key] = var, value
            if any([old is not now for (_, old), (_, now) in zip(bindings, new, strict=True)]):
                return Let(tuple(new), body)
    return None


@rule("let x = a in let y = b in e x y ~> let y = b in let x = a in e x y", source="000, Fig. 8a", heads=Let)
def swap_definitions(t: Term, facts: Facts) -> Term | None:
    """The first two, where neither mentions the other.  In no family, since it undoes itself."""
    match t:
        case Let(((x, a), (y, b), *others), body) if x is not y and x not in b.free and y not in a.free:
            return Let(((y, b), (x, a), *others), body)
    return None


_STRICT = (App, Prim, Get, Proj, Length, Check, Vector, MakeTuple, Delta, Update, Plus)
_OPERATIONS = (Prim, Get, Proj, Length, Check)


@rule("f (let x = a in b x) ~> let x = a in f (b x) where f is strict", source="000, Fig. 8a", heads=_STRICT)
def let_out_of_argument(t: Term, facts: Facts) -> Term | None:
    """Out of strict positions: operations, projections, indexing, displays, tuples."""
    parts = children(t)
    if Let not in [type(part) for part in parts] or not isinstance(t, _STRICT):
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


@rule(
    "f (if c then a else b) ~> if c then f a else f b where f is strict",
    source="000, Fig. 8d",
    heads=_STRICT,
)
def if_out_of_argument(t: Term, facts: Facts) -> Term | None:
    """Where every other argument is a variable or a constant, so that little is written twice.

    In no family: `get_if`, `project_if` and the rules for guards apply it where one of the copies vanishes.
    """
    parts = children(t) if isinstance(t, _STRICT) else ()
    for k, part in enumerate(parts):
        if isinstance(part, If):
            others = [*parts[:k], *parts[k + 1 :]]
            if not all([isinstance(o, Var | Const) for o in others]):
                return None
            then = rebuild(t, [*parts[:k], part.then, *parts[k + 1 :]])
            return If(part.condition, then, rebuild(t, [*parts[:k], part.otherwise, *parts[k + 1 :]]))
    return None


@rule(
    "f (require c in a) ~> require c in f a where f is strict",
    source="fsmooth",
    heads=_OPERATIONS,
)
def require_out_of_argument(t: Term, facts: Facts) -> Term | None:
    """What has to hold for an argument has to hold for the operation."""
    parts = children(t) if isinstance(t, _OPERATIONS) else ()
    if Require not in [type(part) for part in parts]:
        return None
    for k, part in enumerate(parts):
        if isinstance(part, Require):
            inner = rebuild(t, [*parts[:k], part.body, *parts[k + 1 :]])
            return Require(part.condition, inner, part.failure, part.numbers, part.site)
    return None
