"""Which of two loops goes inside: the one along which memory is contiguous.

`build n (j. sum m (k. A[i][k] * B[k][j]))` reads B down its columns.  As `sum m (k. build n (j. …))`, accumulating into
the destination, it reads and writes rows; each element is still summed in the order of k.
"""

from __future__ import annotations

from fsmooth.core.term import Get, Length, Let, Prim, Reduce, Reduction, Term, Var
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


def under_epilogue(index: Var, element: Term) -> tuple[Reduce, Var, Term] | None:
    """The same of a sum that the element is computed from: the sum, a variable, and the element with that in its place.

    `tanh (sum n (k. e) + b[j])`: the sums go to where the elements will be, which are then made of them.
    """
    found = _part(index, element, frozenset())
    if found is None:
        return None
    var = Var("sum", found.type)
    return found, var, _with(element, found, var)


def _part(index: Var, term: Term, bound: frozenset[Var]) -> Reduce | None:
    match term:
        case Reduce():
            return interchangeable(index, term) if term.free.isdisjoint(bound) else None
        case Prim(_, arguments):
            return next((p for a in arguments if (p := _part(index, a, bound)) is not None), None)
        case Let(bindings, body):
            for var, value in bindings:
                found = _part(index, value, bound)
                if found is not None:
                    return found
                bound |= {var}
            return _part(index, body, bound)
        case _:
            return None


def _with(term: Term, old: Reduce, new: Var) -> Term:
    match term:
        case Reduce():
            return new if term is old else term
        case Prim(primitive, arguments):
            return Prim(primitive, tuple([_with(a, old, new) for a in arguments]))
        case Let(bindings, body):
            return Let(tuple([(v, _with(value, old, new)) for v, value in bindings]), _with(body, old, new))
        case _:
            return term


def _contiguous(access: Get, index: Var) -> bool:
    """Is the last index of the access this variable?"""
    return access.index is index or (index in access.index.free and not isinstance(access.index, Get))
