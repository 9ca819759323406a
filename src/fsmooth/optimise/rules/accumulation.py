"""Sums of arrays (paper 001, Fig. 4: ⊕ behaves like addition)."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import Delta, Get, Plus, Prim, Term, Update, Zero
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
