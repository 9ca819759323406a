"""That a polynomial is not negative, where its indices are below one another: each bound is its index and a gap.

Of c < r < d, r is c + 1 + s and d is r + 1 + t, where s and t are not negative.  In these (d - c) * (d - c - 1) - 2 * (r - c) is
s * s + s + 2 * s * t + t * t + 3 * t: no part of it is negative, while neither c nor r is at its bound by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from fsmooth.core.term import Term, Var
from fsmooth.core.types import INT
from fsmooth.rewrite.polynomials import Polynomial, constant

MOST = 6
"""So many bounds are written by their gaps, at most."""

DEGREE = 4
"""Products of more factors than this are not looked at."""


def is_natural(poly: Polynomial, limit: Callable[[Term], Polynomial | None], natural: Callable[[Term], bool]) -> bool:
    """Is it a sum of products of what is not negative?

    `limit` says what an index, from 0 on, is at most, and None for another atom; `natural`, whether one is not negative.
    """
    gaps: set[Term] = set()
    for _ in range(MOST):
        found = _bound(poly, limit)
        if found is None or max([len(m) for m in poly.coefficients], default=0) > DEGREE:
            break
        bound, least = found
        gap = Var("gap", INT)
        gaps.add(gap)
        value = least.plus(Polynomial({(gap,): 1}, {gap: gap}))
        while any([bound in monomial for monomial in poly.coefficients]):
            poly = poly.replace(bound, value)
    return all([c > 0 and all([_is(poly.atoms[a], gaps, natural) for a in m]) for m, c in poly.coefficients.items()])


def _is(atom: Term, gaps: set[Term], natural: Callable[[Term], bool]) -> bool:
    return atom in gaps or natural(atom)


def _bound(poly: Polynomial, limit: Callable[[Term], Polynomial | None]) -> tuple[Hashable, Polynomial] | None:
    """An atom that an index is at most, but for a number, and what it is at least by that; it is no such index itself."""
    used = {atom for monomial in poly.coefficients for atom in monomial}
    pairs: list[tuple[Hashable, Hashable, Polynomial]] = []
    for index in sorted(used, key=id):
        match _atom_and_number(limit(poly.atoms[index])):
            case (bound, number) if bound in used and bound != index:
                least = Polynomial({(index,): 1}, {index: poly.atoms[index]})
                pairs.append((index, bound, least.plus(constant(number), -1)))
    indices = {index for index, _, _ in pairs}
    return next(((bound, least) for _, bound, least in pairs if bound not in indices), None)


def _atom_and_number(poly: Polynomial | None) -> tuple[Hashable, int] | None:
    """The two that a polynomial is the sum of, if it is one."""
    match list(poly.coefficients.items()) if poly is not None else []:
        case [((atom,), 1)]:
            return atom, 0
        case [((atom,), 1), ((), number)] | [((), number), ((atom,), 1)]:
            return atom, number
        case _:
            return None
