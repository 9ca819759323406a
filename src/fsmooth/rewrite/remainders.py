"""Remainders beside the quotients that they are left by: a % d is a - d * (a // d).

By itself a remainder is from 0 to d - 1; of `4 * (i // 4) + i % 4`, which is i, that says too little.
"""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.term import Term
from fsmooth.rewrite.polynomials import Polynomial

Division = Callable[[Term], tuple[Polynomial, int] | None]
"""Of an atom that is a quotient, or a remainder, by a positive number: what is divided, which is exact, and the number."""


def without_remainders(poly: Polynomial, remainder: Division, quotient: Division) -> Polynomial | None:
    """The polynomial without the remainders whose quotients are in it; None if there are none."""
    used = {atom for monomial in poly.coefficients for atom in monomial}
    quotients = [(atom, found) for atom in used if (found := quotient(poly.atoms[atom])) is not None]
    result = poly
    for atom in used if quotients else ():
        divided = remainder(poly.atoms[atom])
        if divided is None or any([monomial.count(atom) > 1 for monomial in result.coefficients]):
            continue
        for other, (dividend, divisor) in quotients:
            if divisor == divided[1] and dividend.plus(divided[0], -1).is_zero():
                own = dividend.plus(Polynomial({(other,): 1}, {other: poly.atoms[other]}), -divisor)
                result = result.replace(atom, own)
                break
    return None if result is poly else result
