"""Components of the tuples in a loop that are the same are computed, and kept, once (paper 000, Fig. 8f)."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth import thresholds
from fsmooth.core.alpha import alpha_key
from fsmooth.core.term import NOWHERE, Build, Get, Let, MakeTuple, Proj, Reduce, Reduction, Term, Var, let
from fsmooth.core.traverse import size_of_tree
from fsmooth.optimise.rules.sum_fission import opened
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "sum n (fun i -> (x, y i, x)) ~> let s = sum n (fun i -> (x, y i)) in (fst s, snd s, fst s) where x is small",
    source="000, Fig. 8f",
    heads=Reduce,
)
def sum_same_components(t: Term, facts: Facts) -> Term | None:
    """What is added up twice, as the cotangents of two summands are, is added up once."""
    if not isinstance(t, Reduce) or t.reduction is not Reduction.SUM:
        return None
    bindings, element = opened(t.body)
    if not isinstance(element, MakeTuple):
        return None
    own, at = _different(element.items)
    if len(own) == len(element.items):
        return None
    whole = Reduce(Reduction.SUM, t.size, t.index, let(bindings, _tuple_of(own)))
    var = Var("sum", whole.type)
    parts = [var if len(own) == 1 else Proj(var, k) for k in at]
    return Let(((var, whole),), MakeTuple(tuple(parts), t.type))


@rule(
    "build n (fun i -> let x = sin y in (x, i, x))"
    " ~> let a = build n (fun i -> let x = sin y in (x, i)) in build n (fun i -> (fst a[i], snd a[i], fst a[i]))",
    source="000, Fig. 8f",
    heads=Build,
)
def build_same_components(t: Term, facts: Facts) -> Term | None:
    """What is computed once for two components is stored once: a value, and what reverse mode saves of it."""
    match t:
        case Build(size, index, Let(bindings, MakeTuple(items))):
            pass
        case _:
            return None
    own, at = _different(items)
    inside = {var for var, _ in bindings}
    if not any([at.count(k) > 1 and not inside.isdisjoint(item.free) for k, item in enumerate(own)]):
        return None
    whole = Build(size, index, let(bindings, _tuple_of(own)))
    name, site = (own[0].name, own[0].site) if isinstance(own[0], Var) else ("array", NOWHERE)
    var, again = Var(name, whole.type, site), Var(index.name, index.type, index.site)
    element = Get(var, again)
    parts = [element if len(own) == 1 else Proj(element, k) for k in at]
    return Let(((var, whole),), Build(size, again, MakeTuple(tuple(parts), t.body.type)))


def _different(items: Sequence[Term]) -> tuple[list[Term], list[int]]:
    """Items without those that are there already, and for each of all where it is among these."""
    places: dict[object, int] = {}
    own: list[Term] = []
    at: list[int] = []
    for item in items:
        key = alpha_key(item) if size_of_tree(item) <= thresholds.COPIED_CONDITION else item
        if key not in places:
            places[key] = len(own)
            own.append(item)
        at.append(places[key])
    return own, at


def _tuple_of(items: Sequence[Term]) -> Term:
    return items[0] if len(items) == 1 else MakeTuple(tuple(items))
