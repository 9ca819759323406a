"""The smaller or the larger of two integers of which it is known which that is: bounds of slices, sizes."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Prim, Term
from fsmooth.core.types import Int
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "maximum n 0 ~> n where 0 <= n;  maximum 0 n ~> n where 0 <= n;  "
    "minimum n 0 ~> 0 where 0 <= n;  minimum 0 n ~> 0 where 0 <= n",
    source="fsmooth",
    heads=Prim,
)
def known_order(t: Term, facts: Facts) -> Term | None:
    """Of integers only: of equal real numbers the derivatives differ, and one may be NaN."""
    if not isinstance(t, Prim) or t.primitive not in (p.maximum, p.minimum) or not isinstance(t.type, Int):
        return None
    number, other = sorted(t.arguments, key=lambda a: not isinstance(a, Const))
    if t.primitive is p.minimum:
        return number if facts.less_or_equal(number, other) else other if facts.less_or_equal(other, number) else None
    return other if facts.less_or_equal(number, other) else number if facts.less_or_equal(other, number) else None
