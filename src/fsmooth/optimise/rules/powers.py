"""Powers of halves are square roots, which cost an eighth of a power and vectorise everywhere.

Only after differentiation: at 0 the derivative of x * sqrt x is not that of x ** 1.5, which is 0 there.  Two roundings instead of
one, as for shared reciprocals (design §5, "Numbers"); NaN of minus infinity, too, whose powers C says are infinite or 0.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import bind
from fsmooth.core.term import Const, Prim, Term, scalar_constant
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_LARGEST = 2.5


@rule(
    "x ** 0.5 ~> let y = x in sqrt (y + 0.0);  "
    "x ** 1.5 ~> let y = x in y * sqrt y;  "
    "x ** 2.5 ~> let y = x in y * y * sqrt (y + 0.0);  "
    "x ** -0.5 ~> let y = x in 1.0 / sqrt (y + 0.0);  "
    "x ** -1.5 ~> let y = x in 1.0 / (y * sqrt y)",
    source="fsmooth",
    heads=Prim,
    on=(p.power,),
)
def half_power(t: Term, facts: Facts) -> Term | None:
    """The exponent is a constant: a half, or one of a few whole numbers more, or minus that."""
    match t:
        case Prim(p.power, (base, Const(exponent))) if abs(exponent) <= _LARGEST and abs(exponent) % 1.0 == 0.5:

            def of(x: Term) -> Term:
                root = _times(x, int(abs(exponent)))
                return root if exponent > 0 else Prim(p.divide, (scalar_constant(1.0, t.type), root))

            return bind(base, of, "base")
    return None


def _times(x: Term, count: int) -> Term:
    """X to the power `count` and a half, of which +0.0 for -0.0: x + 0.0 is, and so is a product of two."""
    root = Prim(p.sqrt, (x if count == 1 else Prim(p.add, (x, scalar_constant(0.0, x.type))),))
    if count == 0:
        return root
    return Prim(p.multiply, (x if count == 1 else Prim(p.multiply, (x, x)), root))
