"""Sums of arrays (paper 001, Fig. 4: ⊕ behaves like addition)."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.subst import refresh, substitute1
from fsmooth.core.term import Build, Delta, Get, If, Let, Plus, Prim, Term, Update, Zero
from fsmooth.core.traverse import binds, subterms
from fsmooth.core.types import Array, Float, Int, is_numeric
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "plus u (zero (length u)) ~> u;  plus (zero (length u)) u ~> u;  plus (plus u u) u ~> plus u u u",
    source="001, Fig. 4",
    heads=Plus,
)
def plus_flat(t: Term, facts: Facts) -> Term | None:
    """Zeros are dropped, sums of sums are one sum."""
    match t:
        case Plus(items) if any([isinstance(item, Zero | Plus) for item in items]):
            flat: list[Term] = []
            for item in items:
                if isinstance(item, Plus):
                    flat.extend(item.items)
                elif not isinstance(item, Zero):
                    flat.append(item)
            if not flat:
                return items[0]
            return flat[0] if len(flat) == 1 else Plus(tuple(flat))
    return None


@rule("(plus u u)[i] ~> u[i] + u[i]", source="001, Fig. 4", heads=Get)
def get_plus(t: Term, facts: Facts) -> Term | None:
    """An element of a sum of arrays of numbers; of arrays of arrays, whose elements are added by `plus`."""
    match t:
        case Get(Plus(items), index) if isinstance(t.type, Array | Float | Int):
            elements = [Get(item, index) for item in items]
            if isinstance(t.type, Array):
                return Plus(tuple(elements))
            total: Term = elements[0]
            for element in elements[1:]:
                total = Prim(p.add, (total, element))
            return total
    return None


@rule(
    "plus (update u i zero) (delta (length u) i x) ~> update u i x;  "
    "plus (delta (length u) i x) (update u i y) ~> update u i (y + x)",
    source="design §2, update",
    heads=Plus,
)
def plus_update(t: Term, facts: Facts) -> Term | None:
    """What is added where an element was set is part of what it is set to."""
    match t:
        case Plus(items):
            for k, update in enumerate(items):
                if not isinstance(update, Update):
                    continue
                for j, delta in enumerate(items):
                    if isinstance(delta, Delta) and facts.same(delta.index, update.index):
                        value = _sum(update.value, delta.value)
                        if value is None:
                            continue
                        new = Update(update.array, update.index, value)
                        rest = [new if position == k else x for position, x in enumerate(items) if position != j]
                        return rest[0] if len(rest) == 1 else Plus(tuple(rest))
    return None


def _sum(a: Term, b: Term) -> Term | None:
    if isinstance(a, Zero):
        return b
    if is_numeric(a.type):
        return Prim(p.add, (a, b))
    return Plus((a, b)) if isinstance(a.type, Array) else None


@rule(
    "examples: plus (build n (fun i -> x i)) u (build n (fun i -> y i)) ~> plus (build n (fun i -> x i + y i)) u",
    source="000, Fig. 8c",
    heads=Plus,
)
def plus_builds(t: Term, facts: Facts) -> Term | None:
    """What is computed element by element, without loops inside, is added in one loop; parts under one condition in one."""
    match t:
        case Plus(items) if sum([_is_elementwise(item) for item in items]) > 1:
            kept: list[Term] = []
            for item in items:
                same = [k for k, other in enumerate(kept) if _same_loop(item, other, facts)]
                if same:
                    kept[same[0]] = _added(kept[same[0]], item)
                else:
                    kept.append(item)
            if len(kept) < len(items):
                return kept[0] if len(kept) == 1 else Plus(tuple(kept))
    return None


def _is_elementwise(t: Term) -> bool:
    return (
        isinstance(t, Build)
        and is_numeric(t.body.type)
        and not any([binds(x) and not isinstance(x, Let) for x in subterms(t.body)])
    )


def _same_loop(a: Term, b: Term, facts: Facts) -> bool:
    if not (isinstance(a, Build) and isinstance(b, Build) and _is_elementwise(a) and _is_elementwise(b)):
        return False
    return facts.same(a.size, b.size)


def _added(a: Term, b: Term) -> Term:
    """The sum of two such arrays."""
    assert isinstance(a, Build)
    assert isinstance(b, Build)
    index = a.index.renamed()
    bodies = [refresh(substitute1(x.body, x.index, index)) for x in (a, b)]
    summands = [*_summands(bodies[0]), *_summands(bodies[1])]
    kept: list[Term] = []
    for x in summands:
        for k, y in enumerate(kept):
            match x, y:
                case If(c, value, Zero() as zero), If(d, other, Zero()) if alpha_equal(c, d):
                    kept[k] = If(c, Prim(p.add, (other, value)), zero)
                    break
        else:
            kept.append(x)
    body = kept[0]
    for x in kept[1:]:
        body = Prim(p.add, (body, x))
    return Build(a.size, index, body)


def _summands(t: Term) -> list[Term]:
    """What is added last, one after the other."""
    found: list[Term] = []
    while isinstance(t, Prim) and t.primitive is p.add:
        found.append(t.arguments[1])
        t = t.arguments[0]
    return [t, *reversed(found)]
