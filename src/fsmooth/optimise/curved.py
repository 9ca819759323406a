"""What must stay in its branch before it is differentiated: a value that is thrown away may be anything, its derivative not.

    let s = sqrt x in let a = if x < 0 then 0 else s in let b = if x < 0 then 1 else s in …

computes the same as with `sqrt x` in both branches.  On the way back, the cotangent of s is 0 where x < 0, and that of x
0 / (2 sqrt x): not a number.  What is linear has no such derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core import primitives as p
from fsmooth.core.term import App, Custom, If, Lam, Prim, Term
from fsmooth.core.traverse import children
from fsmooth.core.types import Float, has_float

_STRAIGHT = frozenset(
    (p.add, p.subtract, p.negate, p.to_float, p.to_float32, p.minimum, p.maximum, p.absolute, *p.UNFOLLOWED)
)
"""Their derivatives are finite whatever their arguments are."""


def curved_nodes(order: Sequence[Term]) -> frozenset[Term]:
    """The nodes with derivatives that may be infinite, where no branch of their own keeps these apart.

    `order` has children before parents.
    """
    found: set[Term] = set()
    for node in order:
        if isinstance(node, If | Lam | Custom) or not has_float(node.type):
            continue
        is_own = isinstance(node, App) or (
            isinstance(node, Prim) and isinstance(node.type, Float) and node.primitive not in _STRAIGHT
        )
        if is_own or any([child in found for child in children(node)]):
            found.add(node)
    return frozenset(found)
