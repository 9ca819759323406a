"""Polynomials with integer coefficients in the integer terms that are not arithmetic."""

from __future__ import annotations

from collections.abc import Hashable

from fsmooth.core.term import Term, Var

Monomial = tuple[Hashable, ...]


class Polynomial:
    """Integer coefficients by monomial; atoms are the integer terms that are not arithmetic.  Immutable."""

    __slots__ = ("atoms", "coefficients")

    def __init__(self, coefficients: dict[Monomial, int], atoms: dict[Hashable, Term]) -> None:
        self.coefficients = coefficients
        self.atoms = atoms

    def plus(self, other: Polynomial, factor: int = 1) -> Polynomial:
        """Self + factor * other."""
        result = dict(self.coefficients)
        for monomial, c in other.coefficients.items():
            total = result.get(monomial, 0) + factor * c
            if total:
                result[monomial] = total
            else:
                result.pop(monomial, None)
        return Polynomial(result, self.atoms | other.atoms if other.atoms else self.atoms)

    def times(self, other: Polynomial) -> Polynomial:
        """The product."""
        result: dict[Monomial, int] = {}
        for m1, c1 in self.coefficients.items():
            for m2, c2 in other.coefficients.items():
                monomial = tuple(sorted(m1 + m2, key=id))
                result[monomial] = result.get(monomial, 0) + c1 * c2
        return Polynomial({m: c for m, c in result.items() if c}, self.atoms | other.atoms)

    def is_zero(self) -> bool:
        """Is this the zero polynomial?"""
        return not self.coefficients

    def number(self) -> int | None:
        """The number that this is, whatever the atoms are; None if it depends on them."""
        return self.coefficients.get((), 0) if self.coefficients.keys() <= {()} else None

    def uses(self, var: Var) -> bool:
        """Does it depend on a variable?"""
        return any([var in self.atoms[a].free for monomial in self.coefficients for a in monomial])

    def replace(self, atom: Hashable, value: Polynomial) -> Polynomial:
        """The polynomial with `atom`, which occurs only linearly in its monomials, replaced."""
        result = Polynomial({}, self.atoms)
        for monomial, c in self.coefficients.items():
            if atom in monomial:
                rest = list(monomial)
                rest.remove(atom)
                result = result.plus(value.times(Polynomial({tuple(rest): c}, self.atoms)))
            else:
                result = result.plus(Polynomial({monomial: c}, self.atoms))
        return result


def constant(value: int) -> Polynomial:
    """A constant polynomial."""
    return Polynomial({(): value} if value else {}, {})
