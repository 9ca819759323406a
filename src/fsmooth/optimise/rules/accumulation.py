"""Sums of arrays (paper 001, Fig. 4: ⊕ behaves like addition)."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import Get, Plus, Prim, Term, Zero
from fsmooth.core.types import Array, Float, Int
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
