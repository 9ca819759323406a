"""Which of two loops goes inside: the one along which memory is contiguous.

`build n (j. sum m (k. A[i][k] * B[k][j]))` reads B down its columns.  As `sum m (k. build n (j. …))`, accumulating into
the destination, it reads and writes rows; each element is still summed in the order of k.
"""

from __future__ import annotations

from fsmooth.core.term import Get, Length, Reduce, Reduction, Term, Var
from fsmooth.core.traverse import children, is_loop
from fsmooth.core.types import Float, is_scalar


def interchangeable(index: Var, inner: Term) -> Reduce | None:
    """The sum that is the element of an array by `index`, if it is better done outside."""
    if not isinstance(inner, Reduce) or inner.reduction is not Reduction.SUM or not isinstance(inner.type, Float):
        return None
    if index in inner.size.free or index is inner.index:
        return None
    gains = False
    seen: set[Term] = set()
    stack: list[Term] = [inner.body]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if is_loop(t):
            return None
        if isinstance(t, Length):
            continue
        if isinstance(t, Get) and is_scalar(t.type):
            if _contiguous(t, inner.index) and index in t.array.free:
                return None
            gains = gains or (_contiguous(t, index) and inner.index in t.array.free)
        stack.extend(children(t))
    return inner if gains else None


def _contiguous(access: Get, index: Var) -> bool:
    """Is the last index of the access this variable?"""
    return access.index is index or (index in access.index.free and not isinstance(access.index, Get))
